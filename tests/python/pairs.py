"""The programs of docs/pairs.md: run(name, n, namespace) runs one, with zerocast or, as the page says, with the same lines
in NumPy. As a command it writes the page's table:

    pairs.py [N]
"""

import contextlib
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs/pairs.md"
BEGIN, END = "<!-- made by tests/python/pairs.py -->\n", "<!-- ends -->"


def programs() -> dict[str, str]:
    """The page's programs by their first lines; the one without a name is what all begin with."""
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return {re.match(r"(?:# (.*))?", text).group(1) or "": text for text in found}  # type: ignore[union-attr]


class NumPy:
    """NumPy under the names that the page uses: compute() gives what there is already."""

    def __getattr__(self, name: str) -> Any:
        import numpy as np

        return getattr(np, name)

    @staticmethod
    def config(recompute: bool) -> Any:
        return contextlib.nullcontext()

    @staticmethod
    def compute(*arrays: Any) -> tuple[Any, ...]:
        return arrays

    @staticmethod
    def top_k(x: Any, k: int, mode: str) -> tuple[Any, Any]:
        import numpy as np

        assert mode == "smallest"
        some = np.argpartition(x, k, axis=1)[:, :k]
        order = np.take_along_axis(some, np.argsort(np.take_along_axis(x, some, 1), axis=1, kind="stable"), 1)
        return np.take_along_axis(x, order, 1), order

    @staticmethod
    def softmax(x: Any, axis: int) -> Any:
        import numpy as np

        e = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return e / np.sum(e, axis=axis, keepdims=True)

    @staticmethod
    def logsumexp(x: Any, axis: int) -> Any:
        import numpy as np

        most = np.max(x, axis=axis, keepdims=True)
        return np.squeeze(most, axis) + np.log(np.sum(np.exp(x - most), axis=axis))

    @staticmethod
    def concat(arrays: Any, axis: int) -> Any:
        import numpy as np

        return np.concatenate(arrays, axis=axis)


def prepare(n: int, is_numpy: bool) -> dict[str, Any]:
    namespace: dict[str, Any] = {"N": n}
    exec(programs()[""], namespace)
    if is_numpy:
        import numpy as np

        namespace.update({name: np.asarray(namespace[name]) for name in "xyb"}, zc=NumPy())
    return namespace


def run(name: str, n: int, is_numpy: bool = False) -> dict[str, Any]:
    """The names that a program binds."""
    namespace = prepare(n, is_numpy)
    exec(programs()[name], namespace)
    return namespace


def measure(name: str, n: int, is_numpy: bool) -> None:
    """Prints the seconds of a program and the bytes of memory that its process took at most besides what it began with."""
    namespace = prepare(n, is_numpy)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    exec(programs()[name], namespace)
    seconds = time.perf_counter() - begin
    print(seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)


def ask(name: str, n: int, is_numpy: bool) -> tuple[float, float]:
    command = [sys.executable, __file__, str(n), name, str(int(is_numpy))]
    seconds, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(peak) / 1e6


def table(n: int) -> str:
    import numpy as np

    rows = [
        f"{n:,} points, a matrix of {n * n * 4 / 1e9:.1f} GB in float32; one run each, two threads, NumPy {np.__version__}.",
        "MB: peak of the process, less its memory before. `build/python/bin/python tests/python/pairs.py` makes the table.",
        "",
        "| program | seconds | NumPy | MB | NumPy |",
        "|---|---|---|---|---|",
    ]
    for name in filter(None, programs()):
        seconds, peak = ask(name, n, False)
        theirs = ("", "") if "gradients" in name else tuple(f"{number:,.2f}" for number in ask(name, n, True))
        other = (theirs[0], theirs[1].split(".")[0])
        rows.append(f"| {name} | {seconds:.2f} | {other[0]} | {peak:,.0f} | {other[1]} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    if len(sys.argv) > 2:
        measure(sys.argv[2], n, sys.argv[3] == "1")
        return
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + table(n) + "\n" + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
