"""The worlds and results that `test` lines speak of."""

from __future__ import annotations

from gridlang.diagnostics import GridError
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.world import World, picture_result, picture_world, result, string_world, unknown_symbol


def test_world(test: s.Test, symbols: tuple[str, ...]) -> World:
    """The world that a test starts from."""
    if isinstance(test.world, s.Picture):
        return picture_world(_inside(test.world), symbols)
    _known(test.world, symbols)
    return string_world(test.world.value)


def expected_result(test: s.Test, symbols: tuple[str, ...]) -> str | None:
    """The result that a test expects; None when it expects none in particular."""
    if test.result is None:
        return None
    if isinstance(test.result, s.Picture):
        return picture_result(_inside(test.result), symbols)
    _known(test.result, symbols)
    return result(string_world(test.result.value).cells)[0]


def _inside(picture: s.Picture) -> Span:
    return Span(picture.span.source, picture.span.start + 3, picture.span.end - 3)


def _known(text: s.Text, symbols: tuple[str, ...]) -> None:
    for place, symbol in enumerate(text.value):
        if symbol not in symbols:
            at = text.span.start + 1 + place
            span = Span(text.span.source, at, at + 1)
            raise GridError([unknown_symbol(symbol, span, symbols)])
