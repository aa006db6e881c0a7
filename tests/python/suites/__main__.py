"""Runs the suites that are named, or all, as many at a time as there are cores, and prints a line for each at the end.

python -m suites [--sample] [NAME...] [-- PYTEST_OPTION...]: with --sample, of long suites one test of so many. The output of
each is in build/suites/NAME.log.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Suite:
    tests: list[str]  # for pytest
    every: int = 1  # a sample is one test of so many
    environment: dict[str, str] = field(default_factory=dict)


SUITES = {
    "cubed": Suite(["--pyargs", "cubed", "-m", "not cloud and not slow"], 8, {"CUBED_BACKEND_ARRAY_API_MODULE": "zerocast"}),
    "xarray": Suite(["--pyargs", "xarray.tests.test_array_api", "xarray.tests.test_duck_array_wrapping"]),
    "array_api_extra": Suite(["--pyargs", "array_api_extra.tests.main", "-k", "zerocast", "-W", "error::DeprecationWarning"]),
    "opt_einsum": Suite(["--pyargs", "opt_einsum"], 5),
    "scipy": Suite(
        ["--pyargs", "scipy.integrate", "scipy.optimize", "scipy.signal", "scipy.ndimage", "-m", "array_api_backends"],
        20,
        {"SCIPY_ARRAY_API": '["array_api_strict"]'},
    ),
    "numpy": Suite(
        ["--pyargs"]
        + [f"numpy._core.tests.test_{name}" for name in ("einsum", "indexing", "numeric", "umath")]
        + [f"numpy.lib.tests.test_{name}" for name in "arraypad arraysetops function_base nanfunctions shape_base".split()]
        + [f"numpy.lib.tests.test_{name}" for name in ("stride_tricks", "twodim_base")],
        10,
    ),
    "einops": Suite(["--pyargs", "einops"], 1, {"EINOPS_TEST_BACKENDS": "zerocast"}),
}


def run(name: str, suite: Suite, sample: bool, options: list[str]) -> tuple[int, str]:
    """The exit status of pytest, and its line of counts. What it prints goes to a file."""
    command = [sys.executable, "-m", "pytest", "-q", "--tb=native", "-p", "no:cacheprovider", "-p", "suites.plugin"]
    command += ["-p", f"suites.{name}", "--suite", name, *suite.tests, *options]
    if sample:
        command += ["--every", str(suite.every)]
    elif not options:
        command += ["--whole"]
    environment = {**os.environ, **suite.environment, "PYTHONPATH": str(Path(__file__).parent.parent)}
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:  # some write where they run
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    counts = [line for line in output.splitlines() if line.startswith(f"{name}:")]
    Path(f"build/suites/{name}.log").write_text(output)
    if done.returncode != 0:
        print(output)
    line = counts[-1] if counts else f"{name}: not run to its end"
    print(line, flush=True)
    return done.returncode, f"{line}, {time.monotonic() - started:.0f} s"


def main(arguments: list[str]) -> int:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    names, options = arguments[:at], arguments[at + 1 :]
    sample = "--sample" in names
    names = [name for name in names if name != "--sample"] or list(SUITES)
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"there is no suite {unknown[0]!r}: {', '.join(SUITES)}", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: run(name, SUITES[name], sample, options), names))
    print("", *(line for _, line in results), sep="\n")
    return 1 if any(status != 0 for status, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
