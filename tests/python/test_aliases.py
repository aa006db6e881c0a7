"""Views share the elements that they show: what a write changes, who sees it, and what stays as it was."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest

import zerocast as zc


def both(shape=(3, 4), dtype="float64"):
    a = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    return a, zc.asarray(a.copy())


def test_an_argument_is_changed_for_the_caller():
    def change(x):
        x += 1
        x[0] *= 2
        for row in x:
            row -= row[0]
        x.shape = (x.shape[0] * x.shape[1],)

    a, x = both()
    before = x * 1
    row = x[1]
    change(a), change(x)
    assert x.shape == a.shape == (12,) and x.tolist() == a.tolist() and row.tolist() == a[4:8].tolist()
    assert before.tolist() == both()[0].tolist()


def test_elements_are_values():
    a, x = both((5,))
    for v in (a, x):
        kept = v[1]
        v[1], v[2] = v[2], v[1]
        v[3] += kept
        assert kept == 1
        first, *_ = v  # iterating gives values
        first += 10
        total = v.sum()
        old = total
        total += 1.5
        assert total == old + 1.5
    assert x.tolist() == a.tolist()
    n = zc.asarray([1, 2])
    n[0] += 1.75  # a value of its own dtype, which is assigned
    assert n.tolist() == [2, 2]
    scalar = zc.asarray(3)
    same = scalar
    same += 1
    assert scalar.item() == 4


def test_base_is_the_owner():
    _, x = both()
    assert x.base is None and x[1:].base is x and x[1:].T[0].reshape(1, 2).base is x
    assert x.copy().base is None and (x + 1).base is None and x[[0]].base is None and x[1, 2].base is None
    assert x.T.ravel().base is None and x.ravel().base is x and x.flatten().base is None
    y = x[2:].T
    del x
    assert y.base.shape == (3, 4)


def test_parts_of_complex_elements_are_views():
    a = np.arange(6.0) + 1j
    x = zc.asarray(a.copy())
    for v in (a, x):
        v.real[1:3] = 7
        v.imag += v.real
        v[::2].imag[[0, 1]] = -1
        v.real *= 2
        v.imag[4] += 3
    np.testing.assert_array_equal(np.asarray(x), a)
    assert np.shares_memory(x.real, x) and not np.shares_memory(x.real, x.imag) and np.shares_memory(x.imag, x[3:])
    with pytest.raises(ValueError, match="read-only"):
        zc.asarray([1.0, 2.0]).imag[0] = 1
    r = zc.asarray([1.0, 2.0])
    r.real[0] = 5
    assert r.tolist() == [5, 2]


READ_ONLY = {
    "broadcast_to": lambda x: zc.broadcast_to(x, (2, *x.shape)),
    "diagonal": lambda x: x.diagonal(),
    "windows": lambda x: zc.sliding_window_view(x, (2,), axis=0),
    "a view of one": lambda x: zc.broadcast_to(x, (2, *x.shape))[0],
    "broadcast_arrays": lambda x: zc.broadcast_arrays(x, zc.ones((2, 1, 1)))[0],
    "expand": lambda x: __import__("zerocast.torch").torch.expand(x, (2, 3, 3)),
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_what_repeats_elements_is_read_only_and_shares(name):
    _, x = both((3, 3))
    shown = READ_ONLY[name](x)
    with pytest.raises(ValueError, match="assignment destination is read-only: .* in the array that they are of"):
        shown[0] = 1
    with pytest.raises(ValueError, match="output array is read-only"):
        shown += 1
    with pytest.raises(ValueError, match="read-only"):
        np.add(shown, 1, out=shown)
    with pytest.raises(ValueError, match="read-only"):
        shown.fill(1)
    x += 10
    np.testing.assert_array_equal(np.asarray(shown), np.asarray(READ_ONLY[name](zc.asarray(np.asarray(x)))))


def test_arrays_that_are_made_are_written_to():
    """Also those whose elements repeat in memory: nobody else shows them."""
    made = [zc.zeros((3, 2)), zc.full((3, 2), 7.0), zc.ones_like(zc.zeros((3, 2))), zc.empty((3, 2)), zc.linspace(0, 1, 3)]
    made += [zc.eye(3), zc.arange(3), copy.deepcopy(zc.zeros((3, 2))), zc.meshgrid(zc.arange(3), zc.arange(2))[0]]
    for x in made:
        a = np.array(x)
        x[1:] += 1
        a[1:] += 1
        assert x.base is None and x.tolist() == a.tolist()


def test_refusals_leave_everything_as_it_is():
    a, x = both((3,), "int64")
    view = x[::-1]
    for change, error in [
        (lambda v: v.__iadd__(1.5), TypeError),
        (lambda v: v.__itruediv__(2), TypeError),
        (lambda v: v.__iadd__(np.ones((2, 3), int) if v is a else zc.ones((2, 3), dtype=zc.int64)), ValueError),
        (lambda v: v.__setitem__(7, 1), IndexError),
        (lambda v: v.__setitem__(slice(0, 2), [1, 2, 3]), ValueError),
        (lambda v: v.__setitem__(0, 2**70), OverflowError),
        (lambda v: v.__setitem__(0, 1j), TypeError),
        (lambda v: setattr(v[::2], "shape", (3,)), ValueError),
    ]:
        for v in (a, x):
            with pytest.raises(error):
                change(v)
    with pytest.raises(TypeError, match="cannot be deleted"):
        del x[0]
    with pytest.raises(AttributeError, match="do not lie in order"):
        y = zc.ones((2, 3)).T
        y.shape = (6,)
    assert x.tolist() == [0, 1, 2] and view.tolist() == [2, 1, 0]


def test_a_lost_write_is_told_once_per_place():
    _, x = both()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(3):
            x[x > 3][0] = 1  # lost
        x[[0, 1]][0] = 5  # lost
        x.T.reshape(-1)[0] = 5  # lost
        x[[0, 1]][0][2:] += 5  # lost
        x[[0, 1]] += 1
        x[x > 3] = 2
        y = x[[0, 1]]
        y[0] = 1
        del y
        x[0][0] = 1
        x[1:][0][1] = 2
        (x + 1)[0] = 2  # NumPy's programs do that to test what is refused
    assert [w.category for w in told] == [zc.LostWriteWarning] * 4
    assert len({w.lineno for w in told}) == 4 and all(w.filename == __file__ for w in told)


def test_exports_do_not_change():
    _, x = both()
    row = x[1]
    shown, memory, lists = np.asarray(row), memoryview(bytes(x)), x.tolist()
    exported = np.from_dlpack(row)
    pickled = pickle.dumps([x, row])
    x += 100
    row[0] = 7
    assert shown.tolist() == exported.tolist() == lists[1] == [4, 5, 6, 7] and not shown.flags.writeable
    assert bytes(memory) == np.arange(12.0).tobytes()
    y, other = pickle.loads(pickled)
    y[1] = 0
    assert other.tolist() == [4, 5, 6, 7]  # pickles keep no alias
    assert np.asarray(row).tolist() == [7, 105, 106, 107] == x[1].tolist()
    z, w = copy.copy(x), copy.deepcopy(row)
    z[0], w[0] = 1, 1
    assert x[0, 0].item() == 100 and row[0].item() == 7


def test_gradients_have_elements_of_their_own():
    x = zc.asarray([1.0, 2.0, 3.0])

    def f(v):
        v[1:] *= v[0]
        row = v[:2]
        row += 1
        return zc.sum(v * v)

    assert zc.grad(f)(x).tolist() == pytest.approx([34.0, 6.0, 6.0])  # (a + 1)^2 + (ab + 1)^2 + (ac)^2 in a, b, c
    assert x.tolist() == [1, 2, 3]
    y = zc.variable(x)
    seen = y[1:]
    z = zc.sum(seen * seen)
    assert zc.grad(z, y).tolist() == [0, 4, 6]


def test_threads_write_through_one_owner():
    """No write is lost: each thread has elements of its own."""
    count, steps = 8, 60
    x = zc.zeros((count, 5))
    failures = []
    start = threading.Barrier(count)

    def work(k):
        try:
            start.wait()
            row = x[k] if k % 2 else x.T[:, k]
            for i in range(steps):
                if i % 3 == 0:
                    row += 1
                elif i % 3 == 1:
                    x[k, i % 5] = i
                else:
                    row[1:] = x[k, :-1]
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    a = np.zeros(5)
    for i in range(steps):
        if i % 3 == 0:
            a += 1
        elif i % 3 == 1:
            a[i % 5] = i
        else:
            a[1:] = a[:-1].copy()
    assert not failures
    np.testing.assert_array_equal(np.asarray(x), np.tile(a, (count, 1)))


def test_settings_are_no_border():
    _, x = both()
    row = x[1]
    with zc.config(threads=1):
        row += 1
        inner = x[:, 0]
        inner[0] = 50
    inner[2] = 60
    assert x.tolist() == [[50, 1, 2, 3], [5, 6, 7, 8], [60, 9, 10, 11]]


def test_a_budget_that_refuses_a_write_loses_nothing():
    with zc.config(memory_limit="64K"):
        x = zc.zeros(1000)
        x[0] = 1
        view = x[::2]
        view[1] = 2
        with pytest.raises(zc.BudgetError):
            np.asarray(zc.concat([x] * 20) + zc.arange(20000))
        view += 1
        assert x[:4].tolist() == [2, 0, 3, 0]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), ()])
def test_arrays_of_no_elements_or_one(shape):
    a, x = both(shape)
    for v in (a, x):
        v[...] = 5
        w = v[...]
        w += 1
        v.T[...] *= 2
        v.reshape(-1)[:] += 1
    assert x.tolist() == a.tolist()


def test_writes_of_all_elements_copy_none():
    """What takes the place of all is the values themselves, whatever they are."""
    x = zc.zeros((1000, 1000))
    part, whole = x[::2], x[:]
    with zc.config(memory_limit="1M"):
        x[...] = 7
        whole[...] = 8.0
        assert part[3, 3].item() == 8


def test_numpy_functions_share_as_numpys_do():
    a, x = both()
    texts = """np.transpose(x)[0] = 1   np.squeeze(x[:, None])[0] = 2   np.ravel(x)[3] = 3   np.reshape(x, (4, 3))[1] = 4
    np.moveaxis(x, 0, 1)[2] = 5   np.swapaxes(x, 0, 1)[1] = 6   np.flip(x, 1)[2] = 7   np.expand_dims(x, 0)[0, 1] = 8
    np.split(x, 2, axis=1)[1][:] = 9   np.rot90(x)[0] = 10   np.real(x)[1] = 11   np.matrix_transpose(x)[3] = 12
    np.unstack(x)[2][1] = 13   np.atleast_3d(x)[1] = 14   np.add(x, 1, out=x[:])   np.copyto(x[1:], 3)
    x.sort(0)   x[1].sort()"""
    for text in (part.strip() for line in texts.splitlines() for part in line.split("   ") if part.strip()):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*not in zerocast")
            for v in (a, x):
                exec(text, {"np": np, "x": v})
        np.testing.assert_array_equal(np.asarray(x), a, err_msg=text)


SHARING = """x[:]   x[1:, ::2]   x[None]   x[..., 1]   x[1]   x[[0, 1]]   x[x > 2]   x[1:][[0]]   x.T   x.copy()   x.flatten()   x.ravel()
x.T.ravel()   x[:, ::2].ravel()   x[::2].reshape(-1)   x[:, ::2].reshape(3, 1, 2)   x.T.reshape(-1)   x.reshape(2, 6)   x.T.reshape(4, 3, 1)
x.reshape(6, 2, order="F")   x.T.ravel("F")   x.ravel("F")   x.astype("f8")   x.astype("f8", copy=False)   x.astype("f4", copy=False)
x.conj()   np.conj(x)   x.real   np.clip(x, None, None)   np.clip(x, -9, 99)   x.clip(-9, 99)   np.copy(x)   np.astype(x, x.dtype)
np.concatenate([x])   np.stack([x])   np.roll(x, 0)   np.roll(x, 0, axis=0)   np.tile(x, 1)   np.repeat(x, 1, axis=0)   np.pad(x, 0)
np.round(x)   np.positive(x)   np.where(x > 0, x, x)   np.triu(x)   np.squeeze(x)   np.expand_dims(x, 0)   np.broadcast_to(x, (2, 3, 4))
np.broadcast_to(x, (3, 4))   np.broadcast_arrays(x, x[0])[0]   np.broadcast_arrays(x, x[0])[1]   np.meshgrid(x[0], x[1])[0]
np.moveaxis(x, 0, 1)   np.rot90(x, 4)   np.rot90(x)   np.flip(x, ())   np.flip(x)   np.diagonal(x)   np.split(x, [1])[1]   np.unstack(x)[1]
np.take(x, [0], axis=0)   np.ravel(x)   np.ravel(x.T)   np.reshape(x, (4, 3))   np.transpose(x)   np.swapaxes(x, 0, 1)   np.sort(x)
np.diff(x, n=0)   np.real(x)   np.atleast_3d(x)   np.atleast_1d(x)   np.add(x, 0)   x + 0   x.sum(keepdims=True)   np.maximum(x, x)
np.matrix_transpose(x)   np.lib.stride_tricks.sliding_window_view(x, 2, axis=0)   x.swapaxes(0, 1)   x.take([1])   x.diagonal(1)   x.squeeze()"""  # noqa: E501


@pytest.mark.parametrize("text", [part.strip() for line in SHARING.splitlines() for part in line.split("   ")])
def test_the_functions_that_share_are_numpys(text):
    a, x = both()
    theirs, ours = (eval(text, {"np": np, "x": v}) for v in (a, x))
    np.testing.assert_array_equal(np.asarray(ours), theirs)
    assert np.shares_memory(ours, x) == np.may_share_memory(ours, x) == np.shares_memory(theirs, a)
    x += 1
    np.testing.assert_array_equal(np.asarray(ours), theirs + np.shares_memory(theirs, a))
