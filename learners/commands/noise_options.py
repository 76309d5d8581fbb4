"""Options of noise: how much, and in what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def noise_options(function: Decorated) -> Decorated:
    """`--noise 5%` as a number, or None, and `--noise-in reads,moves` as kinds."""
    kinds = click.option(
        "--noise-in",
        default="reads,writes,moves",
        metavar="KINDS",
        callback=_parsed("kinds_of"),
        help="What to corrupt: reads, writes, moves.",
    )
    rate = click.option(
        "--noise",
        metavar="RATE",
        callback=_parsed("rate_of"),
        help="Share of records to corrupt, such as 5% or 0.05.",
    )
    return rate(kinds(function))


def _parsed(reader: str) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """Reads the text of an option; --help needs no numpy."""

    def read(_: click.Context, option: click.Parameter, text: str | None) -> Any:
        if text is None:
            return None
        from learners.methods.noise import corruption

        try:
            return getattr(corruption, reader)(text)
        except ValueError as error:
            raise click.BadParameter(str(error), param=option) from None

    return read
