"""Writes the type stubs of what is made from tables: python/zerocast/_core.pyi and __init__.pyi.

stubs.py [--check]        --check: fails where a stub is not what this would write
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python/zerocast"
LETTERS = {
    "t": "Operand",
    "?": "Operand | None",
    "T": "Sequence[Operand]",
    "s": "Sizes",
    "a": "Sizes | None",
    "e": "Sizes | None",
    "i": "int",
    "x": "int",
    "n": "Sequence[int]",
    "d": "float",
    "z": "str",
}
TEXT = "# Made by python/stubs.py from the tables of operations; see there."

CORE = """\
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from ._array import Array as _Array

Operand: TypeAlias = Any  # an array, a number, or NumPy's array
Sizes: TypeAlias = int | Sequence[int]

VERSION: str
MAX_RANK: int
DTYPES: list[tuple[str, int]]
OPERATIONS: list[str]
REDUCTIONS: list[str]

class Settings:
    def __new__(
        cls,
        memory_limit: int,
        threads: int,
        cache_limit: int,
        progress: Callable[[int, int], Any] | None,
        recompute: bool,
        /,
    ) -> Settings: ...

class Memory:
    def __buffer__(self, flags: int, /) -> memoryview: ...

class Array:
    def __new__(cls, x: Array, /) -> _Array: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __iter__(self) -> Iterator[_Array]: ...
    def __len__(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @shape.setter
    def shape(self, sizes: Sizes) -> None: ...
    @property
    def base(self) -> _Array | None: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def broadcast_axes(self) -> tuple[int, ...]: ...
    @property
    def exists(self) -> bool: ...
    def item(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> _Array: ...
    def __setitem__(self, key: Any, value: Any, /) -> None: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __complex__(self) -> complex: ...
    def __eq__(self, other: Operand, /) -> _Array: ...  # type: ignore[override]
    def __ne__(self, other: Operand, /) -> _Array: ...  # type: ignore[override]
"""

AFTER = """\
def result_type(operands: Sequence[Operand], /) -> int: ...
def varies(x: Operand, /) -> bool: ...
def cost(xs: Sequence[Operand], /) -> tuple[int, int, int, int, int, int, int]: ...
def explain(xs: Sequence[Operand], format: int, /) -> str: ...
def open(path: str | bytes, /) -> _Array: ...
def save(x: Operand, path: str | bytes, /) -> None: ...
def save_all(xs: Sequence[Operand], paths: tuple[Any, ...], /) -> None: ...
def division(xs: Sequence[Operand], extents: Sequence[int], limit: int, /) -> tuple[bytes, tuple[_Array, ...]]: ...
def pieces(graph: bytes, xs: Sequence[Operand], /) -> list[Any]: ...
def piece(graph: bytes, xs: Sequence[Operand], inputs: int, number: int, /) -> tuple[_Array, ...]: ...
def source_of(x: Array, /) -> Any: ...
def is_sourced(x: Array, /) -> bool: ...
def from_source(
    dtype: int,
    shape: Sizes,
    chunk: Sizes,
    read: Callable[[tuple[int, ...], tuple[int, ...], memoryview], Any],
    /,
) -> _Array: ...
def materialize_to(
    x: Operand, chunk: Sizes, write: Callable[[tuple[int, ...], tuple[int, ...], memoryview], Any], /
) -> None: ...
def open_members(path: str | bytes, /) -> tuple[int, tuple[str, ...], tuple[Array, ...]]: ...
def save_members(xs: Sequence[Operand], names: tuple[str, ...], path: str | bytes, /) -> None: ...
def allocator_name() -> str: ...
def memory() -> tuple[int, int, int, int, int, int, int, int]: ...
def trim() -> None: ...
def reshape(x: Operand, sizes: Sizes, /) -> _Array: ...
def real(x: Operand, /) -> _Array: ...
def imag(x: Operand, /) -> _Array: ...
def places(x: Array, /) -> _Array: ...
def shown(x: Array, /) -> _Array: ...
def write(x: Array, values: Operand, /) -> None: ...
def update_at(x: Array, places: Array, values: Operand, op: int, /) -> None: ...
def detached(x: Array, /) -> _Array: ...
def made(x: Array, /) -> _Array: ...
def lock(x: Array, /) -> None: ...
def unlock(x: Array, /) -> bool: ...
def copied(x: Array, /) -> _Array: ...
def is_contiguous(x: Array, /) -> bool: ...
def is_foreign(x: Array, /) -> bool: ...
def positions(x: Array, /) -> _Array: ...
def part(x: Array, /) -> int: ...
def from_buffer(obj: Any, /) -> _Array: ...
def from_bytes(obj: Any, dtype: int, shape: Sizes, /) -> _Array: ...
def serialize(x: Operand, /) -> tuple[bytes, tuple[_Array, ...]]: ...
def deserialize(obj: Any, inputs: Sequence[_Array], /) -> _Array: ...
def memory_of(x: Array, dense: bool, /) -> Memory: ...
def into(x: Operand, obj: Any, /) -> None: ...
def to_list(x: Array, /) -> Any: ...
def to_dlpack(x: Operand, form: int, /) -> object: ...
def from_dlpack(capsule: Any, /) -> _Array: ...
def bind(
    array: type,
    budget_error: type,
    dtypes: tuple[Any, ...],
    code_of: Any,
    convert: Any,
    blocks: Any,
    axis_error: Any,
    get: Any,
    put: Any,
    lost_write: type,
    /,
) -> None: ...
"""


def rows(path, macro):
    """The first fields of each row."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.DOTALL)
    for row in re.findall(rf"^{macro}\((.*)\)$", text, re.MULTILINE):
        yield [field.strip() for field in row.split(",")]


def operations():
    for _, name, arity, *_ in rows("runtime/ops/ops.def", "ZC_OP"):
        names = "x" if arity == "1" else ", ".join(f"x{i + 1}" for i in range(int(arity)))
        parameters = ", ".join(f"{n}: Operand" for n in names.split(", "))
        yield name, f"def {name}({parameters}, /) -> _Array: ..."


def reductions():
    for _, name, *_ in rows("runtime/ops/reductions.def", "ZC_REDUCTION"):
        yield (
            name,
            f"def {name}(x: Operand, /, *, "
            "axis: Sizes | None = None, dtype: Any = None, keepdims: bool = False) -> _Array: ...",
        )


def others():
    """The rows of the package's own tables."""
    for name, letters, *_ in rows("python/core/functions.def", "(?:RECORDS|VIEWS|SHOWS)"):
        yield name, letters.strip('"'), "_Array"
    for name, letters, count, *_ in rows("python/core/computed.def", "RETURNS"):
        yield name, letters.strip('"'), "_Array" if count == "1" else "tuple[_Array, ...]"


def core():
    lines = [TEXT, "", CORE.rstrip()]
    dunders = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
    for name in dunders:
        lines += [
            f"    def __{name}__(self, other: Operand, /) -> _Array: ...",
            f"    def __r{name}__(self, other: Operand, /) -> _Array: ...",
        ]
    lines += [f"    def __{name}__(self, other: Operand, /) -> _Array: ..." for name in ("lt", "le", "gt", "ge")]
    lines += [f"    def __{name}__(self) -> _Array: ..." for name in ("neg", "pos", "abs", "invert")]
    lines += [line for _, line in (*operations(), *reductions())]
    for name, letters, result in others():
        parameters = "".join(f"a{i}: {LETTERS[letter]}, " for i, letter in enumerate(letters))
        lines.append(f"def {name}({parameters}/) -> {result}: ...")
    return "\n".join(lines) + "\n" + AFTER


def package():
    """__init__.py as it stands, and the functions that it takes from the tables."""
    source = (PACKAGE / "__init__.py").read_text()
    imports = re.findall(r"^from \._(?!core).*?(?:\(\n.*?\n\)|$)", source, re.MULTILINE | re.DOTALL)
    written = "".join((PACKAGE / name).read_text() for name in ("_functions.py", "_rearranging.py"))
    defined = set(re.findall(r"^def (\w+)", written, re.MULTILINE))
    lines = [TEXT, ""]
    taken = [name for name, _ in (*operations(), *reductions()) if name not in defined]
    modules = re.findall(r'"(\w+)"', "".join(re.findall(r"^_(?:DIALECTS|MODULES) = \((.*?)\)", source, re.MULTILINE)))
    lines += [re.sub(r"^(    )?(\w+),$", r"\1\2 as \2,", one, flags=re.MULTILINE) for one in imports]
    lines = [
        re.sub(
            r"import can_cast, finfo, iinfo, isdtype, result_type",
            "import can_cast as can_cast, finfo as finfo, iinfo as iinfo, isdtype as isdtype, result_type as result_type",
            line,
        )
        for line in lines
    ]
    lines += [f"from . import {name} as {name}" for name in modules]
    lines += [f"from ._core import {name} as {name}" for name in (*taken, "allocator_name")]
    lines += ["", "__version__: str", "__array_api_version__: str", "_API_VERSIONS: tuple[str, ...]"]
    lines += ["e: float", "inf: float", "nan: float", "pi: float", "newaxis: None", "bool: DType"]
    return "\n".join(lines) + "\n"


def main(checks):
    stale = []
    for path, text in ((PACKAGE / "_core.pyi", core()), (PACKAGE / "__init__.pyi", package())):
        if checks and (not path.exists() or path.read_text() != text):
            stale.append(path.name)
        elif not checks:
            path.write_text(text)
    for name in stale:
        print(f"{name} is not what the tables say; mend it with python/stubs.py")
    return len(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--check"]))
