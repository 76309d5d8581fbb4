"""What the commands have in common: options, and how a failure is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click

from gridlang.console import report
from gridlang.diagnostics import GridError


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
    help="What runs it; all give the same answer.",
)
defines = click.option(
    "-D",
    "definitions",
    multiple=True,
    metavar="NAME=VALUE",
    help="Give a parameter of the agent a value; may be repeated.",
)


def definitions_of(pairs: Iterable[str]) -> dict[str, str]:
    given = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-D takes NAME=VALUE, as in -D base=2, not {pair!r}")
        if name.strip() in given:
            raise click.UsageError(f"-D {name.strip()} is given twice")
        given[name.strip()] = value.strip()
    return given
