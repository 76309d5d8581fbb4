"""The one door to C beside Python: a source is built at its first call, and its signatures are read from it.

A struct or a function is declared once, in C. Arrays and structs are passed as they are and become pointers.
"""

from __future__ import annotations

import ctypes
import re
import weakref
from array import array
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gridlang.compiler.native.build import (
    CannotBuild,
    compile_library,
    installed_path,
    is_kept,
    load_library,
)

if TYPE_CHECKING:
    from pathlib import Path  # It takes as long as a run of a million steps.

FIXED = {f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("u", "") for bits in (8, 16, 32, 64)}
TYPES: dict[str, Any] = {c: getattr(ctypes, f"c_{name}") for name, c in FIXED.items()} | {
    "int": ctypes.c_int,
    "char": ctypes.c_char,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "void": None,
}
PLAIN = (int, float, bool, type(None))  # passed as they are
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DEFINE = re.compile(r"^#define (\w+) (\d+)$", re.MULTILINE)
STRUCT = re.compile(r"^(?:typedef )?struct *(\w*) *\{(.*?)^\} *(\w*);", re.DOTALL | re.MULTILINE)
FUNCTION = re.compile(r"^(?!static|typedef|else)([a-z][\w ]*?[ *]+)(\w+)\(([^;{]*?)\) *\{", re.MULTILINE)
DECLARED = re.compile(r"(\*?) *(\w+) *((?:\[[\w +]+\])*)$")


class CLibrary:
    """The functions of a C source as attributes; CannotBuild at the first of them without a compiler."""

    def __init__(self, source: Path | Callable[[], str], *flags: str, **macros: int) -> None:
        self._source, self._macros = source, macros
        self._flags = (*flags, *(f"-D{name}={value}" for name, value in macros.items()))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        function = getattr(self._library, name)

        def call(*arguments: Any) -> Any:
            return function(*map(passed, arguments))

        setattr(self, name, call)
        return call

    def builds(self) -> bool:
        """Whether it can be used here: it is built already, or a compiler builds it now."""
        try:
            return self._library is not None
        except CannotBuild:
            return False

    def is_built(self) -> bool:
        """Whether no compiler is needed any more."""
        return "_library" in self.__dict__ or is_kept(self._text, self._flags)

    def install(self, folder: str) -> None:
        """Builds it where an installed package looks for it; CannotBuild without a compiler."""
        compile_library(self._text, self._flags, installed_path(self._text, self._flags, folder))

    def address(self, name: str) -> int:
        """Where a function lies, for other C that calls it."""
        return ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value or 0

    def built(self) -> CLibrary:
        """Itself, built; CannotBuild without a compiler."""
        assert self._library is not None
        return self

    def own(self, owner: object, new: str, free: str, *arguments: Any) -> int:
        """The address that `new` returns, given to `free` once its owner is gone; MemoryError for none."""
        made = getattr(self, new)(*arguments)
        if not made:
            raise MemoryError(f"there is no memory for a {type(owner).__name__}")
        weakref.finalize(owner, getattr(self._library, free), made)
        return int(made)

    @cached_property
    def structs(self) -> dict[str, type[ctypes.Structure]]:
        """The structs of the source by name, without those that have types of this C alone."""
        found: dict[str, type[ctypes.Structure]] = {}
        for tag, body, name in STRUCT.findall(self._text):
            try:
                fields = list(self._fields(body, found))
            except KeyError:
                continue
            found[name or tag] = type(name or tag, (_Struct,), {"_fields_": fields})
        return found

    @cached_property
    def _text(self) -> str:
        source = self._source
        text = source() if callable(source) else source.read_text(encoding="utf-8")
        return COMMENT.sub("", text)

    @cached_property
    def _library(self) -> ctypes.CDLL:
        library = load_library(self._text, self._flags)
        for result, name, parameters in FUNCTION.findall(self._text):
            function = getattr(library, name)
            function.restype = ctypes.c_void_p if "*" in result else TYPES[result.split()[-1]]
            function.argtypes = [_passed_as(one) for one in parameters.split(",") if one.strip() != "void"]
        return library

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return {name: int(value) for name, value in DEFINE.findall(self._text)} | self._macros

    def _fields(self, body: str, known: dict[str, type[ctypes.Structure]]) -> Iterator[tuple[str, Any]]:
        sizes = self._sizes
        for declaration in filter(None, map(str.strip, body.split(";"))):
            kind, names = declaration.replace("const ", "").removeprefix("struct ").split(maxsplit=1)
            for name in names.split(","):
                found = DECLARED.search(name.strip())
                if found is None:
                    raise KeyError(name)
                pointer, called, arrays = found.groups()
                one = ctypes.c_void_p if pointer else {**TYPES, **known}[kind]
                for size in reversed(re.findall(r"[\w +]+", arrays)):
                    terms = map(str.strip, size.split("+"))
                    one = one * sum(int(term) if term.isdigit() else sizes[term] for term in terms)
                yield called, one


class _Struct(ctypes.Structure):
    """A struct that keeps the arrays that its fields point to."""

    def __init__(self, *values: Any, **fields: Any) -> None:
        self._kept = (values, fields)
        super().__init__(*map(passed, values), **{name: passed(value) for name, value in fields.items()})


def passed(value: Any) -> Any:
    """What C gets: the address of an array or a struct, anything else as it is."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, array):
        return value.buffer_info()[0]
    held = getattr(value, "ctypes", None)  # of numpy; in half the time of `__array_interface__`
    if held is not None:
        assert value.flags.c_contiguous, "C reads contiguous arrays"
        return held.data
    return ctypes.addressof(value) if isinstance(value, _Struct) else value


def _passed_as(parameter: str) -> Any:
    if "*" in parameter or "[" in parameter:
        return ctypes.c_void_p
    return TYPES[parameter.split()[-2]]
