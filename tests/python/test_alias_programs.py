"""Random programs of views and writes, with NumPy's beside them: the same elements in the end, and the same that are shared."""

import copy
import os
import pickle
import random
import warnings

import numpy as np

import zerocast as zc

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
AT_LEAST = {"flip": 1, "swapaxes": 1, "moveaxis": 1, "windows": 1, "split": 1, "fancy": 1}  # axes
AT_LEAST |= {"rot90": 2, "diagonal": 2, "rows": 2, "unstack": 2}


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
        key = None
        if r.random() < 0.6:
            key = a_basic_key(r, one.a.shape) if r.random() < 0.6 or one.a.ndim == 0 else a_fancy_key(r, one.a)
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
        steps = [self.view] * 4 + [self.assign] * 3 + [self.operate] * 2
        steps += [self.other_write, self.keep, self.look, self.make, self.refused]
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
