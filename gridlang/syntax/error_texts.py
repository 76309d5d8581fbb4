"""What a syntax error says: the fact at the right place, and what to type instead."""

from __future__ import annotations

from gridlang.diagnostics import Diagnostic, Fix, listing
from gridlang.syntax.common_mistakes import QUOTED, Place, cure_of, wants_operand
from gridlang.syntax.repairs import goes_further, repairs
from gridlang.syntax.scanner import Token

_KIND = {
    "agent_line": "an `agent` line",
    "library_line": "a `library` line",
    "use_line": "a `use` line",
    "alphabet_line": "an `alphabet` line",
    "class_line": "a class of the alphabet",
    "input_line": "an `input` line",
    "output_line": "an `output` line",
    "let_line": "a `let` line",
    "start_line": "a `start` line",
    "state_line": "a `state` line",
    "rule_line": "a rule",
    "test_line": "a `test` line",
}
_FORM = {
    "agent_line": 'agent NAME, agent NAME(base in 2..10 = 10), or agent NAME = OTHER(base = 2) from "FILE"',
    "library_line": "library NAME; what its states need comes as parameters, as in state walk(over: class)",
    "use_line": 'states of another file are used with use NAME, NAME from "FILE"',
    "alphabet_line": "put each class on a line of its own below, such as `digit = 0..9`",
    "class_line": "a class is written NAME = 0..9 or NAME = 'x' | 'y'",
    "input_line": "an input is written like a = digit+, '+', b = digit+, perhaps with where a >= b",
    "let_line": "a constant is written let NAME = 3",
    "state_line": "a state is written state NAME, or state NAME(v in digit)",
    "rule_line": "a rule is written PATTERN : write SYMBOL, MOVE -> STATE",
    "test_line": 'a test is written test "input" = "result", or test "input" stuck',
}
_WORDS = {
    "NAME": "a name",
    "INT": "a number",
    "SYMBOL": "a symbol",
    "BLANK": "_",
    "MOVE": "a move",
    "STRING": "a string",
    "PICTURE": "a picture",
    "": "the end of the line",
}
_STRUCTURE = [
    ")",
    "]",
    "=",
    "from",
    "steps",
    "->",
    ",",
    "else",
    "if",
    "halts",
    "stuck",
    "loops",
    "after",
    "in",
    "within",
    "",
]


def explain_syntax_error(kind: str, tokens: tuple[Token, ...], index: int, accepted: set[str]) -> Diagnostic:
    """The diagnostic for the token at `index` (or the end of the line) that cannot stand there."""
    at_end = index == len(tokens)
    token = tokens[-1] if at_end else tokens[index]
    expected = _expected(accepted)
    place = token.span.after() if at_end else token.span
    what = "the line ends too early" if at_end else f"`{_shown(token)}` cannot stand here"
    message = f"{what} in {_KIND[kind]}"
    if not at_end and token.value == "=" and "==" in accepted:
        expected = "`==`"
    label = f"expected {expected}" if expected else ""
    hint, fixes, otherwise = _cures(kind, tokens, index, accepted)
    return Diagnostic("G010", message, place, label, hint, fixes=fixes, otherwise=otherwise)


def _cures(
    kind: str, tokens: tuple[Token, ...], index: int, accepted: set[str]
) -> tuple[str, tuple[Fix, ...], str]:
    """What to type: for a mistake that people often make, or else what makes the line follow the grammar."""
    form, line = _FORM.get(kind, ""), tokens[0].span.to(tokens[-1].span)
    word = kind.removesuffix("_line")
    hint, known = cure_of(Place(kind, tokens, index, accepted))
    if hint and not known:
        return hint, (), hint
    fixes = tuple(fix for fix in known if goes_further(word, line, fix))
    others = repairs(word, tokens, index, accepted)
    taken = [fix.edits for fix in fixes]
    fixes += tuple(each.fix for each in others if each.fix.edits not in taken)
    if not fixes or fixes[0] not in known:
        hint = next((each.hint for each in others if not each.plain), form)
        return hint or form, fixes, form
    return hint, fixes, form if hint.startswith(QUOTED) else hint


def _shown(token: Token) -> str:
    return token.span.text if len(token.span.text) <= 30 else token.span.text[:29] + "…"


def _expected(accepted: set[str]) -> str:
    """The acceptable continuations, in words; operators are left out where more is missing."""
    if "halt" in accepted:
        return "a move, `write`, `halt` or `as`"
    if accepted == {"NAME", "MOVE", "STRING"}:
        return "a state"
    if ":" in accepted and "halts" not in accepted:
        return "`:`"
    if wants_operand(accepted):
        return "a symbol, a number or a name"
    words = [word for word in _STRUCTURE if word in accepted]
    words = words or sorted(accepted)
    return listing(_WORDS.get(word, word) for word in words[:5])
