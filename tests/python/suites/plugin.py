"""What every suite shares: xfails by reason, and samples.

An xfail is a line "reason test", where a test is MODULE::NAME[PARAMETERS], as the last lines name those that failed; "*" stands
for any text. An xfail that passes fails the run, and in a whole run so does one that meets no test.
"""

from __future__ import annotations

import fnmatch
import re
import zlib
from collections import Counter
from pathlib import Path

import pytest

REASONS = {
    "linalg": "the extension linalg is not there",
    "fft": "the extension fft is not there",
    "numpy-names": "a name or a method of NumPy's that is not the array API's",
    "dtypes": "dtypes that zerocast has not: objects, texts, dates, structures",
    "numpy-only": "asks for NumPy's own arrays or dtype objects, or for one of the libraries that the suite knows",
    "read-only": "writes into the memory of our arrays, which NumPy sees read-only",
    "memory": "measures the process's memory as NumPy takes it",
    "told": "asks for NumPy's words, warnings or floating-point flags",
    "theirs": "fails with NumPy's arrays, too",
    "undefined": "what NumPy happens to do where the array API leaves it open",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--suite", help="the name, for the file of xfails and the last line")
    parser.addoption("--every", type=int, default=1, help="runs one test of so many, the same ones each time")
    parser.addoption("--whole", action="store_true", help="of a whole run, in which every xfail meets a test")
    parser.addoption("--without-xfails", action="store_true", help="to see what fails")


def read_xfails(path: Path) -> dict[str, str]:
    """The reason of each test."""
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        reason, _, test = line.partition(" ")
        if reason not in REASONS or not test.strip():
            raise pytest.UsageError(f"{path}:{number}: a reason of {', '.join(REASONS)}, then a test: {line!r}")
        if test.strip() in found:
            raise pytest.UsageError(f"{path}:{number}: named twice: {test.strip()}")
        found[test.strip()] = reason
    return found


def name_of(item: pytest.Item) -> str:
    return f"{item.module.__name__}::{item.nodeid.partition('::')[2]}"  # type: ignore[attr-defined]


def _mark(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what is expected to fail, and remembers the xfails that meet no test."""
    xfails = read_xfails(Path(__file__).parent / "xfails" / f"{config.getoption('--suite')}.txt")
    patterns = [(re.compile(fnmatch.translate(test.replace("[", "[[]"))), test) for test in xfails if "*" in test]
    met = set()
    for item in items:
        name = name_of(item)
        test = name if name in xfails else next((test for pattern, test in patterns if pattern.match(name)), None)
        if test is not None:
            met.add(test)
            item.add_marker(pytest.mark.xfail(reason=f"zerocast: {xfails[test]}", strict=True), append=False)
    config.stash[_STALE] = sorted(set(xfails) - met) if config.getoption("--whole") else []


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--without-xfails"):
        _mark(config, items)
    for item in items:
        item.user_properties.append(("name", name_of(item)))
    every = config.getoption("--every")
    chosen = [zlib.crc32(name_of(item).encode()) % every == 0 for item in items]
    config.hook.pytest_deselected(items=[item for item, is_chosen in zip(items, chosen) if not is_chosen])
    items[:] = [item for item, is_chosen in zip(items, chosen) if is_chosen]


_STALE: pytest.StashKey[list[str]] = pytest.StashKey()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.stash.get(_STALE, None) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for test in config.stash.get(_STALE, []):
        terminalreporter.write_line(f"the xfail of {test} meets no test")
    stats = terminalreporter.stats
    for report in stats.get("failed", []):
        terminalreporter.write_line(f"failed: {dict(report.user_properties).get('name', report.nodeid)}")
    reasons = Counter(getattr(report, "wasxfail", "").removeprefix("zerocast: ") for report in stats.get("xfailed", []))
    ours = {reason: count for reason, count in sorted(reasons.items()) if reason in REASONS}
    passed, failed = len(stats.get("passed", [])), len(stats.get("failed", [])) + len(stats.get("error", []))
    total = passed + failed + sum(ours.values())
    told = ", ".join(f"{reason} {count}" for reason, count in ours.items())
    sample = config.getoption("--every")
    terminalreporter.write_line(
        f"{config.getoption('--suite')}: {passed} of {total} pass"
        + (f", {sum(ours.values())} are expected to fail ({told})" if ours else "")
        + (f", {failed} fail" if failed else "")
        + (f"; one test of {sample}" if sample > 1 else "")
    )
