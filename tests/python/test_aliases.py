"""Views share the elements that they show: what a write changes, who sees it, and what stays as it was."""

import copy
import os
import pickle
import random
import threading
import warnings

import numpy as np
import pytest

import zerocast as zc

# ---- Random programs beside NumPy's ----

PROGRAMS = 300 * int(os.environ.get("ZC_TEST_SCALE", 1))
DTYPES = ["int64", "float64", "complex128", "int32", "float32"]


def a_slice(r, n):
    bound = lambda: r.choice([None, r.randint(-n - 1, n + 1)])  # noqa: E731
    return slice(bound(), bound(), r.choice([None, 1, 1, -1, 2, -2]))


def a_basic_key(r, shape, full=False):
    """Full: integers for all axes. Others give no scalar."""

    def part(n):
        return r.randrange(-n, n) if n and (full or r.random() < 0.4) else a_slice(r, n)

    if full:
        return tuple(map(part, shape))
    named = r.randint(0, len(shape))
    before = r.randint(0, named)
    key = [*map(part, shape[:before]), ..., *map(part, shape[len(shape) - named + before :])]
    if before == named and any(isinstance(one, slice) for one in key) and r.random() < 0.7:
        key.remove(...)
    if r.random() < 0.3:
        key.insert(r.randint(0, len(key)), None)
    return tuple(key) if len(key) != 1 or r.random() < 0.5 else key[0]


def a_fancy_key(r, a):
    """With arrays that name no element twice, where the last one written stays in NumPy by its whim."""
    if r.random() < 0.4:
        return np.asarray(np.random.default_rng(r.randrange(2**32)).random(a.shape) < 0.5)
    key = [a_slice(r, n) for n in a.shape]
    axis = r.randrange(a.ndim)
    key[axis] = np.array(r.sample(range(a.shape[axis]), r.randint(0, a.shape[axis])), dtype=np.int64)
    return tuple(key)


def ours(key):
    if isinstance(key, tuple):
        return tuple(map(ours, key))
    return zc.asarray(key.copy()) if isinstance(key, np.ndarray) else key


def in_order(a):
    """Copies and results of NumPy's may lie in another order, which decides about later reshapes; ours never do."""
    return np.array(a, order="C")


def divisors(r, n):
    factor = r.choice([d for d in range(1, n + 1) if n % d == 0]) if n else 0
    return r.choice([(-1,), (factor, n // factor) if n else (0, 2), (1, n), (n, 1)])


VIEWS = {
    "key": lambda r, a: (lambda k: lambda xp, x: x[k])(a_basic_key(r, a.shape)),
    "whole": lambda r, a: lambda xp, x: x[...],
    "T": lambda r, a: lambda xp, x: x.T,
    "permute": lambda r, a: (lambda p: lambda xp, x: xp.permute_dims(x, p))(tuple(r.sample(range(a.ndim), a.ndim))),
    "transpose": lambda r, a: (lambda p: lambda xp, x: x.transpose(p))(tuple(r.sample(range(a.ndim), a.ndim))),
    "expand": lambda r, a: (lambda k: lambda xp, x: xp.expand_dims(x, axis=k))(r.randint(0, a.ndim)),
    "squeeze": lambda r, a: lambda xp, x: x.squeeze(),
    "flip": lambda r, a: (lambda k: lambda xp, x: xp.flip(x, axis=k))(r.choice([None, *range(a.ndim)])),
    "reshape": lambda r, a: (lambda s: lambda xp, x: x.reshape(s))(divisors(r, a.size)),
    "reshape F": lambda r, a: (lambda s: lambda xp, x: x.reshape(s, order="F"))(divisors(r, a.size)),
    "ravel": lambda r, a: lambda xp, x: x.ravel(),
    "flatten": lambda r, a: lambda xp, x: x.flatten(),
    "swapaxes": lambda r, a: (lambda i, j: lambda xp, x: x.swapaxes(i, j))(r.randrange(a.ndim), r.randrange(a.ndim)),
    "moveaxis": lambda r, a: (lambda i, j: lambda xp, x: xp.moveaxis(x, i, j))(r.randrange(a.ndim), r.randrange(a.ndim)),
    "rot90": lambda r, a: (lambda k: lambda xp, x: xp.rot90(x, k=k))(r.randint(-1, 3)),
    "real": lambda r, a: lambda xp, x: x.real,
    "imag": lambda r, a: lambda xp, x: x.imag,
    "broadcast": lambda r, a: (lambda n: lambda xp, x: xp.broadcast_to(x, (n, *x.shape)))(r.randint(1, 2)),
    "diagonal": lambda r, a: (lambda k: lambda xp, x: x.diagonal(k))(r.randint(-1, 1)),
    "windows": lambda r, a: lambda xp, x: xp.lib.stride_tricks.sliding_window_view(x, min(2, x.shape[0]), axis=0),
    "split": lambda r, a: (lambda k: lambda xp, x: xp.split(x, [k], axis=0)[1])(r.randint(0, a.shape[0])),
    "rows": lambda r, a: (lambda k: lambda xp, x: list(x)[k])(r.randrange(a.shape[0])),
    "unstack": lambda r, a: (lambda k: lambda xp, x: xp.unstack(x)[k])(r.randrange(a.shape[0])),
    "fancy": lambda r, a: (lambda k: lambda xp, x: x[k if xp is np else ours(k)])(a_fancy_key(r, a)),
    "copy": lambda r, a: lambda xp, x: x.copy(),
    "copy.copy": lambda r, a: lambda xp, x: copy.copy(x),
    "deepcopy": lambda r, a: lambda xp, x: copy.deepcopy(x),
    "pickle": lambda r, a: lambda xp, x: pickle.loads(pickle.dumps(x)),
    "result": lambda r, a: lambda xp, x: x + 1,
}
COPIES = {"fancy", "copy.copy", "deepcopy", "pickle", "result"}
AT_LEAST = {"flip": 1, "swapaxes": 1, "moveaxis": 1, "rot90": 2, "diagonal": 2, "windows": 1, "split": 1, "rows": 2, "unstack": 2, "fancy": 1}  # fmt: skip


class Both:
    """An array of NumPy's and ours, which have to stay the same."""

    def __init__(self, a, x):
        self.a, self.x = a, x


class Program:
    def __init__(self, r):
        self.r = r
        self.log = []
        self.arrays = []
        self.results = []  # NumPy's elements, and ours that are still to be computed
        self.make()

    def pick(self):
        return self.r.choice(self.arrays)

    def make(self):
        r = self.r
        shape = tuple(r.choice([1, 2, 3, 3, 4, 0] if r.random() < 0.1 else [1, 2, 3, 4]) for _ in range(r.randint(0, 3)))
        dtype = r.choice(DTYPES)
        kind = r.choice(["asarray", "zeros", "full", "computed", "strided", "turned"])
        a = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
        if dtype == "complex128":
            a = np.asarray(a + 1j * (a + 1))
        if kind == "zeros":
            a, x = np.zeros(shape, dtype), zc.zeros(shape, dtype=dtype)
        elif kind == "full":
            a, x = np.full(shape, 3, dtype), zc.full(shape, 3, dtype=dtype)
        elif kind == "computed":
            x = (zc.asarray(a.copy().reshape(1, *shape)) + 0)[0, ...]
        elif kind == "strided":  # another library's memory, not in order
            x = zc.asarray(np.repeat(a[None], 2, 0).T.copy().T[0, ...])
        elif kind == "turned":
            x = zc.asarray(np.array(a, order="F"))
        else:
            x = zc.asarray(a.copy())
        self.log.append(f"{kind} {dtype} {shape}")
        self.arrays.append(Both(a, x))

    def view(self):
        one = self.pick()
        name = self.r.choice(list(VIEWS))
        if one.a.ndim < AT_LEAST.get(name, 0) or (name in ("rows", "unstack") and one.a.shape[0] == 0):
            return
        if name == "windows" and one.a.shape[0] == 0:
            return
        if name == "imag" and one.a.dtype.kind != "c" or one.a.size > 200:
            return
        make = VIEWS[name](self.r, one.a)
        self.log.append(f"{len(self.arrays)} = {name} of {self.arrays.index(one)}")
        a, x = make(np, one.a), make(zc, one.x)
        a = a[...] if a is one.a else a  # squeeze() of no axis
        assert a.shape == x.shape
        if isinstance(a, np.ndarray):  # no scalar, which does not change
            self.arrays.append(Both(in_order(a) if name in COPIES else a, x))

    def value_for(self, shape, dtype):
        """Both an element, an array that broadcasts to the shape, or another one that happens to have it."""
        r = self.r
        fitting = [b for b in self.arrays if b.a.shape == shape and np.can_cast(b.a.dtype, dtype, "same_kind")]
        if fitting and r.random() < 0.5:
            one = r.choice(fitting)
            return one.a, one.x
        if r.random() < 0.5:
            number = r.randint(-5, 5)
            return number, number
        sizes = [n if r.random() < 0.7 else 1 for n in shape][r.randint(0, len(shape)) :]
        a = np.array([r.randint(-9, 9) for _ in range(int(np.prod(sizes)))]).reshape(sizes).astype(dtype)
        return a, zc.asarray(a.copy())

    def attempt(self, text, theirs, mine):
        """Both do it, or both refuse it."""
        self.log.append(text)
        refused = []
        for act in (theirs, mine):
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message=".*not in zerocast")
                    warnings.simplefilter("ignore", zc.LostWriteWarning)
                    act()
                refused.append(None)
            except (ValueError, TypeError, IndexError) as error:
                refused.append(error)
        assert (refused[0] is None) == (refused[1] is None), refused

    def assign(self):
        one, r = self.pick(), self.r
        if one.a.ndim == 0 or r.random() < 0.6:
            key = a_basic_key(r, one.a.shape, full=r.random() < 0.3 and 0 not in one.a.shape)
        else:
            key = a_fancy_key(r, one.a)
        value, mine = self.value_for(one.a[key].shape, one.a.dtype)
        if isinstance(key, np.ndarray) and np.shares_memory(one.a, value):
            return  # NumPy reads what it has already written

        def theirs():
            one.a[key] = value

        def ours_():
            one.x[ours(key)] = mine

        self.attempt(f"{self.arrays.index(one)}[{key}] = {value!r}", theirs, ours_)

    def operate(self):
        one, r = self.pick(), self.r
        name = r.choice(["__iadd__", "__isub__", "__imul__"])
        key = None if r.random() < 0.4 else a_basic_key(r, one.a.shape) if r.random() < 0.6 or one.a.ndim == 0 else a_fancy_key(r, one.a)
        value, mine = self.value_for(one.a.shape if key is None else one.a[key].shape, one.a.dtype)

        def change(x, key, value):
            if key is None:
                getattr(x, name)(value)
            else:  # x[key] += value
                part = x[key]
                part = getattr(part, name)(value)
                x[key] = part

        self.attempt(
            f"{self.arrays.index(one)}[{key}] {name} {value!r}",
            lambda: change(one.a, key, value),
            lambda: change(one.x, ours(key), mine),
        )

    def refused(self):
        one, r = self.pick(), self.r
        if one.a.ndim == 0:
            return
        value = r.choice([1.5, 1j, np.ones((2, *one.a.shape))])
        self.attempt(
            f"{self.arrays.index(one)} += {value!r}",
            lambda: one.a.__iadd__(value),
            lambda: one.x.__iadd__(zc.asarray(value) if isinstance(value, np.ndarray) else value),
        )

    def other_write(self):
        one, r = self.pick(), self.r
        at = self.arrays.index(one)
        value, mine = self.value_for(one.a.shape, one.a.dtype)
        kind = r.choice(["out", "fill", "sort", "at", "copyto", "swap", "swap rows", "rows", "shape"])
        if kind == "out":
            self.attempt(
                f"add to {at}", lambda: np.add(one.a, value, out=one.a), lambda: np.add(one.x, mine, out=one.x)
            )  # fmt: skip
        elif kind == "fill":
            self.attempt(f"fill {at}", lambda: one.a.fill(4), lambda: one.x.fill(4))
        elif kind == "sort" and one.a.ndim and one.a.dtype.kind != "c":
            self.attempt(f"sort {at}", lambda: one.a.sort(axis=0), lambda: one.x.sort(axis=0))
        elif kind == "at" and one.a.ndim and one.a.shape[0] and one.a.flags.writeable:  # which NumPy does not look at
            key = [r.randrange(one.a.shape[0]) for _ in range(3)]
            self.attempt(f"add.at {at} {key}", lambda: np.add.at(one.a, key, 2), lambda: np.add.at(one.x, key, 2))
        elif kind == "copyto" and one.a.size and not np.shares_memory(one.a, value):  # NumPy looks away where they are one
            self.attempt(f"copyto {at} {value!r}", lambda: np.copyto(one.a, value), lambda: np.copyto(one.x, mine))
        elif kind == "swap" and one.a.ndim and 0 not in one.a.shape:
            i, j = (a_basic_key(r, one.a.shape, full=True) for _ in range(2))

            def swap(x):
                kept = x[i]
                x[i] = x[j]
                x[j] = kept

            self.attempt(f"swap {i} and {j} of {at}", lambda: swap(one.a), lambda: swap(one.x))
        elif kind == "swap rows" and one.a.ndim and one.a.shape[0]:
            i, j = (r.randrange(one.a.shape[0]) for _ in range(2))

            def swap_rows(x):
                x[[i, j]] = x[[j, i]]

            if i != j:
                self.attempt(f"swap rows {i} and {j} of {at}", lambda: swap_rows(one.a), lambda: swap_rows(one.x))
        elif kind == "rows" and one.a.ndim > 1:

            def change_rows(x):
                for k, row in enumerate(x):
                    row += k

            self.attempt(f"rows of {at}", lambda: change_rows(one.a), lambda: change_rows(one.x))
        elif kind == "shape" and one.a.size:
            sizes = divisors(r, one.a.size)

            def reshape(x):
                try:
                    x.shape = sizes
                except AttributeError as error:
                    raise ValueError from error

            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                self.attempt(f"shape of {at} is {sizes}", lambda: reshape(one.a), lambda: reshape(one.x))

    def keep(self):
        """A result that is recorded now, and computed in the end."""
        one = self.pick()
        self.results.append((one.a + one.a, one.x + one.x))

    def look(self):
        one = self.pick()
        np.testing.assert_array_equal(np.asarray(one.x), one.a)

    def run(self):
        steps = [self.view] * 4 + [self.assign] * 3 + [self.operate] * 2 + [self.other_write, self.keep, self.look, self.make, self.refused]
        for _ in range(self.r.randint(3, 14)):
            self.r.choice(steps)()
        for i, one in enumerate(self.arrays):
            assert one.x.shape == one.a.shape and str(one.x.dtype) == str(one.a.dtype), i
            np.testing.assert_array_equal(np.asarray(one.x), one.a, err_msg=f"array {i}")
        for theirs, mine in self.results:
            np.testing.assert_array_equal(np.asarray(mine), theirs, err_msg="what was recorded before")
        for _ in range(4):
            one, other = self.pick(), self.pick()
            assert np.shares_memory(one.x, other.x) == np.shares_memory(one.a, other.a), (
                "shares", self.arrays.index(one), self.arrays.index(other),
            )  # fmt: skip


def test_random_programs():
    seed = int(os.environ.get("ZC_TEST_SEED", random.randrange(10**9)))
    print(f"seed {seed}")
    for n in range(PROGRAMS):
        program = Program(random.Random(f"{seed} {n}"))
        try:
            program.run()
        except Exception as error:
            raise AssertionError(f"seed {seed}, program {n}:\n" + "\n".join(program.log)) from error


# ---- What is said in words ----


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
    for x in (zc.zeros((3, 2)), zc.full((3, 2), 7.0), zc.ones_like(zc.zeros((3, 2))), zc.empty((3, 2)), zc.linspace(0, 1, 3),
              zc.eye(3), zc.arange(3), copy.deepcopy(zc.zeros((3, 2))), zc.meshgrid(zc.arange(3), zc.arange(2))[0]):  # fmt: skip
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
    np.unstack(x)[2][1] = 13   np.atleast_3d(x)[1] = 14   np.add(x, 1, out=x[:])   np.copyto(x[1:], 3)   x.sort(0)   x[1].sort()"""
    for text in (part.strip() for line in texts.splitlines() for part in line.split("   ") if part.strip()):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*not in zerocast")
            for v in (a, x):
                exec(text, {"np": np, "x": v})
        np.testing.assert_array_equal(np.asarray(x), a, err_msg=text)
