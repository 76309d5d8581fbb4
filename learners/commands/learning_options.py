"""Options of learning that several commands have."""

from __future__ import annotations

from collections.abc import Callable

import click

from gridlang.learners.train.method import METHODS


def training_device_option(purpose: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The device to train on; torch is the definition, and slow."""
    return click.option(
        "--device", default="auto", type=click.Choice(("auto", "cuda", "cpu", "torch")), help=purpose
    )


def method_option(
    usual: str, purpose: str, *more: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option("--method", default=usual, type=click.Choice((*more, *METHODS)), help=purpose)
