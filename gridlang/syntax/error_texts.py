"""What a syntax error says: the fact at the right place, mistakes people make, and what to type instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import dropwhile
from typing import TypeAlias

from gridlang.diagnostics import Diagnostic, Fix, listing, replacing
from gridlang.source import Span
from gridlang.syntax.repairs import goes_further, repairs
from gridlang.syntax.scanner import QUOTE_THE_FILE, Token, quoted_file
from gridlang.vocabulary import MOVE_WORDS, RESERVED, quote

Cure: TypeAlias = tuple[str, tuple[Fix, ...]]  # a hint, and the fixes that do what it says
QUOTED = "as a symbol of the alphabet it is quoted"
_OPERANDS = {"NAME", "INT", "SYMBOL", "BLANK", "MOVE", "STRING", "any", "(", "-", "not"}
_ENDINGS = {"halt": "halts", "loop": "loops", "accept": "halts", "accepts": "halts", "reject": "stuck"}


@dataclass(frozen=True)
class Place:
    """Where a line stops following the grammar: the token at `index`, or the end of the line."""

    kind: str
    tokens: tuple[Token, ...]
    index: int
    accepted: set[str]

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def before(self) -> Token | None:
        return self.tokens[self.index - 1] if self.index else None

    @property
    def value(self) -> str:
        return self.token.value

    @property
    def after(self) -> str:
        return self.tokens[self.index + 1].value if self.index + 1 < len(self.tokens) else ""

    @property
    def last(self) -> bool:
        return self.index == len(self.tokens) - 1

    @property
    def in_rule(self) -> bool:
        return self.kind == "rule_line"

    @property
    def in_pattern(self) -> bool:
        """Whether the colon of a rule is still to come."""
        return self.in_rule and ":" in self.accepted

    def follows(self, *words: str) -> bool:
        return self.before is not None and self.before.value in words

    def replaced(self, text: str, *, sure: bool = True) -> tuple[Fix, ...]:
        return (replacing(self.token.span, text, sure=sure),)


def wants_operand(accepted: set[str]) -> bool:
    return len(_OPERANDS & accepted) > 3


def cure_of(at: Place) -> Cure:
    """What to type for the first mistake of the table that is made here; nothing for others."""
    table = _AT_THE_END if at.index == len(at.tokens) else _MISTAKES
    return next((cure(at) for made, cure in table if made(at)), ("", ()))


def _said(tokens: tuple[Token, ...]) -> str:
    """What a rule does behind its colon, if it leads nowhere yet."""
    act = [*dropwhile(lambda token: token.value != ":" or token.type != "mark", tokens)][1:]
    leads = any(token.value in ("->", "as") for token in act)
    return act[0].span.to(act[-1].span).text if act and not leads else ""


def _arrow(at: Place) -> tuple[Fix, ...]:
    """The fix that puts an arrow before the `halt` that ends a line, in the place of a comma."""
    last = at.tokens[-1]
    gap = Span(last.span.source, at.tokens[at.index - 1].span.end, last.span.start)
    alone = last.value == "halt" and len(at.tokens) - at.index <= 2
    return (replacing(gap, " -> "),) if alone else ()


def _inserted(at: Place, text: str) -> Fix:
    span = at.token.span
    return replacing(Span(span.source, span.start, span.start), text)


def _colon_for_arrow(at: Place) -> Cure:
    """What to type for `0 -> R`, `0 -> halt` and `0 -> STATE`."""
    hint, after, token = "a `:` stands between the pattern and what to do", at.after, at.token
    if after in (*"UDLRS", "halt", "write", "as"):
        return f"{hint}: `: {after}`", (replacing(token.span, ":"),)
    texts = (": R ->", ": as")
    moves = f"{hint}: `: R -> {after}` moves, `: as {after}` does at once what `{after}` does"
    return moves if after else hint, tuple(replacing(token.span, text, sure=False) for text in texts)


def _any_or_else(at: Place) -> Cure:
    """The gridlang word for `*`: `else` beside other rules, `any` alone."""
    token = at.token
    source, line = token.span.source, token.span.line
    above = line > 1 and source.line(line - 1).split()[:1] == ["state"]
    below = "" if line == len(source.starts) else source.line(line + 1)
    alone = above and not below[:1].isspace()
    every, rest = "`any` matches every symbol", "`else` matches what no other rule does"
    hint = every if alone else f"{rest}, {every}"
    texts = ["any" if alone else "else"]
    if "'*'" in source.text:
        hint, texts = f"{hint}; the symbol * is written '*'", [*texts, "'*'"]
    return hint, tuple(replacing(token.span, text, sure=False) for text in texts)


def _move_word(at: Place) -> Cure:
    """What to type for `right` and its like, before the place."""
    assert at.before is not None
    move = MOVE_WORDS[at.before.value.lower()]
    return f"moves are U D L R S; did you mean `{move}`?", (replacing(at.before.span, move),)


def _follows_move_word(at: Place) -> bool:
    return at.before is not None and at.before.type == "word" and at.before.value.lower() in MOVE_WORDS


def _follows_move(at: Place) -> bool:
    return at.before is not None and at.before.type == "MOVE"


def _halts_unled(at: Place) -> bool:
    """Whether `halt` comes after something that is done, without an arrow."""
    return at.value in ("halt", ",") and "halt" in (at.value, at.after) and bool(_said(at.tokens[: at.index]))


def _missing_colon(at: Place) -> Cure:
    acts = at.token.type == "MOVE" or at.value in ("write", "halt", "as", "->")
    return "a `:` stands between the pattern and what to do", (_inserted(at, ": "),) if acts else ()


def _missing_arrow(at: Place) -> Cure:
    fixes = () if at.value.lower() in MOVE_WORDS else (_inserted(at, "-> "),)
    return f"the next state follows an arrow: `-> {at.value}`", fixes


def _arrow_of_two(first: Token, second: Token, *, fits: bool = True) -> Cure:
    return "an arrow is written `->`", (replacing(first.span.to(second.span), "->"),) if fits else ()


def _hint(text: str) -> Callable[[Place], Cure]:
    """A hint without a fix: only the writer knows what to type."""
    return lambda _: (text, ())


_Row: TypeAlias = tuple[Callable[[Place], bool], Callable[[Place], Cure]]
_AT_THE_END: tuple[_Row, ...] = (
    (
        lambda at: at.in_rule and at.follows("write"),
        _hint("name the symbol to write; `#` starts a comment, so the symbol # is written '#'"),
    ),
    (
        lambda at: at.in_pattern,
        _hint("after the pattern comes `:` and what to do, such as `: R`; the symbol # is written '#'"),
    ),
)
# The first that fits is told.
_MISTAKES: tuple[_Row, ...] = (
    (
        lambda at: at.kind in ("agent_line", "use_line") and at.follows("from"),
        lambda at: (QUOTE_THE_FILE, quoted_file(at.tokens[at.index - 1].span)),
    ),
    (
        lambda at: at.token.type == "MOVE" and "NAME" in at.accepted and not wants_operand(at.accepted),
        lambda at: (f"`{at.value}` is a move; call it something else", ()),
    ),
    (
        lambda at: _follows_move(at) and at.value == "=" and at.kind in ("class_line", "state_line"),
        lambda at: (f"`{at.tokens[at.index - 1].value}` is a move; call it something else", ()),
    ),
    (
        lambda at: at.kind == "state_line" and at.value == ":" and at.last,
        lambda at: (
            "a state has no colon; its rules stand below it",
            (replacing(at.token.span, "", title="remove the colon"),),
        ),
    ),
    (
        lambda at: at.value == "=" and at.after == ">",
        lambda at: _arrow_of_two(at.token, at.tokens[at.index + 1], fits="->" in at.accepted),
    ),
    (
        lambda at: at.in_rule and at.value == "if" and not at.in_pattern,
        _hint("a guard stands before the colon: PATTERN if CONDITION : ..."),
    ),
    (
        lambda at: at.in_pattern and at.value == ",",
        lambda at: ("symbols of one rule are united with `|`", at.replaced(" |")),
    ),
    (
        lambda at: at.in_rule and at.follows("not") and at.index == 1,
        _hint("all symbols but some are `any except ...`"),
    ),
    (
        lambda at: at.value == "=" and "==" in at.accepted,
        lambda at: ("two values are compared with `==`", at.replaced("==")),
    ),
    (
        lambda at: at.value == ">" and at.follows("=", "-"),
        lambda at: _arrow_of_two(at.tokens[at.index - 1], at.token),
    ),
    (
        lambda at: at.token.type == "STRING" and len(at.value) == 1 and bool(_OPERANDS & at.accepted),
        lambda at: (f"a symbol has single quotes: {quote(at.value)}", at.replaced(quote(at.value))),
    ),
    (lambda at: at.in_rule and at.index == 0 and at.value == "*", _any_or_else),
    (lambda at: at.in_pattern and at.value == "->", _colon_for_arrow),
    (
        lambda at: (
            at.token.type == "mark"
            and at.value not in "(),:"
            and len(at.value) == 1
            and wants_operand(at.accepted)
        ),
        lambda at: (f"{QUOTED}: {quote(at.value)}", at.replaced(quote(at.value), sure=at.index == 0)),
    ),
    (
        lambda at: at.in_rule and at.follows("halt") and at.value == "->",
        _hint("`halt` ends the run; to continue in another state, move: `R -> STATE`"),
    ),
    (
        lambda at: at.in_rule and at.follows("halt"),
        _hint("`halt` ends the run; what is done before stands before an arrow, as in `write 1, R -> halt`"),
    ),
    (
        lambda at: at.in_rule and _halts_unled(at),
        lambda at: (f"halting follows an arrow: `{_said(at.tokens[: at.index])} -> halt`", _arrow(at)),
    ),
    (
        lambda at: at.kind == "test_line" and at.value in _ENDINGS,
        lambda at: (
            f"write `{_ENDINGS[at.value]}`: a test `halts`, is `stuck`, or `loops`",
            at.replaced(_ENDINGS[at.value]),
        ),
    ),
    (
        lambda at: at.in_rule and not at.in_pattern and at.value in ("halt", "write", "as"),
        _hint("a rule does one thing: `write SYMBOL, MOVE -> STATE`, `halt`, or `as STATE`"),
    ),
    (lambda at: at.in_rule and _follows_move_word(at), _move_word),
    (
        lambda at: at.in_rule and at.value == "," and _follows_move(at),
        _hint("the order is `write SYMBOL, MOVE -> STATE`"),
    ),
    (
        lambda at: (
            at.in_rule and "->" in at.accepted and at.token.type == "word" and at.value not in RESERVED
        ),
        _missing_arrow,
    ),
    (lambda at: at.in_pattern and at.token.type in ("MOVE", "word", "mark"), _missing_colon),
    (
        lambda at: at.token.type == "word" and at.value == "is",
        lambda at: ("two values are compared with `==`", at.replaced("==")),
    ),
)


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
_STRUCTURE = (
    ")", "]", "=", "from", "steps", "->", ",", "else", "if", "halts", "stuck", "loops", "after", "in",
    "within", "",
)  # fmt: skip


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
