"""Commands made from functions: their options, how they end, and what they refuse to overwrite."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from gridlang.diagnostics import Diagnostic, GridError, fail, in_order
from gridlang.files import Piped, no_folder, piped
from gridlang.options import DEFINING, Option, Parameter, parameters_of
from gridlang.terminal.console import emit, report, say, say_source, show_progress

LARGE = 100_000  # bytes of a file that takes longer to read than one waits in silence
JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print JSON for programs.")


class Answer(NamedTuple):
    """The result of a command: source or lines on stdout, the rest on stderr; with --json, only data."""

    lines: Iterable[str] = ()
    data: Mapping[str, Any] | None = None
    holds: bool = True  # else the command exits with 1
    notes: Iterable[str] = ()
    source: str = ""
    diagnostics: Sequence[Diagnostic] = ()
    misused: bool = False  # The command exits with 2.

    def print(self, as_json: bool) -> None:
        if as_json and self.data is not None:
            emit(dict(self.data))
            return
        report(self.diagnostics)
        if self.source:
            say_source(self.source)
        for lines, err in ((self.lines, False), (self.notes, True)):
            if lines := list(lines):
                say(*lines, err=err)


Body = Callable[..., Answer | None]


def as_command(name: str, calls: Callable[..., Any] | None = None) -> Callable[[Body], click.Command]:
    """Makes a command: the parameters of its body that have an option are options, the others arguments.

    It also has the options of the function that it `calls`, and says in --help what that does.
    """

    def made(body: Body) -> click.Command:
        own = parameters_of(body)
        options = {**(parameters_of(calls) if calls else {})}
        options |= {name: each for name, each in own.items() if each.option}
        about = [_about(calls, own.values())] if calls else []
        arguments = (each for each in own.values() if not (each.option or each.by_name))
        params: list[click.Parameter] = [_argument(each) for each in arguments]
        params += [_option(each) for each in options.values() if each.option and each.option.help]
        params += [JSON] if "as_json" in own or _answers(body) else []
        about += [inspect.getdoc(body) or ""]
        return click.Command(name, callback=_guarded(body), params=params, help="\n\n".join(about))

    return made


def _argument(each: Parameter) -> click.Argument:
    required = each.default is inspect.Parameter.empty
    kind = click.STRING if each.kind is str else click.Path(allow_dash=True)
    return click.Argument([each.name], type=kind, nargs=-1 if each.many else 1, required=required)


def _option(each: Parameter) -> click.Option:
    option = each.option
    assert option is not None
    many, default = each.many or option is DEFINING, each.default
    spelt = option.spelt or (f"--{each.name.replace('_', '-')}",)
    usual = f"  [default: {option.usual}]" if option.usual else ""
    return click.Option(
        [*spelt, each.name],
        type=_type(each.kind, option),
        default=None if many or default is inspect.Parameter.empty else default,
        required=default is inspect.Parameter.empty and not many,
        is_flag=each.kind is bool,
        multiple=many,
        callback=_definitions if option is DEFINING else None,
        help=option.help + usual,
        metavar=option.metavar,
    )


def _type(kind: Any, option: Option) -> click.ParamType[Any]:
    if option.choices:
        return click.Choice(option.choices)
    if kind is int:
        return click.INT if option[1:3] == (None, None) else click.IntRange(option.least, option.most)
    if kind is float:
        return click.FloatRange(option.least, option.most, min_open=option.above)
    return {bool: click.BOOL, str: click.STRING}.get(kind, click.Path(allow_dash=True))


def _about(function: Callable[..., Any], own: Iterable[Parameter]) -> str:
    """The description of a function, with its parameters as they are typed."""
    text = (inspect.getdoc(function) or "").partition("\n>>>")[0]
    parameters = parameters_of(function).values()
    typed = {each.name: f"--{each.name.replace('_', '-')}" for each in parameters if each.option}
    given = (each.name for each in parameters if not each.option)
    typed |= {name: each.name.upper() for name, each in zip(given, own, strict=False) if not each.option}
    text = re.sub(r"`(\w+)`", lambda match: typed.get(match[1], match[0]), text)
    return "\n\n".join(part for part in text.strip().split("\n\n") if not part.startswith("In Python"))


def _definitions(_: click.Context, __: click.Parameter, pairs: Iterable[str]) -> dict[str, str]:
    definitions = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-D takes NAME=VALUE, as in -D base=2, not {pair!r}")
        if name.strip() in definitions:
            raise click.UsageError(f"-D {name.strip()} is given twice")
        definitions[name.strip()] = value.strip()
    return definitions


def listed(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    return {"diagnostics": [each.as_json() for each in in_order(diagnostics)]}


def _answers(body: Body) -> bool:
    return body.__annotations__.get("return") == Answer.__name__


def _guarded(command: Body) -> Callable[..., None]:
    """Prints the answer of a command, and exits with 1 if it is no, with 2 after a GridError."""

    @wraps(command)
    def wrapper(**given: Any) -> None:
        as_json = given.get("as_json", False)
        if "as_json" not in command.__annotations__:
            given.pop("as_json", None)
        named = _named(given)
        if named.count("-") > 1:
            raise click.UsageError("`-` is what is piped in, and stands for one file")
        for large in (file for file in named if os.path.isfile(file) and os.path.getsize(file) > LARGE):
            show_progress(f"reading {large}")
        piped.set(Piped(sys.stdin.buffer))
        try:
            answer = command(**given) or Answer()
            answer.print(as_json)
        except GridError as error:
            answer = Answer((), listed(error.diagnostics), diagnostics=error.diagnostics, misused=True)
            answer.print(as_json)
        if answer.misused or not answer.holds:
            raise click.exceptions.Exit(2 if answer.misused else 1)

    return wrapper


def _named(given: dict[str, Any]) -> list[str]:
    """The files that may be read, among other texts."""
    values = [given[name] for name in given if name != "output"]
    named = [each for value in values for each in (value if isinstance(value, tuple) else (value,))]
    return [each for each in named if isinstance(each, str)]


def refuse_unwritable(path: str | None, *sources: str | None) -> None:
    """An error, before the work, where its result could not be written or would overwrite what is read."""
    if not path or path == "-":
        return
    for source in sources:
        if source and os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
            raise click.UsageError(f"{path} is read by this command; write somewhere else")
    if os.path.isdir(path) or path.endswith(os.path.sep):
        raise fail("G009", "cannot write here: this is a folder", "name a file in it", path)
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise no_folder(path)


def typed(*names: str) -> list[str]:
    """Those of these options that were typed, as in `--seed`."""
    context = click.get_current_context()
    by_name = {each.name: each.opts[-1] for each in context.command.get_params(context)}
    by_hand = (name for name in names if context.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    return [by_name[name] for name in by_hand]
