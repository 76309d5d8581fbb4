"""Options: the values that a parameter takes, declared once, beside it; commands are made from them."""

from __future__ import annotations

import builtins
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, wraps
from numbers import Real
from typing import Annotated, Any, NamedTuple, ParamSpec, TypeAlias, TypeVar, get_args, get_origin

from gridlang.diagnostics import did_you_mean, listing

Path: TypeAlias = str | os.PathLike[str]
Say: TypeAlias = Callable[[str], object]
CALLED = {"gpu": "cuda"}  # what is often said, and its name here
KINDS = (bool, int, float, os.PathLike, str)
P = ParamSpec("P")
R = TypeVar("R")


class Option(NamedTuple):
    """The values that a parameter takes, and its line in `--help`; without a line, Python alone has it."""

    help: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    above: bool = False  # above `least`, which is not allowed itself
    usual: str = ""  # the default in words, where it is None
    spelt: tuple[str, ...] = ()  # on the command line, if not `--name`
    metavar: str | None = None


DEFINING = Option("Set a parameter of the agent; may be repeated.", spelt=("-D",), metavar="NAME=VALUE")
Definitions: TypeAlias = Annotated[Mapping[str, str], DEFINING]
File: TypeAlias = Annotated[str, os.PathLike]  # on the command line, where `-` may be stdin
Seed: TypeAlias = Annotated[int, Option("Seed of everything random.")]


def output_option(usual: str, help: str = "Output file; `-` is stdout.") -> Option:
    return Option(help, usual=usual, spelt=("-o", "--output"))


class Parameter(NamedTuple):
    """A parameter of a function: the kind of its values, whether it takes several, and its option."""

    name: str
    kind: Any
    many: bool
    by_name: bool
    default: Any
    option: Option | None

    def refuse(self, value: Any) -> None:
        """TypeError for a value of another kind, ValueError for one that is not allowed."""
        name, option = self.name, self.option
        if value is None or option is None:
            return
        if option.choices:
            one_of(name, value, option.choices)
        if self.kind not in (int, float):
            return
        is_whole, (least, most) = self.kind is int, option[1:3]
        known = hasattr(value, "__index__") if is_whole else isinstance(value, Real)
        if isinstance(value, bool) or not known:
            raise TypeError(f"{name} is a {'whole ' if is_whole else ''}number, not {value!r}")
        if option.above and not value > least:
            raise ValueError(f"{name} is above {least}, not {value}")
        if least is not None and not value >= least:
            raise ValueError(f"{name} is {least} or more, not {value}")
        if most is not None and value > most:
            raise ValueError(f"{name} is {most} or less, not {value}")


class _Names(dict[str, Any]):
    """The names in a module; those that it knows only as types stand for anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


@cache
def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters of a function by their names, in order."""
    function = inspect.unwrap(function)
    known = function.__globals__.items()
    names = _Names((name, each) for name, each in known if not (isinstance(each, str) and " | " in each))
    parameters = inspect.signature(function).parameters.values()
    return {each.name: _parameter(each, eval(each.annotation, {}, names)) for each in parameters}


def _parameter(each: inspect.Parameter, annotation: Any) -> Parameter:
    parts = list(_parts(annotation))
    option = next((part for part in parts if isinstance(part, Option)), None)
    kind = next((kind for kind in KINDS if kind in parts), os.PathLike)
    many = tuple in parts or Iterable in parts
    by_name = each.kind in (each.KEYWORD_ONLY, each.VAR_KEYWORD)
    return Parameter(each.name, kind, many, by_name, each.default, option)


def _parts(annotation: Any) -> Iterator[Any]:
    yield get_origin(annotation) or annotation
    for inner in get_args(annotation):
        yield from _parts(inner)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which refuses values that its parameters do not take."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        parameters = parameters_of(function)
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            parameters[name].refuse(value)
            if name == "progress" and value is not None and not callable(value):
                hint = "a function that takes a text, as in progress=print"
                raise TypeError(f"progress is {hint}, not {value!r}")
        return function(*args, **kwargs)

    return call


def one_of(name: str, value: str, known: Iterable[str]) -> str:
    """The value, if it is one of those that are known; ValueError says which there are."""
    names = list(known)
    if value not in names:
        near = did_you_mean(CALLED.get(str(value), str(value)), names)
        raise ValueError(f"{name} is {listing(names)}, not {value!r}{f'; {near}' if near else ''}")
    return value
