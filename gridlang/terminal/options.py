"""Options that commands share, and how a failure is reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource

from gridlang.diagnostics import GridError, fail
from gridlang.files import Piped, no_folder, piped
from gridlang.terminal.console import report, show_progress

LARGE = 100_000  # bytes of a file that takes longer to read than one waits in silence


def guarded(command: Callable[..., bool | None]) -> Callable[..., None]:
    """Exits with 1 if a command gives False; reports a GridError, in JSON if asked for, and exits with 2."""

    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        named = _named(kwargs)
        if named.count("-") > 1:
            raise click.UsageError("`-` is what is piped in, and stands for one file")
        for large in (file for file in named if os.path.isfile(file) and os.path.getsize(file) > LARGE):
            show_progress(f"reading {large}")
        piped.set(Piped(sys.stdin.buffer))
        try:
            passed = command(*args, **kwargs)
        except GridError as error:
            report(error.diagnostics, kwargs.get("as_json", False))
            raise click.exceptions.Exit(2) from None
        if passed is False:
            raise click.exceptions.Exit(1)

    return wrapper


def _named(given: dict[str, Any]) -> list[str]:
    """The files that may be read, among other texts."""
    values = [given[name] for name in given if name != "output"]
    named = [each for value in values for each in (value if isinstance(value, tuple) else (value,))]
    return [each for each in named if isinstance(each, str)]


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def answering(command: Callable[..., bool | None]) -> Callable[..., None]:
    return json_option(guarded(command))


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


defines = click.option(
    "-D",
    "definitions",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_definitions,
    help="Set a parameter of the agent; may be repeated.",
)
engine_option = click.option(
    "--engine",
    default="auto",
    type=click.Choice(("auto", "reference", "native", "dfst")),
    help="Engine to use; all give the same answer.",
)

picture_option = click.option(
    "--world", type=click.Path(allow_dash=True), help="World file: a picture with its start cell in brackets."
)
open_option = click.option("--open", "open_it", is_flag=True, help="Open it in the browser.")


def output_option(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    about = f"Output file; `-` is stdout.  [default: {default}]"
    return click.option("-o", "--output", type=click.Path(allow_dash=True), help=about)


def seed_option(purpose: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option("--seed", default=0, help=purpose)


def refuse_overwriting(path: str | None, *sources: str | None) -> None:
    """UsageError if a command would overwrite what it reads; an output that is not asked for is None."""
    for source in sources:
        there = path and source and os.path.exists(path) and os.path.exists(source)
        if there and os.path.samefile(str(path), str(source)):
            raise click.UsageError(f"{path} is read by this command; write somewhere else")


def refuse_folder(path: str, hint: str = "name a file with -o") -> None:
    """GridError if an output is a folder: found out before hours of work, not after."""
    if os.path.isdir(path) or path.endswith(os.path.sep):
        raise fail("G009", "cannot write here: this is a folder", hint, path)


def refuse_unwritable(path: str | None, *sources: str | None) -> None:
    """An error, before the work, where the result could not be written after it."""
    refuse_overwriting(path, *sources)
    if path and path != "-":
        refuse_folder(path, "name a file")
        if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            raise no_folder(path)


def typed(*names: str) -> list[str]:
    """Those of these options that were typed, as in `--seed`."""
    context = click.get_current_context()
    by_name = {each.name: each.opts[-1] for each in context.command.get_params(context)}
    by_hand = (name for name in names if context.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    return [by_name[name] for name in by_hand]
