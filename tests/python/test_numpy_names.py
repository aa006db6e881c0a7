"""zerocast.numpy: every name of NumPy's, or the reason why not; what is made from numbers and lists; ufuncs; the modules."""

import copy
import io
import pickle
import random
import subprocess
import sys
import warnings

import numpy
import pytest

import test_numpy_arguments as arguments
import zerocast as zc
import zerocast.numpy as np
from zerocast import _numpy, _numpy_functions, _numpy_refused

SEED = random.SystemRandom().randrange(10**6)
INTEGERS = "i1 i2 i4 i8 u1 u2 u4 u8".split()
FLOATS = "f2 f4 f8".split()
DTYPES = [*INTEGERS, *FLOATS, "c8", "c16", "?"]


def equal(ours, theirs):
    """Arrays of ours with NumPy's dtypes, shapes and bits; numbers that are equal."""
    if isinstance(theirs, (tuple, list)):
        assert type(ours) is type(theirs) and len(ours) == len(theirs)
        for x, a in zip(ours, theirs):
            equal(x, a)
    elif isinstance(theirs, numpy.ndarray):
        assert isinstance(ours, zc.Array)
        assert numpy.asarray(ours).dtype == theirs.dtype and ours.shape == theirs.shape
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    else:
        numpy.testing.assert_array_equal(ours, theirs)


def called(function, *given, **named):
    """The result, or the exception."""
    try:
        with numpy.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*given, **named)
    except Exception as error:  # noqa: BLE001
        return error


# ---- Names ----


def public(module):
    return [name for name in dir(module) if not name.startswith("_")]


def test_every_name_of_numpys_is_there_or_refused_with_its_reason():
    there = []
    for name in public(numpy):
        if name in _numpy_refused.REASONS:
            with pytest.raises(AttributeError) as refusal:
                getattr(np, name)
            assert str(refusal.value) == f"module 'zerocast.numpy' has no attribute {name!r}: {_numpy_refused.REASONS[name]}"
            assert name not in dir(np) and name not in np.__all__
        else:
            there.append(name)
            assert getattr(np, name) is getattr(np, name)
    assert len(there) > 400 and set(there) <= set(dir(np))
    with pytest.raises(AttributeError, match="^module 'zerocast.numpy' has no attribute 'nothing'$"):
        np.nothing  # noqa: B018


FREE = ("arange", "array", "from_dlpack", "isfortran", "isscalar", "ndenumerate")  # NumPy's versions differ in these


def test_functions_keep_their_names_and_signatures():
    import inspect

    for name in public(numpy):
        theirs = getattr(numpy, name)
        if name in _numpy_refused.REASONS or isinstance(theirs, type) or not callable(theirs):
            continue
        ours = getattr(np, name)
        assert ours is not theirs, name
        try:
            wanted = list(inspect.signature(theirs).parameters)
        except ValueError:  # of a function in C, before NumPy 2.4
            continue
        if not isinstance(theirs, numpy.ufunc) and name not in FREE:
            assert list(inspect.signature(ours).parameters) == wanted, name


@pytest.mark.parametrize("name", ["linalg", "fft", "random", "lib", "lib.stride_tricks", "emath"])
def test_modules_have_numpys_names(name):
    from importlib import import_module
    from operator import attrgetter

    ours, theirs = import_module(f"zerocast.numpy.{name}"), attrgetter(name)(numpy)
    missing = [each for each in public(theirs) if not hasattr(ours, each)]
    assert set(missing) <= {"test", "as_strided"}
    assert set(dir(ours)) >= set(public(theirs)) - {"test", "as_strided"}
    with pytest.raises(AttributeError, match=f"^module 'zerocast.numpy.{name}' has no attribute 'nothing'$"):
        ours.nothing  # noqa: B018


def test_numpy_s_own_are_handed_out():
    for name in ("polynomial", "exceptions", "errstate", "finfo", "iinfo", "dtype", "float32", "pi"):
        assert getattr(np, name) is getattr(numpy, name)
    assert np.newaxis is None and np.__version__ == numpy.__version__
    assert np.ndarray is zc.Array and isinstance(np.zeros(2), np.ndarray) and isinstance(np.add, np.ufunc)


def test_a_star_import_takes_all():
    space = {}
    exec("from zerocast.numpy import *", space)
    assert space["arange"] is np.arange and "ctypeslib" not in space and len(space) > 400


def test_zerocast_tells_of_its_numpy():
    assert zc.numpy is np
    with pytest.raises(AttributeError, match=r"zerocast.numpy.interp\(\) takes zerocast's arrays"):
        zc.interp  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'ctypeslib': it serves compilers"):
        zc.ctypeslib  # noqa: B018


def test_importing_zerocast_changes_nothing_of_its_printing():
    program = "import zerocast as zc; print(repr(zc.asarray([1]))); import zerocast.numpy; print(repr(zc.asarray([1])))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out == "Array([1], dtype=int64)\narray([1])\n"


def test_dtypes_meet_numpys():
    x = np.zeros(3, np.float32)
    assert x.dtype == np.float32 and x.dtype == "float32" and x.dtype == "f4" and np.dtype(x.dtype) == np.float32
    assert np.issubdtype(x.dtype, np.floating) and not np.issubdtype(x.dtype, np.integer)
    assert np.finfo(x.dtype).eps == numpy.finfo("f4").eps and np.iinfo(x.astype(np.int32).dtype).max == 2**31 - 1
    assert (np.float32(3) * x).dtype == np.float32 and (x + np.float64(1)).dtype == np.float64 and (x + 1.5).dtype == np.float32
    assert np.promote_types(x.dtype, np.int32) == np.float64 and np.result_type(x, 1.0) == np.float32
    assert np.can_cast(x.dtype, np.float64) and np.common_type(x, np.zeros(1)) is np.float64
    names = "byte short intc int_ longlong ubyte ushort uintc uint ulonglong half single double csingle cdouble bool_"
    for name in names.split():
        assert x.astype(getattr(np, name)).dtype == numpy.dtype(getattr(numpy, name)), name
        assert np.ones(2, name.rstrip("_")).dtype == numpy.dtype(name.rstrip("_")), name


# ---- Grids and rows by subscripts ----

SUBSCRIPTS = """
np.r_[1:4]   np.r_[1:4, 0, [7, 8]]   np.r_[0:1:5j, 2]   np.r_[1.5, 2]   np.r_[np.arange(3, dtype="f4"), 1.5]   np.r_["0,2", [1, 2], [3, 4]]
np.c_[[1, 2], [3, 4]]   np.c_[np.ones((2, 2)), [5, 6]]   np.c_[1:3, [4.5, 5]]   np.r_[True, False]
np.mgrid[0:3]   np.mgrid[0:3, 1:2]   np.mgrid[0:1:5j]   np.mgrid[-1:1:3j, 0:2]   np.mgrid[0:2:0.5, 0:3]   np.mgrid[0:0, 0:2]
np.ogrid[0:3]   np.ogrid[0:3, 1:2]   np.ogrid[-1:1:3j, 0:2, 0:2]   np.ogrid[0:2:0.5, 0:3]   np.s_[1:2, None]   np.index_exp[1:2]
list(np.ndindex(2, 2))   list(np.ndenumerate(np.eye(2)))   np.vectorize(lambda a, b: a + b)([1, 2], 3)   np.isscalar(3)   np.isscalar([3])
np.frombuffer(b"abcd", dtype="u1")   np.fromiter(range(3), float)   np.geomspace(1, 1000, 4)   np.logspace(0, 3, 4)   np.hanning(5)
np.tril_indices(3)   np.diag_indices(3)   np.mask_indices(3, np.triu)   np.ix_([0, 1], [2])   np.broadcast_shapes((1, 2), (3, 1))
np.isfortran(np.eye(3))   np.base_repr(5)   np.binary_repr(5)   np.typename("f")   np.iterable([1])   np.shape([[1, 2]])   np.ndim([1])
np.size([1, 2])   np.array_split([1, 2, 3], 2)   np.unique(["b", "a"])   np.einsum_path("i,i", [1, 2], [3, 4])[0]   np.copy([1, 2])
"""  # noqa: E501


@pytest.mark.parametrize("text", arguments.calls(SUBSCRIPTS))
def test_what_numpys_objects_give(text):
    equal_or_theirs(*(called(eval(f"lambda np: {text}"), module) for module in (np, numpy)))


def equal_or_theirs(ours, theirs):
    """As equal(), but texts stay NumPy's."""
    if isinstance(theirs, numpy.ndarray) and theirs.dtype.kind == "U":
        assert numpy.array_equal(ours, theirs)
    elif isinstance(theirs, tuple) and hasattr(theirs, "_fields"):
        equal(tuple(ours), tuple(theirs))
    else:
        equal(ours, theirs)


# ---- Functions: rows of the table, or NumPy ----


@pytest.mark.parametrize("text", arguments.calls(arguments.LAZY))
@pytest.mark.parametrize("form", [np.array, lambda a: a.tolist()], ids=["arrays", "lists"])
def test_rows_of_the_table_take_arrays_and_lists(text, form):
    if "_NoValue" in text:
        return
    call = eval(f"lambda np, a, i, v, MASK: {text}")
    given = [a.copy() for a in (arguments.A, arguments.I, arguments.V, arguments.MASK)]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*not in zerocast")
        ours = called(call, np, *map(form, given))
    if isinstance(ours, (TypeError, AttributeError)) and form is not np.array:  # an operator or a method between lists
        return
    theirs = called(call, numpy, *given)
    for x in ours if isinstance(ours, tuple) else (ours,):
        assert isinstance(x, zc.Array)
    arguments.equal(ours, theirs)


@pytest.mark.parametrize("text", [
    "np.pad(v, 1, 'linear_ramp')", "np.add(v, 1, dtype='f4')", "np.linalg.svd(i)[1]", "np.fft.fft(v)", "np.gcd(i, 2)",
    "np.subtract.reduceat(i[0], [0, 2])", "np.linalg.solve([[1., 2], [3, 5]], v)", "np.i0(v)",
])  # fmt: skip
def test_what_numpy_computes_is_said_once_and_is_ours(text):
    call = eval(f"lambda np, i, v: {text}")
    _numpy._said.clear()
    with pytest.warns(UserWarning, match="is not in zerocast: NumPy computes it$") as said:
        ours = call(np, np.array(arguments.I), np.array(arguments.V))
    assert len(said) == 1 and said[0].filename in (__file__, "<string>")
    assert isinstance(ours, zc.Array)
    theirs = call(numpy, arguments.I, arguments.V)
    assert numpy.asarray(ours).dtype == theirs.dtype
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(np, np.array(arguments.I), np.array(arguments.V))


def test_single_numbers_stay_numpys():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for found in (np.sqrt(2), np.gcd(4, 6), np.clip(3, 0, 2), np.hypot(3, 4.0)):
            assert isinstance(found, numpy.generic)
    assert np.add(1, 2) == 3 and np.sin(0.5) == numpy.sin(0.5)


def test_other_libraries_arrays_are_asked():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 4.0], "b": [9.0, 16.0]})
    assert isinstance(np.sqrt(frame), pandas.DataFrame) and isinstance(np.sum(frame, axis=0), pandas.Series)
    assert np.mean(frame["a"]) == 2.5


# ---- Ufuncs ----


def test_ufuncs_have_numpys_facts():
    for name in public(numpy):
        theirs = getattr(numpy, name)
        if isinstance(theirs, numpy.ufunc) and name not in _numpy_refused.REASONS:
            ours = getattr(np, name)
            for fact in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature", "__name__"):
                assert getattr(ours, fact) == getattr(theirs, fact)
            assert repr(ours) == repr(theirs) and pickle.loads(pickle.dumps(ours)) is ours and dir(ours) == dir(theirs)


UFUNCS = """
np.add(a, 1)   np.add([1, 2], 3)   np.add.reduce(a)   np.add.reduce(a, 1)   np.add.reduce(a, axis=None, keepdims=True)   np.multiply.reduce([2, 3])
np.add.reduce(a, 0, "f4")   np.add.accumulate(a, 1)   np.subtract.outer([1, 2], a)   np.maximum.reduce(a, initial=99)   np.add.reduceat(a, [0, 1], 1)
np.maximum.accumulate(a, axis=1)   np.divmod(a, 3)   np.modf(a / 3)   np.frexp(a)   np.logical_and.reduce(a > 1)   np.add.reduce(a, where=a > 2)
np.add(a, 1, where=a > 2, out=np.zeros((2, 3)))   np.add(a, 1, np.zeros((2, 3)))   np.add(a, 1, out=None)   np.add(a, 1, None)
np.multiply(a, 2, dtype="f4", casting="same_kind")   np.add.reduce(a, out=np.zeros(3))   np.add.accumulate(a, 0, None, np.zeros((2, 3)))
np.matmul(a, a.T)   np.add()   np.add(a)   np.add(1, 2, 3, 4)   np.add(a, a, a, out=a)   np.add(a, np.ones(7))   np.add.reduce(a, axis=5)
"""  # noqa: E501


@pytest.mark.parametrize("text", arguments.calls(UFUNCS))
def test_ufuncs_and_their_methods(text):
    call = eval(f"lambda np, a: {text}")
    a = numpy.arange(6.0).reshape(2, 3)
    theirs, ours = called(call, numpy, a), called(call, np, np.array(a))
    if isinstance(theirs, Exception):
        kinds = tuple(kind for kind in type(theirs).__mro__[:-2] if kind is not Exception)
        assert isinstance(ours, kinds)
    else:
        equal(ours, theirs)


def test_ufuncs_write_to_ours_and_at_places():
    x, a = np.zeros((2, 3)), numpy.zeros((2, 3))
    assert np.add(1, [[1, 2, 3]], out=x) is x
    numpy.add(1, [[1, 2, 3]], out=a)
    equal(x, a)
    np.add.at(x, ([0, 0, 1], [1, 1, 2]), 5)
    numpy.add.at(a, ([0, 0, 1], [1, 1, 2]), 5)
    with pytest.warns(UserWarning, match="numpy.negative.at is not in zerocast"):
        _numpy._said.clear()
        np.negative.at(x, 0)
    numpy.negative.at(a, 0)
    equal(x, a)
    with pytest.raises(TypeError, match="by position and as out="):
        np.add(x, x, x, out=x)


def test_assertions_of_numpy_testing_take_arrays():
    x = np.arange(4.0)
    np.testing.assert_equal(x, [0, 1, 2, 3])
    np.testing.assert_equal({"a": [x, 1]}, {"a": [numpy.arange(4.0), 1]})
    np.testing.assert_almost_equal(x + 1e-9, x)
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 4"):
        np.testing.assert_equal(x, np.array([0, 1, 2, 4.0]))


def test_lazy_functions_record():
    for x in (np.sin(np.arange(4.0)), np.add.reduce(np.arange(4)), np.linspace(0, 1, 10**9), np.zeros((10**5, 10**5)),
              np.eye(10**6),
              np.linalg.cross(np.ones((4, 3)), [1, 2, 3]), np.fft.fftshift(np.arange(10**9)), np.mgrid[0:10**5, 0:10**5],
              np.arange(0.5, 10**9), np.full(10**10, 2.5), np.indices((10**5, 10**5))):  # fmt: skip
        assert isinstance(x, zc.Array) and x.cost.held_bytes < 1000


# ---- numpy.linalg, numpy.fft, numpy.random ----


def test_linalg_and_fft_over_every_dtype():
    draw, elements = random.Random(SEED), numpy.random.default_rng(SEED)

    def a(*shape):
        return (elements.integers(-4, 5, shape) + (0.5 if dtype[0] in "fc" else 0)).astype(dtype)

    def compare(text, *given):
        call = eval(f"lambda np, a, b=None: {text}")
        with warnings.catch_warnings():
            warnings.filterwarnings("error" if dtype != "?" else "ignore", message=".*not in zerocast")
            theirs, ours = call(numpy, *given), call(np, *map(np.asarray, given))
        assert isinstance(ours, zc.Array) and numpy.asarray(ours).dtype == theirs.dtype and ours.shape == theirs.shape
        close = {"e": 2e-2, "f": 1e-4, "F": 1e-4}.get(theirs.dtype.char, 1e-9)
        numpy.testing.assert_allclose(numpy.asarray(ours), theirs, close, 1e-6, err_msg=f"seed {SEED}: {text} of {dtype}")

    for dtype in DTYPES:
        if dtype != "?":
            compare("np.linalg.cross(a, b)", a(2, 3), a(3))
            compare("np.linalg.cross(a, b, axis=0)", a(3, 4), a(3, 4))
        compare("np.linalg.outer(a, b)", a(3), a(2))
        compare(f"np.linalg.trace(a, offset={draw.randint(-2, 2)})", a(2, 3, 4))
        compare(f"np.linalg.diagonal(a, offset={draw.randint(-2, 2)})", a(2, 3, 4))
        compare("np.linalg.matrix_transpose(a)", a(2, 3, 4))
        compare("np.linalg.matrix_norm(a, keepdims=True)", a(2, 3, 4))
        for order in ("2", "1", "0", "3", "np.inf", "-np.inf"):
            compare(f"np.linalg.vector_norm(a, axis={draw.choice([None, 0, -1, (0, 2)])}, ord={order})", a(2, 3, 4))
        compare("np.linalg.vecdot(a, b)", a(2, 3), a(3))
        compare("np.linalg.matmul(a, b)", a(2, 3), a(3, 2))
        compare("np.linalg.tensordot(a, b, axes=1)", a(2, 3), a(3, 2))
        for axes in (None, 0, -1, (0, 1), [1]):
            compare(f"np.fft.fftshift(a, {axes})", a(3, 4))
            compare(f"np.fft.ifftshift(a, {axes})", a(3, 4))
        compare("np.fft.fftshift(a)", a(0, 3))


@pytest.mark.filterwarnings("ignore:.*not in zerocast")
def test_emath_and_row_stack():
    equal(np.emath.sqrt([-1.0, 4]), numpy.emath.sqrt([-1.0, 4]))
    equal(np.row_stack([[1, 2], [3, 4]]), numpy.vstack([[1, 2], [3, 4]]))


@pytest.mark.filterwarnings("ignore:.*not in zerocast")
def test_linalg_refuses_with_numpys_errors():
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(np.zeros((2, 2)))
    with pytest.raises(ValueError):
        np.linalg.outer(np.eye(2), [1])
    with pytest.raises(ValueError):
        np.linalg.cross([1, 2], [3, 4])
    with pytest.raises(ValueError):
        np.linalg.trace([1, 2])
    result = np.linalg.eigh(np.diag([1.0, 2.0]))
    assert type(result).__name__ == "EighResult" and isinstance(result.eigenvalues, zc.Array)
    with pytest.raises(AttributeError, match="as_strided.*stay within the array"):
        np.lib.stride_tricks.as_strided  # noqa: B018


def test_random_numbers_are_numpys():
    calls = """rng.random(3)   rng.normal(size=(2, 2))   rng.integers(0, 9, 5)   rng.permutation(4)   rng.choice(x, 2)
    rng.permuted(x)   rng.multivariate_normal([0, 0], np.eye(2), 3)   rng.random()   rng.shuffle(x)   rng.permutation(x)
    rng.standard_normal(2, dtype='f4')"""
    for text in arguments.calls(calls):
        call = eval(f"lambda np, rng, x: ({text}, x)")
        theirs = call(numpy, numpy.random.default_rng(5), numpy.arange(4.0))
        equal(call(np, np.random.default_rng(5), np.arange(4.0)), theirs)
    old = """np.random.rand(2, 2)   np.random.randn(3)   np.random.randint(0, 9, 4)   np.random.choice(5, 3)
    np.random.shuffle(x)   np.random.normal(0, 1, 3)   np.random.uniform()   np.random.RandomState(3).rand(2)
    np.random.permutation(x)"""
    for text in arguments.calls(old):
        call = eval(f"lambda np, x: (np.random.seed(7), {text}, x)")
        equal(call(np, np.arange(4.0)), call(numpy, numpy.arange(4.0)))
    rng = np.random.default_rng(1)
    x, a = np.zeros(3), numpy.zeros(3)
    assert rng.random(out=x) is x
    numpy.random.default_rng(1).random(out=a)
    equal(x, a)
    assert isinstance(rng, np.random.Generator) and isinstance(rng, numpy.random.Generator)
    for twin in (copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        equal(twin.random(2), numpy.asarray(copy.deepcopy(rng).random(2)))
    assert all(isinstance(each.random(1), zc.Array) for each in rng.spawn(2))
    names = ["a", "b", "c"]
    np.random.default_rng(3).shuffle(names)
    same = ["a", "b", "c"]
    numpy.random.default_rng(3).shuffle(same)
    assert names == same


# ---- Files ----


def test_files(tmp_path):
    x = np.arange(6.0).reshape(2, 3) / 3
    np.save(tmp_path / "x", x)
    np.save(tmp_path / "y.npy", [1, 2])
    equal(np.load(tmp_path / "x.npy"), numpy.load(tmp_path / "x.npy"))
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "y.npy"), [1, 2])
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    mapped[0, 0] = 9
    assert numpy.load(tmp_path / "x.npy")[0, 0] == 0 and mapped[0, 0] == 9
    with pytest.raises(ValueError, match="not 'r\\+'"):
        np.load(tmp_path / "x.npy", mmap_mode="r+")
    np.savez(tmp_path / "z.npz", x=x, y=x[0])
    with np.load(tmp_path / "z.npz") as found:
        assert found.files == ["x", "y"] and "x" in found and len(found) == 2 and list(found) == ["x", "y"]
        equal(found["x"], numpy.asarray(x))
        equal([value for _, value in found.items()], [numpy.asarray(x), numpy.asarray(x[0])])
        assert found.get("w") is None and found.keys() == ["x", "y"] and len(found.values()) == 2
    with io.BytesIO() as stream:
        np.save(stream, x)
        stream.seek(0)
        equal(np.load(stream), numpy.asarray(x))
    np.savetxt(tmp_path / "x.txt", x)
    equal(np.loadtxt(tmp_path / "x.txt"), numpy.loadtxt(tmp_path / "x.txt"))
    x.tofile(tmp_path / "x.bin")
    equal(np.fromfile(tmp_path / "x.bin"), numpy.asarray(x).ravel())


# ---- Printing ----


SETTINGS = [{}, {"precision": 3}, {"threshold": 10}, {"suppress": True, "edgeitems": 2}, {"linewidth": 40}]


@pytest.mark.parametrize("settings", SETTINGS)
def test_arrays_look_as_numpys(settings):
    with np.printoptions(**settings):
        for shape in ((), (0,), (3,), (2000,), (3, 4), (40, 50), (0, 3), (2, 3, 4), (1, 1500), (7, 300)):
            for dtype in ("f8", "f4", "i8", "i2", "?", "c16", "u1", "f2"):
                a = (numpy.arange(int(numpy.prod(shape))).reshape(shape) / 7).astype(dtype)
                x, a = np.array(a), a if shape else a[()]
                assert str(x) == str(a) and repr(x) == repr(a) and f"{x}" == f"{a}"


def test_the_table_and_the_modules_agree():
    """Each row is a function that zerocast.numpy has, by NumPy's name."""
    for name in _numpy_functions._FUNCTIONS:
        assert hasattr(np, name) or hasattr(np.lib.stride_tricks, name) or not hasattr(numpy, name), name
