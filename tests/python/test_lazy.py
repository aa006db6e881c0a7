"""What is recorded and what is computed: plans, costs, what is shown, gradients, dialects."""

import json

import numpy as np
import pytest

import zerocast as zc
from zerocast import _printing


@pytest.fixture(autouse=True)
def _own_texts(monkeypatch):
    """Arrays look as without zerocast.numpy, which other tests import."""
    monkeypatch.setattr(_printing, "is_numpys", False)


def test_a_broadcast_of_10_12_elements_takes_no_memory():
    zc.trim()
    x = zc.broadcast_to(zc.arange(10**6, dtype=zc.float64), (10**6, 10**6))
    y = zc.mean((x + 1) * 2, axis=0)
    assert x.nbytes == 8 * 10**12 and x.broadcast_axes == (0,)
    assert y[-1].item() == 2e6 and zc.memory().peak_bytes < 10**7


def test_plans():
    x = zc.asarray(np.ones((3, 4)))
    y = zc.sum(x * 2, axis=0)
    assert "stage 1" in y.explain() and y.explain("json").startswith("{") and y.explain("dot").startswith("digraph")
    with pytest.raises(ValueError):
        y.explain("svg")
    assert y.cost.logical_bytes == 32 and y.cost.held_bytes == 96
    assert not y.exists and y.materialize().exists and y.exists


def test_materialize_has_no_history_and_compact_repeats_nothing():
    x = zc.broadcast_to(zc.arange(10) + 1, (1000, 10))
    assert x.compact().strides == (0, 1) and x.materialize().strides == (10, 1)
    a, b = zc.compute(x, x + 1)
    assert a.exists and b.exists
    loop = zc.ones(10)
    for _ in range(1000):
        loop = (loop * 1.5 - 0.5).materialize()
    assert zc.memory().nodes < 500


def test_several_arrays_are_computed_in_one_run():
    a = np.linspace(0, 1, 5000).reshape(50, 100)
    x = zc.asarray(a)
    mean, std, both = zc.mean(x, axis=0), zc.std(x, axis=0), zc.sin(x)
    assert zc.cost(mean, std).work < mean.cost.work + std.cost.work
    assert zc.cost(mean, std).logical_bytes == 1600 and zc.cost(x).work == 0
    assert zc.explain(mean, std).startswith("result 1: float64 (100,) strides (1,), output 0\nresult 2: ")
    assert zc.explain(mean) == mean.explain() and '"results": [' in zc.explain(x, mean, format="json")
    m, s, b, again, n, kept = zc.compute(mean, std, both.T, mean, 7, x)
    np.testing.assert_allclose(m, a.mean(0))
    np.testing.assert_allclose(s, a.std(0))
    np.testing.assert_array_equal(np.asarray(b), np.asarray(zc.sin(x)).T)
    assert np.asarray(again).ctypes.data == np.asarray(m).ctypes.data and int(n) == 7 and mean.exists
    assert np.asarray(kept).ctypes.data == np.asarray(x).ctypes.data
    assert zc.compute() == () and zc.cost().work == 0
    with pytest.raises(ValueError):
        zc.explain(m, format="svg")
    with pytest.raises(TypeError):
        zc.explain()
    with pytest.raises(TypeError):
        zc.compute(x, "x")
    with pytest.raises(IndexError):
        zc.compute(zc.cos(x), zc.take(x, zc.asarray([99]), axis=0))


def test_a_loss_and_its_gradients_share_the_forward_pass():
    rng = np.random.default_rng(0)
    x, w, v = (zc.asarray(rng.normal(size=shape)) for shape in ((200, 30), (30, 10), (10,)))
    hidden = zc.tanh(x @ w)
    loss = zc.mean((hidden @ v) ** 2)
    gradients = zc.vjp(loss, (w, v))
    together = zc.cost(loss, *gradients)
    assert together.work < 0.6 * sum(y.cost.work for y in (loss, *gradients))
    zc.trim()
    found, by_w, by_v = zc.compute(loss, *gradients)
    assert zc.memory().peak_bytes <= together.peak_bytes + zc.memory().held_bytes
    h = np.tanh(np.asarray(x) @ np.asarray(w))
    d = 2 * (h @ np.asarray(v)) / 200
    np.testing.assert_allclose(found, np.mean((h @ np.asarray(v)) ** 2))
    np.testing.assert_allclose(by_v, h.T @ d)
    np.testing.assert_allclose(by_w, np.asarray(x).T @ (d[:, None] * np.asarray(v) * (1 - h**2)))


def test_several_files_are_saved_in_one_run(tmp_path):
    x = zc.asarray(np.arange(6.0))
    paths = [tmp_path / "mean.npy", tmp_path / "centered.npy"]
    mean = zc.mean(x)
    zc.save_all({paths[0]: mean, str(paths[1]): x - mean})
    assert np.load(paths[0]) == 2.5 and np.load(paths[1])[5] == 2.5
    with pytest.raises(IndexError):
        zc.save_all({paths[0]: x, paths[1]: zc.take(x, zc.asarray([9]), axis=0)})
    with pytest.raises(OSError):
        zc.save_all({paths[0]: x, tmp_path / "none" / "x.npy": x})
    assert np.load(paths[0]) == 2.5 and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 3), (1001,), (30, 40), (3, 400), (9, 9, 20), (2000, 1, 2)])
@pytest.mark.parametrize("dtype", ["int64", "float64", "float32", "bool", "complex128"])
def test_it_is_shown_as_numpy_shows_it(shape, dtype):
    a = (np.arange(int(np.prod(shape))) * 1.25).reshape(shape).astype(dtype)
    x = zc.asarray(a)
    assert str(x) == str(a)
    shown = repr(x).replace(f"dtype={dtype}", "").replace("Array(", "array(")
    theirs = np.array2string(a, separator=", ", prefix="array(")
    assert shown.startswith(f"array({theirs}")


def test_only_what_is_shown_is_computed():
    zc.trim()
    x = zc.broadcast_to(zc.arange(10**6), (10**6, 10**6)) * 2
    assert repr(x).endswith("shape=(1000000, 1000000), dtype=int64)") and "1999998" in repr(x)
    assert zc.memory().peak_bytes < 10**5
    assert "10^6" not in x._repr_html_() and "7.3 TiB" in x._repr_html_()


def test_html_is_escaped_and_computes_nothing():
    x = zc.sum(zc.asarray(np.ones((100, 100))) * 2)
    text = x._repr_html_()
    assert "<table>" in text and "plan" in text and not x.exists


def _bars(svg):
    """The pixels of the bars, in order: those of buffers, then that of the peak."""
    import xml.etree.ElementTree as ET

    root = ET.fromstring(svg)
    return [float(r.get("width")) for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("class") is None], root


def test_the_picture_shows_loops_and_buffers():
    from zerocast._picture import svg

    x = zc.asarray(np.random.default_rng(3).random((3000, 3)))
    d = zc.sum((x[:, None] - x) ** 2, axis=2)
    y = zc.exp(-d) @ x
    plan = json.loads(y.explain("json"))
    widths, root = _bars(svg(y.explain("json"), 0))
    held = [slot["bytes"] for slot in plan["slots"]] + [plan["peak_bytes"]]
    assert len(widths) == len(held) and max(widths) == pytest.approx(260)
    for width, count in zip(widths, held):
        assert width == pytest.approx(max(260 * count / max(held), 1), rel=1e-4)
    texts = "".join(root.itertext())
    group = plan["stages"][0]["group"]
    assert f"for {group['blocks']} blocks of {group['length']} along axis 0" in texts and "limit" not in texts
    loops = [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("class") == "zc-loop"]
    assert len(loops) == len({str(s["group"]) for s in plan["stages"] if "group" in s})
    near, root = _bars(svg(y.explain("json"), 2 * max(held)))
    assert max(near) == pytest.approx(130) and len(list(root.iter("{http://www.w3.org/2000/svg}line"))) == 1
    far, root = _bars(svg(y.explain("json"), 10**12))
    assert max(far) == pytest.approx(260) and "limit 931.3 GiB; the peak is" in "".join(root.itertext())


def test_the_picture_of_many_stages_and_of_refused_ones_is_bounded():
    from zerocast._picture import svg

    x = zc.asarray(np.ones((4, 4)))
    for _ in range(100):
        x = x @ x / 4
    text = "".join(_bars(svg(x.explain("json"), 10**6))[1].itertext())
    assert "and 140 more" in text and "smaller ones" in text
    with zc.config(memory_limit=10**4):
        over = zc.asarray(np.ones(10**5)) + 1
        assert "MiB, over the limit" not in over._repr_html_() and "times as much" in over._repr_html_()
        assert "KiB, over the limit" in over._repr_html_() and "<line" not in zc.asarray(np.ones(3))._repr_html_()


def test_no_text_of_the_picture_is_cut():
    from zerocast._picture import svg

    narrow = zc.asarray(np.ones((3,) * 5))
    x = zc.sum(zc.broadcast_to(narrow, (2,) * 40 + narrow.shape) * 2, axis=tuple(range(38)))
    wide = zc.sqrt(zc.broadcast_to(zc.asarray(2.0), (10**8, 10**9)))
    d = zc.exp(-zc.sum((zc.asarray(np.ones((9000, 1, 3))) - zc.asarray(np.ones((9000, 3)))) ** 2, axis=2))
    for y in (x, wide, d @ zc.asarray(np.ones((9000, 3)))):
        for text in _bars(svg(y.explain("json"), 10**6))[1].iter("{http://www.w3.org/2000/svg}text"):
            assert float(text.get("x")) + 7.25 * len(text.text) <= 640, text.text
    long = zc.asarray(np.ones((4, 4)))
    for _ in range(300):
        long = long @ long
    assert "lines more" in long._repr_html_() and len(long._repr_html_()) < 60000


def test_a_line_per_stage():
    x = zc.asarray(np.ones((20, 30)))
    y = x / zc.sum(zc.exp(x), axis=1, keepdims=True)
    brief = y.explain(brief=True)
    assert brief == zc.explain(y, format="brief") and brief == y.explain("brief", brief=True)
    assert [line.split()[1] for line in brief.splitlines()[3:]] == ["sum", "divide"]
    with pytest.raises(ValueError, match="brief=True"):
        y.explain("json", brief=True)


def test_it_is_shown_without_numpy(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "numpy", None)
    assert str(zc.asarray([[1, 2], [3, 4]])) == "[[1, 2], [3, 4]]"
    assert "..." in str(zc.arange(10**6)) and "999999" in str(zc.arange(10**6))


def test_gradients():
    a = np.linspace(-1, 1, 12).reshape(3, 4)
    x = zc.asarray(a)
    np.testing.assert_allclose(np.asarray(zc.grad(zc.sum(zc.sin(x) ** 2), x)), 2 * np.sin(a) * np.cos(a))
    loss = lambda w, b: zc.mean((x @ w + b) ** 2)  # noqa: E731
    w, b = zc.ones(4), zc.zeros(())
    gw, gb = zc.grad(loss, argnums=(0, 1))(w, b)
    np.testing.assert_allclose(np.asarray(gw), 2 * (a.sum(1)[:, None] * a).mean(0))
    np.testing.assert_allclose(float(gb), 2 * a.sum(1).mean())
    np.testing.assert_allclose(np.asarray(zc.grad(loss)(w, b)), np.asarray(gw))
    assert [g.tolist() for g in zc.vjp(x * 2, [x], zc.ones((3, 4)) * 3)] == [[[6.0] * 4] * 3]
    with pytest.raises(TypeError):
        zc.grad(zc.arange(3), zc.arange(3))


def test_dialects():
    x = zc.asarray([1, 2, 3])
    assert zc.tf.broadcast_to(x, (2, 3)).tolist() == [[1, 2, 3]] * 2
    assert zc.mindspore.broadcast_to(x, (2, -1)).shape == (2, 3)
    assert zc.ngraph.broadcast(x, (3, 2), [1]).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert zc.ngraph.broadcast_like(x, zc.zeros((2, 3)), [0]).shape == (2, 3)
    assert zc.xla.broadcast(x, (2,)).shape == (2, 3)
    assert zc.xla.broadcast_in_dim(x, (3, 2), [0]).shape == (3, 2)
    assert zc.stablehlo.broadcast_in_dim(zc.zeros((1, 3)), (2, 3, 2), [2, 1]).shape == (2, 3, 2)
    assert zc.torch.expand(x, (2, -1)).shape == (2, 3)
    assert zc.onnx.expand(zc.zeros((3, 1)), (2, 1, 6)).shape == (2, 3, 6)
    assert zc.openvino.broadcast(x, (2, 3)).shape == (2, 3)
    assert zc.openvino.broadcast(zc.zeros(16), (1, 16, 5), [1], "explicit").shape == (1, 16, 5)
    a = zc.asarray([[1, 2, 3], [4, 5, 6]])
    assert zc.xla.add(a, zc.asarray([7, 8, 9]), [1]).tolist() == [[8, 10, 12], [11, 13, 15]]
    assert [zc.xla.and_(6, zc.asarray(3)).item(), zc.xla.lt(a, a)[0, 0].item()] == [2, False]
    with pytest.raises(ValueError, match="tf.broadcast_to"):
        zc.tf.broadcast_to(zc.zeros(2), (2, 1))
    with pytest.raises(AttributeError):
        zc.jax  # noqa: B018


def test_dtypes():
    assert zc.result_type(zc.int8, zc.uint8) is zc.int16 and zc.result_type(zc.float32, 1) is zc.float32
    assert zc.can_cast(zc.int8, zc.int16) and not zc.can_cast(zc.float64, zc.float32)
    assert zc.isdtype(zc.uint8, "integral") and zc.isdtype(zc.uint8, (zc.float32, "unsigned integer"))
    assert zc.finfo(zc.float32).max == np.finfo(np.float32).max and zc.iinfo("int8").min == -128
    assert zc.finfo(zc.complex128).eps == np.finfo(float).eps
    for name in ("float32", "int8", "bool"):
        dtype = getattr(zc, name)
        assert dtype == np.dtype(name) and np.dtype(dtype) == name and dtype == name and dtype != "complex64"
        assert zc.zeros(1, dtype=np.dtype(name)).dtype is dtype is zc.zeros(1, dtype=getattr(np, name)).dtype
    with pytest.raises(ValueError):
        zc.isdtype(zc.int8, "text")
