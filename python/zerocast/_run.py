"""Programs that import numpy and get zerocast.numpy.

The program's own modules do, those in its folder; installed libraries get NumPy itself. So __import__ asks which file
imports.
"""

from __future__ import annotations

import builtins
import os
import sys
import types
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

HELP = """\
usage: python -m zerocast script.py [arguments]
       python -m zerocast -m module [arguments]
       python -m zerocast -c "program" [arguments]

Runs a Python program whose `import numpy` gives zerocast.numpy: NumPy's names over lazy arrays.
It holds for the program and the modules in its folder (with -m and -c: in the current one);
installed libraries get NumPy. Exit codes and tracebacks are Python's.
"""


# ---- Imports ----


def _module(name: str) -> types.ModuleType:
    """The module that stands for NumPy's of that name; NumPy's own where zerocast.numpy hands it out."""
    from importlib import import_module

    from ._numpy_refused import REASONS

    top = name.split(".")[1:2]
    if top and top[0] in REASONS:
        raise ModuleNotFoundError(f"zerocast.numpy has no module {name!r}: {REASONS[top[0]]}", name=name)
    try:
        return import_module(f"zerocast.{name}")
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("zerocast.numpy."):
            raise
    return import_module(name)


def _module_within(name: str, each: str) -> None:
    """Imports a module of NumPy's package, where there is one; else `from` tells that the name is not there."""
    try:
        _module(f"{name}.{each}")
    except ModuleNotFoundError as error:
        if error.name != f"{name}.{each}":
            raise


def _replace_import(folder: str) -> None:
    """From now on, modules in the folder get zerocast.numpy for numpy."""
    pythons = builtins.__import__

    @cache
    def is_within(file: str) -> bool:
        path = os.path.realpath(file)
        return path.startswith(os.path.join(folder, "")) and "-packages" + os.sep not in path[len(folder) :]

    def is_users(importer: Mapping[str, Any] | None) -> bool:
        if importer is None:
            return False
        file = importer.get("__file__")
        return is_within(file) if isinstance(file, str) else importer.get("__name__") == "__main__"

    def __import__(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level == 0 and name.partition(".")[0] == "numpy" and is_users(globals):
            module = _module(name)
            for each in fromlist or ():  # modules that are imported with it, unless it has something of that name
                if each != "*" and not hasattr(module, each):
                    _module_within(name, each)
            return module if fromlist else _module("numpy")
        return pythons(name, globals, locals, fromlist, level)

    builtins.__import__ = __import__


# ---- Tracebacks ----


def _without_ours(trace: types.TracebackType | None) -> types.TracebackType | None:
    """The frames of the program: none of this file, nor of what runs it."""
    frames = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__ and trace.tb_frame not in _begin:
            frames.append(trace)
        trace = trace.tb_next
    found = None
    for each in reversed(frames):
        found = types.TracebackType(found, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return found


_begin: set[types.FrameType] = set()  # the frames that this package is run from


def _tell_of_program() -> None:
    """Has the exception that ends the program told without the frames that ran it."""
    shows = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        each: BaseException | None = error
        seen: set[int] = set()
        while each is not None and id(each) not in seen:
            seen.add(id(each))
            each.__traceback__ = _without_ours(each.__traceback__)
            each = each.__cause__ or each.__context__
        shows(kind, error, error.__traceback__)

    sys.excepthook = hook


# ---- Programs ----


def _fresh_main(**names: Any) -> dict[str, Any]:
    main = types.ModuleType("__main__")
    main.__dict__.update({"__builtins__": builtins, **names})
    sys.modules["__main__"] = main
    return main.__dict__


def _run_script(path: str) -> None:
    from importlib.machinery import SourceFileLoader
    from io import open_code

    full = os.path.abspath(path)
    try:
        with open_code(full) as stream:
            source = stream.read()
    except OSError as error:
        print(f"{sys.executable}: can't open file {full!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    folder = os.path.dirname(os.path.realpath(path))
    if not sys.flags.safe_path:
        sys.path[0] = folder
    names = _fresh_main(__file__=full, __cached__=None, __loader__=SourceFileLoader("__main__", full))
    _replace_import(folder)
    exec(compile(source, full, "exec", dont_inherit=True), names)


def _run_command(program: str) -> None:
    if not sys.flags.safe_path:
        sys.path[0] = ""
    names = _fresh_main()
    _replace_import(os.getcwd())
    exec(compile(program, "<string>", "exec", dont_inherit=True), names)


def _run_module(name: str) -> None:
    import runpy

    _fresh_main()
    _replace_import(os.getcwd())
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


_BY_OPTION: dict[str, Callable[[str], None]] = {"-c": _run_command, "-m": _run_module}


def main() -> None:
    given = sys.argv[1:]
    if not given or given[0] in ("-h", "--help"):
        print(HELP, end="", file=sys.stdout if given else sys.stderr)
        raise SystemExit(0 if given else 2)
    run = _BY_OPTION.get(given[0])
    if run is None and given[0].startswith("-") or run is not None and len(given) == 1:
        print(f"python -m zerocast: {given[0]} is no program\n\n{HELP}", end="", file=sys.stderr)
        raise SystemExit(2)
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        _begin.add(frame)
        frame = frame.f_back
    sys.argv = given if run is None else [given[0], *given[2:]]
    try:
        (run or _run_script)(given[0] if run is None else given[1])
    except SystemExit:
        raise
    except BaseException:
        _tell_of_program()
        raise
