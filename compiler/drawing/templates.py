"""HTML from the templates beside the code; all values are escaped.

A template is named by its package and its path there, `gridlang.compiler.drawing/web/page.html`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render(template: str, **values: object) -> str:
    """A template, filled with escaped values."""
    return _environment().get_template(template).render(values)


def macro(template: str, name: str) -> Callable[..., str]:
    """A macro of a template, which escapes the values it is called with."""
    part: Callable[..., str] = getattr(_environment().get_template(template).module, name)
    return part


def own_markup(text: str) -> Markup:
    """Marks our own drawings, styles and scripts, which are not escaped."""
    from markupsafe import Markup

    return Markup(text)


def resource(name: str) -> str:
    """The text of a file in a package: `gridlang.compiler.drawing/web/page.css`."""
    package, _, path = name.partition("/")
    return (files(package) / path).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    # loading jinja2 takes 0.1 s: only pages need it
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(resource),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    compact = {"ensure_ascii": False, "separators": (",", ":"), "allow_nan": False}
    environment.policies["json.dumps_kwargs"] = compact
    return environment


def _visible(value: Any) -> Any:
    """Text whose every character shows; those that could reorder or end a line become a sign."""
    if not isinstance(value, str) or hasattr(value, "__html__") or value.isprintable():
        return value
    return "".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in value)
