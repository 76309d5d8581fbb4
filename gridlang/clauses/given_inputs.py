"""From a text to its world, or to the reason why it is not a declared input."""

from __future__ import annotations

from gridlang.clauses.inputs import InputLanguage
from gridlang.diagnostics import Fault, GridError
from gridlang.source import Source, Span
from gridlang.vocabulary import quote
from gridlang.world import World, string_world, unknown_symbol


def input_error(
    language: InputLanguage | None, text: str, symbols: tuple[str, ...], whole: Span
) -> GridError | None:
    """The complaint about a text that is not a declared input, with the position."""
    if strange := set(text).difference(symbols):
        place = next(at for at, symbol in enumerate(text) if symbol in strange)
        span = Span(whole.source, whole.start + place, whole.start + place + 1)
        return GridError([unknown_symbol(text[place], span, symbols)])
    if language is None:
        return None
    wrong = language.mismatch(text)
    if wrong is None and language.allows(text):
        return None
    hint = f"inputs are {language.clause}; any other world can be run with --world FILE"
    if wrong is None:
        assert language.condition is not None
        message = f"this input does not meet the condition `{language.condition.clause}`"
        label = language.condition.values(language.pieces(text))
        return Fault("G071", message, whole, label, hint)
    span = Span(whole.source, whole.start + wrong.position, whole.start + wrong.position + 1)
    expected = " | ".join(map(quote, wrong.expected)) + (" or the end" if wrong.may_end else "")
    if wrong.position == len(text):
        message = "this input ends too early"
    else:
        symbol, place = text[wrong.position], wrong.position + 1
        message = f"this input is not of the declared form: `{symbol}` at character {place}"
    label = f"expected {expected}" if wrong.expected else "expected the end"
    return Fault("G071", message, span, label, hint)


def input_world(text: str, symbols: tuple[str, ...], language: InputLanguage | None) -> World:
    """The world of an input, without spaces around it; GridError for a strange symbol, or a wrong form."""
    text = text.strip()
    whole = Span(Source("<input>", text), 0, len(text))
    error = input_error(language, text, symbols, whole)
    if error:
        raise error
    return string_world(text)
