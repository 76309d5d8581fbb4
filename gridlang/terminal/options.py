"""Options that commands share, and how a failure is reported."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource

from gridlang.diagnostics import GridError, fail
from gridlang.files import no_folder
from gridlang.terminal.console import report


def guarded(command: Callable[..., bool | None]) -> Callable[..., None]:
    """Exits with 1 if a command gives False; reports a GridError, in JSON if asked for, and exits with 2."""

    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            passed = command(*args, **kwargs)
        except GridError as error:
            report(error.diagnostics, kwargs.get("as_json", False))
            raise click.exceptions.Exit(2) from None
        if passed is False:
            raise click.exceptions.Exit(1)

    return wrapper


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def answering(command: Callable[..., bool | None]) -> Callable[..., None]:
    """A guarded command with --json."""
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


def training_device_option(purpose: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The device to train on; torch is the definition, and slow."""
    return click.option(
        "--device", default="auto", type=click.Choice(("auto", "cuda", "cpu", "torch")), help=purpose
    )


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


def command_line(*left_out: str) -> str:
    """What to type to repeat this command, without some options."""
    context = click.get_current_context()
    words = ["gridlang", context.info_name or ""]
    for parameter in sorted(
        context.command.get_params(context), key=lambda each: isinstance(each, click.Option)
    ):
        name = parameter.name or ""
        typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not typed or name not in context.params or set(parameter.opts) & set(left_out):
            continue
        value = context.params[name]
        if isinstance(value, dict):  # of -D
            value = tuple(f"{key}={text}" for key, text in value.items())
        values = value if isinstance(value, tuple) else (value,)
        if isinstance(parameter, click.Argument):
            words += map(str, values)
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(parameter.opts[0])
        else:
            words += [word for each in values for word in (parameter.opts[-1], str(each))]
    return shlex.join(words)
