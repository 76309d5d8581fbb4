"""HTML of objects in notebooks; packages above register renderers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

Renderer = Callable[[Any], str | None]

ABOVE = ("gridlang.compiler.notebooks", "gridlang.learners.notebooks")  # register renderers when imported
_RENDERERS: dict[type, Renderer] = {}


def register(kind: type, render: Renderer) -> None:
    """Shows things of this kind as this HTML; None leaves them as printed."""
    _RENDERERS[kind] = render


def html_of(thing: object) -> str | None:
    """The thing as HTML; None if nothing draws its kind."""
    for module in ABOVE:
        with suppress(ModuleNotFoundError):
            import_module(module)
        if render := _RENDERERS.get(type(thing)):
            return render(thing)
    return None


class Shown:
    """Base of classes that a notebook renders as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return html_of(self)
