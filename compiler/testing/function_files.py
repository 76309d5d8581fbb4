"""Functions in Python files, as `test --oracle spec.py:f` names them; their errors become diagnostics."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from traceback import extract_tb
from typing import Any, NamedTuple

from gridlang.compiler.testing.output_search import WrongOracle
from gridlang.diagnostics import Fault, did_you_mean, fail
from gridlang.files import read_source
from gridlang.source import Source, Span

MODULE = "gridlang_function"  # what the file is called while it runs


class Role(NamedTuple):
    """What a function is for."""

    name: str
    code: str  # of the diagnostic where it cannot be used
    form: str  # how to name it


ORACLE = Role("oracle", "G145", "name a function in a Python file: --oracle spec.py:f")
LOSS = Role("loss", "G120", 'name a function in a Python file: loss = "losses.py:f"')


class FunctionFile(NamedTuple):
    """A function in a Python file."""

    role: Role
    source: Source
    function: Callable[..., Any] | None = None


def load_function(text: str, role: Role) -> FunctionFile:
    """The function that `FILE.py:NAME` names; GridError where there is none."""
    path, colon, name = text.rpartition(":")
    if not colon or not path.endswith(".py") or not name.isidentifier():
        raise fail(role.code, f"`{text}` does not name {_a(role.name)}", role.form)
    source = read_source(path)
    spec = spec_from_file_location(MODULE, os.path.abspath(path))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[MODULE] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))  # as `python spec.py` would look for modules
    with reporting_errors(FunctionFile(role, source)):
        spec.loader.exec_module(module)
    if not hasattr(module, name):
        known = [each for each, value in vars(module).items() if callable(value) and each[0] != "_"]
        hint = did_you_mean(name, known) or role.form
        raise fail(role.code, f"there is no `{name}` in this file", hint, path)
    function = getattr(module, name)
    if not callable(function):
        message = f"`{name}` is not a function but of type {type(function).__name__}"
        raise fail(role.code, message, role.form, path)
    return FunctionFile(role, source, function)


@contextmanager
def reporting_errors(file: FunctionFile) -> Iterator[None]:
    """Reports errors of the function in its file; what it prints goes to stderr."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except WrongOracle as error:
        source, code = file.source, getattr(file.function, "__code__", None)
        place = _line(source, code.co_firstlineno) if code and _is(source, code.co_filename) else None
        raise Fault(file.role.code, str(error), place, file=source.path) from None
    except (Exception, SystemExit) as error:
        place = _place(error, file.source)
        if place is None:
            raise
        asked = "; ".join(getattr(error, "__notes__", ()))
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        message = ": ".join(filter(None, (f"the {file.role.name} fails", type(error).__name__, why)))
        raise Fault(file.role.code, message, place, "here", asked) from None


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _place(error: BaseException, source: Source) -> Span | None:
    """The last line of this file that an error went through; None if it did not come from there."""
    if isinstance(error, SyntaxError) and _is(source, error.filename):
        return _line(source, error.lineno or 1)
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if _is(source, frame.filename)]
    return _line(source, lines[-1] or 1) if lines else None


def _is(source: Source, file: str | None) -> bool:
    return file is not None and os.path.realpath(file) == os.path.realpath(source.path)


def _line(source: Source, number: int) -> Span:
    """A line without the spaces around it."""
    lines = source.text.splitlines(keepends=True)
    number = min(number, len(lines))
    start = sum(map(len, lines[: number - 1]))
    text = lines[number - 1] if lines else ""
    return Span(source, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
