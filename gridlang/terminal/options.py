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
from gridlang.terminal.console import report


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Reports a GridError and exits with 2; in JSON when that was asked for."""

    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except GridError as error:
            report(error.diagnostics, kwargs.get("as_json", False))
            raise click.exceptions.Exit(2) from None

    return wrapper


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
engine_option = click.option(
    "--engine",
    default="auto",
    show_default=True,
    type=click.Choice(("auto", "reference", "native", "dfst")),
    help="Engine to run it on; all give the same answer.",
)
defines = click.option(
    "-D",
    "definitions",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the agent; may be repeated.",
)

picture_option = click.option(
    "--world",
    type=click.Path(allow_dash=True),
    help="File of a world: a picture with its start cell in brackets, Golly's .rle, or numpy's .npy.",
)
open_option = click.option("--open", "open_it", is_flag=True, help="Open it in the browser.")
port_option = click.option(
    "--port",
    default=0,
    type=click.IntRange(0, 65535),
    help="Local port to serve the page on.  [default: a free one]",
)
no_browser_option = click.option(
    "--no-browser", is_flag=True, help="Print the address; do not open a browser."
)


def seed_option(purpose: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The seed of a command, and its purpose."""
    return click.option("--seed", default=0, show_default=True, help=purpose)


def training_device_option(purpose: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The device to train on; torch is the definition, and slow."""
    return click.option(
        "--device",
        default="auto",
        show_default=True,
        type=click.Choice(("auto", "cuda", "cpu", "torch")),
        help=purpose,
    )


def refuse_overwriting(path: str, sources: Iterable[str | None], complaint: str) -> None:
    """UsageError if a command would overwrite a file that it reads."""
    for source in sources:
        if source and os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
            raise click.UsageError(f"{path} {complaint}")


def refuse_folder(path: str, hint: str = "name a file with -o") -> None:
    """GridError if an output is a folder: found out before hours of work, not after."""
    if os.path.isdir(path) or path.endswith(os.path.sep):
        raise fail("G009", "cannot write here: this is a folder", hint, path)


def definitions_of(pairs: Iterable[str]) -> dict[str, str]:
    definitions = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-D takes NAME=VALUE, as in -D base=2, not {pair!r}")
        if name.strip() in definitions:
            raise click.UsageError(f"-D {name.strip()} is given twice")
        definitions[name.strip()] = value.strip()
    return definitions


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
        values = value if isinstance(value, tuple) else (value,)
        if isinstance(parameter, click.Argument):
            words += map(str, values)
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(parameter.opts[0])
        else:
            words += [word for each in values for word in (parameter.opts[-1], str(each))]
    return shlex.join(words)
