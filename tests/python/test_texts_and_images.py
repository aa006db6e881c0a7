"""Text, raw elements and PNG beside NumPy, csv, pandas and Pillow: random shapes, dtypes and spellings."""

import csv
import io
import os
import struct
import zlib

import numpy as np
import pytest

import zerocast as zc

SEED = int(os.environ.get("ZC_TEST_SEED", "20261130"))
DELIMITERS = {"csv": ",", "tsv": "\t", "txt": " "}
REAL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "float32", "float64"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def random():
    print("seed", SEED)
    return np.random.default_rng(SEED)


def draw(random, dtype, shape):
    """Any bits of a dtype, infinities and NaN among the floats'."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if dtype == "bool":
        return random.random(shape) > 0.5
    return np.frombuffer(random.bytes(size), dtype).reshape(shape)


def opened(path):
    return np.asarray(zc.open(path))


def same(a, b):
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


# ---- Text ----


@pytest.mark.parametrize("ending", DELIMITERS)
@pytest.mark.parametrize("dtype", REAL)
def test_text_reads_back_bit_for_bit(random, ending, dtype):
    for _ in range(8):
        shape = tuple(random.integers(2, 9, random.integers(1, 3)))
        array = draw(random, dtype, shape)
        zc.save(zc.asarray(array), f"a.{ending}")
        back = opened(f"a.{ending}")
        assert back.dtype == {"b": bool, "f": np.float64}.get(array.dtype.kind, np.int64)
        assert same(back.astype(dtype), array)
        if array.dtype.kind != "b":
            assert same(np.loadtxt(f"a.{ending}", dtype=dtype, delimiter=DELIMITERS[ending]), array)
        with open(f"a.{ending}", newline="") as file:
            rows = list(csv.reader(file, delimiter=DELIMITERS[ending]))
        flat = [text for row in rows for text in row]
        assert len(rows) == shape[0] and flat == [str(x) for x in array.astype(back.dtype).ravel().tolist()] or dtype in (
            "float16",
            "float32",
        )


def test_floats_have_pythons_digits(random):
    numbers = np.concatenate([draw(random, "float64", (500,)), random.integers(-(10**6), 10**6, 500) / 1000])
    zc.save(zc.asarray(numbers), "a.csv")
    with open("a.csv") as file:
        assert file.read().split() == [repr(x) for x in numbers.tolist()]


def test_integers_beyond_int64_are_floats():
    numbers = np.array([2**64 - 1, 2**63, 5], np.uint64)
    zc.save(zc.asarray(numbers), "a.csv")
    with open("a.csv") as file:
        assert file.read() == "18446744073709551615\n9223372036854775808\n5\n"
    assert same(opened("a.csv"), numbers.astype(np.float64))


def spell(random, value):
    """A number as somebody might write it."""
    styles = [repr, "{:.3f}".format, "{:.25e}".format, "{:+g}".format, "{:.17g}".format, "{:040.12f}".format, "{:E}".format]
    return styles[random.integers(len(styles))](value)


def test_decimals_are_those_of_float(random):
    for _ in range(20):
        rows = random.integers(1, 30)
        words = [[spell(random, x) for x in row] for row in (draw(random, "float64", (rows, 4)) % 1e300).tolist()]
        with open("a.csv", "w") as file:
            file.writelines(",".join(row) + "\n" for row in words)
        assert same(opened("a.csv").reshape(rows, 4), np.array([[float(x) for x in row] for row in words]))


def test_numpys_texts_are_read(random):
    for columns in (1, 3):
        array = random.normal(size=(20, columns))
        np.savetxt("a.txt", array, header="x y\nz")
        assert same(opened("a.txt"), array if columns > 1 else array[:, 0])
        np.savetxt("a.csv", array, delimiter=",", fmt="%.6e", newline="\r\n")
        assert same(opened("a.csv").reshape(array.shape), np.loadtxt("a.csv", delimiter=",").reshape(array.shape))


def test_quotes_blanks_and_columns(random):
    names = ["plain", 'quo"te', "com,ma", "line\nend", "größe"]
    for _ in range(20):
        array = random.integers(-1000, 1000, (random.integers(1, 9), len(names)))
        text = io.StringIO()
        writer = csv.writer(text, quoting=[csv.QUOTE_MINIMAL, csv.QUOTE_ALL][random.integers(2)])
        writer.writerows([names, *array.tolist()])
        with open("a.csv", "w", newline="", encoding=["utf-8", "utf-8-sig"][random.integers(2)]) as file:
            file.write(text.getvalue() + ["", "\r\n", "  \n\n"][random.integers(3)])
        assert same(opened("a.csv"), array)
        for column, name in enumerate(names):
            assert same(opened(f"a.csv:{name}"), array[:, column])


def test_sparse_tables_are_those_of_csv(random):
    for ending in ("csv", "tsv"):
        for _ in range(30):
            shape = tuple(random.integers(2, 9, 2))
            words = np.where(random.random(shape) > 0.8, draw(random, "int16", shape).astype(str), "")
            with open(f"a.{ending}", "w", newline="") as file:
                csv.writer(file, delimiter=DELIMITERS[ending]).writerows(words.tolist())
            assert same(opened(f"a.{ending}").astype(float), np.array([[float(x or "nan") for x in row] for row in words]))
    with open("a.csv", "w") as file:
        file.write(",,,,\n")
    assert opened("a.csv").shape == (1, 5) and np.isnan(opened("a.csv")).all()


def test_a_column_among_words():
    with open("a.csv", "w") as file:
        file.write("name,weight,count\nbob,1.5,1\n\"al,ice\",,2\n")
    assert same(opened("a.csv:weight"), np.array([1.5, np.nan]))
    assert same(opened("a.csv:count"), np.array([1, 2]))
    assert same(opened("csv:a.csv:count"), np.array([1, 2]))


def test_pandas_reads_the_same(random):
    pandas = pytest.importorskip("pandas")
    for _ in range(5):
        frame = pandas.DataFrame(random.normal(size=(50, 4)).round(3), columns=list("abcd"))
        frame[random.random(frame.shape) > 0.8] = np.nan
        frame.to_csv("a.csv", index=False)
        assert same(opened("a.csv"), frame.to_numpy())
        assert same(opened("a.csv:c"), frame["c"].to_numpy())


REFUSED = [
    ("1,2\n3\n", "line 2 has 1 field, line 1 has 2"),
    ("a,b\n\n1,2,3\n", "line 3 has 3 fields, line 1 has 2"),
    ("x,y,z\n1,2,abc\n", "line 2, column 3: 'abc' is no number"),
    ("1\nTrue\n", "line 2, column 1: 'True' is no number"),
    ("True\n1\n", "line 2, column 1: '1' is neither True nor False"),
    ('1,2\n3,"4\n5', "line 2: a quote is not closed"),
    ("1,2\r3,4\n", "line 1, column 2: '2?3' is no number"),
    ("\0\n1\n", "line 1, column 1: '?' is no number"),
    ('a,"b\n1,2\n', "line 1: a quote is not closed"),
    ("1\n" + "ä" * 50, "line 2, column 1: '" + "ä" * 20 + "...' is no number"),
]


@pytest.mark.parametrize("text, sentence", REFUSED)
def test_errors_name_line_and_column(text, sentence):
    with open("t.csv", "w", newline="") as file:
        file.write(text)
    with pytest.raises(ValueError) as error:
        zc.open("t.csv")
    assert str(error.value) == "open: t.csv: " + sentence


def test_arrays_that_are_no_table_are_refused():
    for array in (np.zeros((2, 2, 2)), np.zeros(3, np.complex64)):
        with pytest.raises((ValueError, TypeError), match="text"):
            zc.save(zc.asarray(array), "a.csv")
    assert os.listdir(".") == []


def test_texts_are_known_by_their_endings():
    with open("a.dat", "w") as file:
        file.write("1,2\n3,4\n")
    with pytest.raises(ValueError, match="not a .npy"):
        zc.open("a.dat")
    assert same(opened("csv:a.dat"), np.array([[1, 2], [3, 4]]))


# ---- Raw elements ----


def test_raw_elements_are_those_of_tofile(random):
    for dtype in REAL + ["complex64", "complex128", ">f4", ">i8", ">c16", "<u2"]:
        array = draw(random, dtype, (3, 4))
        offset = int(random.integers(0, 20))
        with open("a.dat", "wb") as file:
            file.write(b"x" * offset + array.tobytes())
        for shape, wanted in (("3x4", array), ("-1x4", array), ("2x6", array.reshape(2, 6)), ("12", array.ravel())):
            back = opened(f"raw:{dtype}:{shape}@{offset}:a.dat")
            assert back.dtype == array.dtype.newbyteorder("=") and back.tobytes() == wanted.astype(back.dtype).tobytes()
        native = array.astype(array.dtype.newbyteorder("<"))
        zc.save(zc.asarray(native.astype(native.dtype.newbyteorder("="))), "b.bin")
        assert same(np.fromfile("b.bin", native.dtype).reshape(3, 4), native)


@pytest.mark.parametrize(
    "path, words",
    [
        ("a.bin", "raw:DTYPE:SHAPE:a.bin"),
        ("raw:f9:3:a.bin", "'f9' is no dtype"),
        ("raw:" + "f" * 40 + ":3:a.bin", "is no dtype"),
        ("raw:f4:3y:a.bin", "'3y' is no shape"),
        ("raw:f4:-1x-1:a.bin", "is no shape"),
        ("raw:f4:-2:a.bin", "is no shape"),
        ("raw:f4:3@:a.bin", "is no shape"),
        ("raw:f4:99999999999999999999:a.bin", "is no shape"),
        ("raw:f4:" + "1x" * 64 + "1:a.bin", "is no shape"),
        ("raw:f4:4294967296x4294967296:a.bin", "a.bin: "),
        ("raw:f4:3:a.bin", "4 bytes of data are missing"),
        ("raw:f4:1@9:a.bin", "5 bytes of data are missing"),
        ("raw:u1:100@9223372036854775807:a.bin", ": 9223372036854775807 bytes of data are missing"),
        ("raw:f4:-1@9:a.bin", "1 bytes of data are missing"),
        ("raw:u1:-1x3:a.bin", "-1 stands for whole parts of 3 bytes, and there are 8 bytes"),
        ("raw:f4:-1@2:a.bin", "-1 stands for whole parts of 4 bytes, and there are 6 bytes"),
    ],
)
def test_raw_elements_that_are_not_there(path, words):
    with open("a.bin", "wb") as file:
        file.write(bytes(8))
    with pytest.raises(ValueError) as error:
        zc.open(path)
    assert words in str(error.value)


def test_a_file_of_that_name_wins():
    np.save("raw:f4:2:a.npy", np.arange(3))
    assert same(opened("raw:f4:2:a.npy"), np.arange(3))


# ---- PNG ----

SHAPES = {"L": (), "LA": (2,), "RGB": (3,), "RGBA": (4,)}


def test_images_are_pillows(random, has_png):
    images = pytest.importorskip("PIL.Image")
    for _ in range(5):
        for channels in SHAPES.values():
            size = tuple(random.integers(1, 40, 2))
            array = draw(random, "uint8", size + channels)
            images.fromarray(array).save("a.png")
            assert same(opened("a.png"), array) and opened("a.png").dtype == np.uint8
            zc.save(zc.asarray(array), "b.png")
            assert same(np.asarray(images.open("b.png")), array)
        deep, truths = draw(random, "uint16", (7, 5)), random.random((4, 9)) > 0.5
        images.fromarray(deep).save("a.png")
        assert same(opened("a.png"), deep) and opened("a.png").dtype == np.uint16
        zc.save(zc.asarray(deep), "b.png")
        assert same(np.asarray(images.open("b.png")).astype(np.uint16), deep)
        zc.save(zc.asarray(truths), "b.png")
        assert same(np.asarray(images.open("b.png")), truths * np.uint8(255))
        deep = draw(random, "uint16", (3, 4, int(random.integers(2, 5))))
        zc.save(zc.asarray(deep), "b.png")
        assert same(opened("b.png"), deep)


def test_palettes_and_few_bits_are_expanded(random, has_png):
    images = pytest.importorskip("PIL.Image")
    for bits in (1, 2, 4, 8):
        image = images.fromarray(random.integers(0, 2**bits, (6, 11)).astype(np.uint8), "P")
        image.putpalette(random.integers(0, 256, 3 * 2**bits).astype(np.uint8).tobytes())
        image.save("a.png", bits=bits)
        assert same(opened("a.png"), np.asarray(image.convert("RGB")))
        image.save("a.png", bits=bits, transparency=0)
        assert same(opened("a.png"), np.asarray(images.open("a.png").convert("RGBA")))
    image = images.fromarray(random.random((6, 11)) > 0.5)
    image.save("a.png")
    assert same(opened("a.png"), np.asarray(image) * np.uint8(255))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def interlaced(array, colour):
    """Adam7 by hand: seven images, each of every so many-th row and column."""
    passes = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
    big = array.astype(array.dtype.newbyteorder(">"))
    parts = [big[row::down, column::right] for row, column, down, right in passes]
    rows = b"".join(b"\0" + line.tobytes() for part in parts if part.size for line in part)
    header = struct.pack(">IIBBBBB", array.shape[1], array.shape[0], array.dtype.itemsize * 8, colour, 0, 0, 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.fixture
def has_png():
    try:
        zc.save(zc.asarray(np.zeros((1, 1), np.uint8)), "probe.png")
    except ValueError as error:
        pytest.skip(str(error))
    os.remove("probe.png")


def test_interlaced_images_are_read(random, has_png):
    for colour, channels in ((0, ()), (4, (2,)), (2, (3,)), (6, (4,))):
        for dtype in ("uint8", "uint16"):
            for _ in range(6):
                array = draw(random, dtype, tuple(random.integers(1, 20, 2)) + channels)
                with open("a.png", "wb") as file:
                    file.write(interlaced(array, colour))
                assert same(opened("a.png"), array)


def test_a_transparent_colour_is_a_channel(has_png):
    header = struct.pack(">IIBBBBB", 2, 1, 8, 0, 0, 0, 0)
    rows = chunk(b"IDAT", zlib.compress(b"\0\7\x09"))
    with open("a.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"tRNS", b"\0\7") + rows + chunk(b"IEND", b""))
    assert opened("a.png").tolist() == [[[7, 0], [9, 255]]]


def image_of(width, height, bits, colour, rows, before=b"", data=None, end=None):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(rows)) if data is None else data
    return b"\x89PNG\r\n\x1a\n" + header + before + data + (chunk(b"IEND", b"") if end is None else end)


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] if at >= 0 else flip(data, len(data) + at)


PALETTE = chunk(b"PLTE", bytes(range(9)))
GREY = zlib.compress(b"\0\xaa\x80\0\x55\x40")
DAMAGED = [
    (image_of(10, 2, 1, 0, b"", data=flip(chunk(b"IDAT", GREY), -1)), "CRC"),
    (image_of(10, 2, 1, 0, b"", data=chunk(b"IDAT", flip(GREY, -1))), "incorrect data check"),
    (image_of(10, 2, 1, 0, b"", data=chunk(b"IDAT", GREY), end=b""), "ends too early"),
    (image_of(10, 2, 1, 0, b"", data=chunk(b"IDAT", GREY), end=flip(chunk(b"IEND", b""), -1)), "CRC"),
    (image_of(10, 2, 1, 0, b"\0\xaa\x80\0\x55"), "data"),
    (image_of(10, 2, 1, 0, b"\0\xaa\x80\0\x55\x40", before=flip(chunk(b"tEXt", b"a\0b"), -1)), "CRC"),
    (image_of(4, 1, 2, 3, b"\0\x1a", before=PALETTE + flip(chunk(b"tRNS", b"\1"), -1)), "CRC"),
    (image_of(4, 1, 2, 3, b"\0\x1b", before=PALETTE), "a pixel has no colour of its palette"),
    (image_of(4, 1, 8, 3, b"\0\1\2\3\0", before=PALETTE), "a pixel has no colour of its palette"),
    (image_of(4, 1, 2, 3, b"\0\x1a"), "PLTE"),
    (image_of(7, 2**20, 1, 0, b"\0" * 2030), "does not fit into"),
]


@pytest.mark.parametrize("number", range(len(DAMAGED)))
def test_damaged_images_are_refused(number, has_png):
    data, words = DAMAGED[number]
    with open("a.png", "wb") as file:
        file.write(data)
    with pytest.raises(ValueError) as error:
        zc.open("a.png")
    assert str(error.value).startswith("open: a.png: ") and words in str(error.value)


def test_palettes_of_few_colours_are_read(has_png):
    with open("a.png", "wb") as file:
        file.write(image_of(4, 1, 2, 3, b"\0\x1a", before=PALETTE + chunk(b"tRNS", b"\7")))
    assert opened("a.png").tolist() == [[[0, 1, 2, 7], [3, 4, 5, 255], [6, 7, 8, 255], [6, 7, 8, 255]]]
    for width in range(1, 8):
        with open("a.png", "wb") as file:
            file.write(image_of(width, 3, 1, 0, b"\0\xff" * 3))
        assert opened("a.png").tolist() == [[255] * width] * 3


def test_interlaced_palettes_are_read(random, has_png):
    images = pytest.importorskip("PIL.Image")
    for _ in range(6):
        array = random.integers(0, 3, tuple(random.integers(1, 20, 2))).astype(np.uint8)
        with open("a.png", "wb") as file:
            data = interlaced(array, 3)
            file.write(data[:33] + PALETTE + data[33:])
        assert same(opened("a.png"), np.arange(9, dtype=np.uint8).reshape(3, 3)[array])
        assert same(opened("a.png"), np.asarray(images.open("a.png").convert("RGB")))


def test_pillows_other_chunks_are_passed_over(random, has_png):
    images = pytest.importorskip("PIL.Image")
    about = pytest.importorskip("PIL.PngImagePlugin").PngInfo()
    about.add_text("title", "x" * 1000, zip=True)
    about.add_itxt("größe", "ä" * 100)
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        array = draw(random, "uint16" if mode == "I;16" else "uint8", (9, 11) + SHAPES.get(mode, ()))
        image = images.fromarray(array) if mode in (*SHAPES, "I;16") else images.fromarray(array).convert(mode)
        image.save("a.png", pnginfo=about, dpi=(72, 72), icc_profile=b"p" * 200, optimize=True)
        shown = image.convert("RGB") if mode == "P" else image
        wanted = np.asarray(shown) * np.uint8(255) if mode == "1" else np.asarray(shown)
        assert same(opened("a.png"), wanted)


def test_what_is_no_image_is_refused(has_png):
    for array in (np.zeros((2, 2)), np.zeros((2, 2, 5), np.uint8), np.zeros((0, 2), np.uint8), np.zeros(4, np.uint8)):
        with pytest.raises((ValueError, TypeError), match=".png"):
            zc.save(zc.asarray(array), "a.png")
    assert os.listdir(".") == []
