"""Texts of syntax errors: the fact at its place, the likely mistake, and the text to type instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import TypeAlias

from gridlang.diagnostics import Diagnostic, Fix, listing, replacing, respelt
from gridlang.source import Span
from gridlang.syntax.grammar import Rejected, parse_tokens
from gridlang.syntax.repairs import repairs, tried
from gridlang.syntax.scanner import QUOTE_THE_FILE, Token, quoted_file
from gridlang.vocabulary import MOVE_WORDS, RESERVED, TURNS, quote

Cure: TypeAlias = tuple[str, tuple[Fix, ...]]  # a hint, and the fixes that do what it says
QUOTED = "as a symbol of the alphabet it is quoted"
MOST_SLIPS = 8  # of one line
_OPERANDS = {"NAME", "INT", "SYMBOL", "BLANK", "MOVE", "STRING", "any", "(", "-", "not"}
_GO_WORDS = {"go", "goto", "jump", "next", "then", "to"}
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
    def before(self) -> Token:
        return self.tokens[self.index - 1] if self.index else Token("", "", self.tokens[0].span.before())

    @property
    def value(self) -> str:
        return self.token.value

    @property
    def after(self) -> str:
        return self.tokens[self.index + 1].value if self.index + 1 < len(self.tokens) else ""

    @property
    def in_rule(self) -> bool:
        return self.kind == "rule"

    @property
    def in_pattern(self) -> bool:
        """Whether the colon of a rule is still to come."""
        return self.in_rule and ":" in self.accepted

    def follows(self, *words: str) -> bool:
        return self.before.value in words

    def replaced(self, text: str, *, sure: bool = True) -> tuple[Fix, ...]:
        return (replacing(self.token.span, text, sure=sure),)


def wants_operand(accepted: set[str]) -> bool:
    return len(_OPERANDS & accepted) > 3


def cure_of(at: Place) -> Cure:
    """The cure of the first mistake in the table that fits this place; empty without one."""
    table = _AT_THE_END if at.index == len(at.tokens) else _MISTAKES
    cure = next((cure for made, cure in table if made(at)), "")
    return (cure, ()) if isinstance(cure, str) else cure(at)


def _said(tokens: tuple[Token, ...]) -> str:
    """The action of a rule behind its colon, if it has no arrow yet."""
    act = [*dropwhile(lambda token: token.value != ":" or token.type != "mark", tokens)][1:]
    leads = any(token.value in ("->", "as") for token in act)
    return act[0].span.to(act[-1].span).text if act and not leads else ""


def _arrow(at: Place) -> tuple[Fix, ...]:
    """The fix that puts an arrow before the `halt` that ends a line, in the place of a comma."""
    last = at.tokens[-1]
    gap = Span(last.span.source, at.before.span.end, last.span.start)
    alone = last.value == "halt" and len(at.tokens) - at.index <= 2
    return (replacing(gap, " -> "),) if alone else ()


def _colon_for_arrow(at: Place) -> Cure:
    """The cure of `0 -> R`, `0 -> halt` and `0 -> STATE`."""
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
    """The cure of `right` and the like, before the place."""
    move = MOVE_WORDS[at.before.value.lower()]
    return f"moves are U D L R S; did you mean `{move}`?", (replacing(at.before.span, move),)


def _halts_unled(at: Place) -> bool:
    """Whether `halt` comes after something that is done, without an arrow."""
    return at.value in ("halt", ",") and "halt" in (at.value, at.after) and bool(_said(at.tokens[: at.index]))


def _missing_colon(at: Place) -> Cure:
    acts = at.token.type == "MOVE" or at.value in ("write", "halt", "as", "->")
    return "a `:` stands between the pattern and what to do", (
        replacing(at.token.span.before(), ": "),
    ) if acts else ()


def _missing_arrow(at: Place) -> Cure:
    hint = f"the next state follows an arrow: `-> {at.value}`"
    if at.value.lower() in MOVE_WORDS:
        return hint, ()
    if _first_word(at) and at.follows(*_GO_WORDS):
        return f"`as {at.value}` does what `{at.value}` does", (replacing(at.before.span, "as"),)
    if at.value in _GO_WORDS and at.after.isidentifier():
        return f"the next state follows an arrow: `-> {at.after}`", at.replaced("->")
    return hint, (replacing(at.token.span.before(), "-> ", sure=not _first_word(at)),)


def _first_word(at: Place) -> bool:
    """Whether a word stands alone between the colon and the place."""
    return at.in_rule and at.index > 1 and at.tokens[at.index - 2].value == ":" and at.before.type == "word"


def _writes_unsaid(at: Place) -> bool:
    """Whether a word that means nothing stands before the symbol to write."""
    values = ("INT", "SYMBOL", "BLANK")
    return _first_word(at) and (at.token.type in values or (at.token.type == "word" and at.after == ","))


def _write(at: Place) -> Cure:
    sure = at.before.value not in _GO_WORDS
    fix = replacing(at.before.span, "write", sure)
    return f"a symbol is written by `write {at.token.span.text}`", (fix,)


def _moves_last(at: Place) -> bool:
    """Whether the move of a rule stands behind its target: `-> STATE, R`."""
    values = [token.value for token in at.tokens]
    last = values[-2:-1] == [","] and at.tokens[-1].type == "MOVE" and values.count("->") == 1
    return at.in_rule and last and at.index in (values.index("->"), len(values) - 2)


def _move_first(at: Place) -> Cure:
    arrow = next(place for place, token in enumerate(at.tokens) if token.value == "->")
    target = at.tokens[arrow].span.to(at.tokens[-3].span).text
    before, move = at.tokens[arrow - 1], at.tokens[-1]
    comma = "," if before.value not in (",", ":") else ""
    place = Span(move.span.source, before.span.end, move.span.end)
    fix = replacing(place, f"{comma} {move.value} {target}")
    return f"the move stands before the arrow: `{move.value} {target}`", (fix,)


def _missing_comma(at: Place) -> Cure:
    gap = Span(at.token.span.source, at.before.span.end, at.token.span.start)
    return f"a comma stands before the move: `, {at.value}`", (replacing(gap, ", "),)


def _arrow_of_two(first: Token, second: Token, *, fits: bool = True) -> Cure:
    return "an arrow is written `->`", (replacing(first.span.to(second.span), "->"),) if fits else ()


# a mistake, and its cure; a text where only the writer knows what to type
_Row: TypeAlias = tuple[Callable[[Place], bool], Callable[[Place], Cure] | str]
_AT_THE_END: tuple[_Row, ...] = (
    (
        lambda at: at.in_rule and at.follows("write"),
        ("name the symbol to write; `#` starts a comment, so the symbol # is written '#'"),
    ),
    (
        lambda at: at.in_pattern,
        ("after the pattern comes `:` and what to do, such as `: R`; the symbol # is written '#'"),
    ),
)
# the first that fits wins
_MISTAKES: tuple[_Row, ...] = (
    (
        lambda at: at.kind in ("agent", "use") and at.follows("from"),
        lambda at: (QUOTE_THE_FILE, quoted_file(at.before.span)),
    ),
    (
        lambda at: at.token.type == "MOVE" and "NAME" in at.accepted and not wants_operand(at.accepted),
        lambda at: (f"`{at.value}` is a move; call it something else", ()),
    ),
    (
        lambda at: at.before.type == "MOVE" and at.value == "=" and at.kind in ("class", "state"),
        lambda at: (f"`{at.before.value}` is a move; call it something else", ()),
    ),
    (
        lambda at: at.kind == "state" and at.token is at.tokens[-1] and at.value == ":",
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
        ("a guard stands before the colon: PATTERN if CONDITION : ..."),
    ),
    (
        lambda at: at.in_pattern and at.value == ",",
        lambda at: ("symbols of one rule are united with `|`", at.replaced(" |")),
    ),
    (
        lambda at: at.in_rule and at.follows("not") and at.index == 1,
        ("all symbols but some are `any except ...`"),
    ),
    (
        lambda at: at.value == "=" and "==" in at.accepted,
        lambda at: ("two values are compared with `==`", at.replaced("==")),
    ),
    (
        lambda at: at.value == ">" and at.follows("=", "-"),
        lambda at: _arrow_of_two(at.before, at.token),
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
    (_moves_last, _move_first),
    (
        lambda at: at.in_rule and "," in at.accepted and (at.token.type == "MOVE" or at.value in TURNS),
        _missing_comma,
    ),
    (
        lambda at: at.in_rule and at.index == 1 and at.follows("if"),
        ("a guard follows a pattern, as in `any if CONDITION : ...`"),
    ),
    (
        lambda at: at.in_rule and at.follows("halt") and at.value == "->",
        ("`halt` ends the run; to continue in another state, move: `R -> STATE`"),
    ),
    (
        lambda at: at.in_rule and at.follows("halt"),
        ("`halt` ends the run; what is done before stands before an arrow, as in `write 1, R -> halt`"),
    ),
    (
        lambda at: at.in_rule and _halts_unled(at),
        lambda at: (f"halting follows an arrow: `{_said(at.tokens[: at.index])} -> halt`", _arrow(at)),
    ),
    (
        lambda at: at.kind == "test" and at.value in _ENDINGS,
        lambda at: (
            f"write `{_ENDINGS[at.value]}`: a test `halts`, is `stuck`, or `loops`",
            at.replaced(_ENDINGS[at.value]),
        ),
    ),
    (
        lambda at: at.in_rule and not at.in_pattern and at.value in ("halt", "write", "as"),
        ("a rule does one thing: `write SYMBOL, MOVE -> STATE`, `halt`, or `as STATE`"),
    ),
    (
        lambda at: at.in_rule and at.before.type == "word" and at.before.value.lower() in MOVE_WORDS,
        _move_word,
    ),
    (
        lambda at: at.in_rule and at.value == "," and at.before.type == "MOVE",
        ("the order is `write SYMBOL, MOVE -> STATE`"),
    ),
    (_writes_unsaid, _write),
    (
        lambda at: (
            at.in_rule and "->" in at.accepted and at.token.type == "word" and at.value not in RESERVED
        ),
        _missing_arrow,
    ),
    (
        lambda at: at.in_pattern and at.token.type in ("MOVE", "word", "mark") and not at.follows(at.value),
        _missing_colon,
    ),
    (
        lambda at: at.token.type == "word" and at.value == "is",
        lambda at: ("two values are compared with `==`", at.replaced("==")),
    ),
)


_NOUNS = {"class": "a class of the alphabet", "rule": "a rule"}  # of lines without a first word
_FORM = {
    "agent": 'agent NAME, agent NAME(base in 2..10 = 10), or agent NAME = OTHER(base = 2) from "FILE"',
    "library": "library NAME; what its states need comes as parameters, as in state walk(over: class)",
    "use": 'states of another file are used with use NAME, NAME from "FILE"',
    "alphabet": "put each class on a line of its own below, such as `digit = 0..9`",
    "class": "a class is written NAME = 0..9 or NAME = 'x' | 'y'",
    "input": "an input is written like a = digit+, '+', b = digit+, perhaps with where a >= b",
    "output": "an output is written like output a + b",
    "start": "the start is written start STATE",
    "let": "a constant is written let NAME = 3",
    "state": "a state is written state NAME, or state NAME(v in digit)",
    "rule": "a rule is written PATTERN : write SYMBOL, MOVE -> STATE",
    "test": 'a test is written test "input" = "result", or test "input" stuck',
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
    shown = token.span.text if len(token.span.text) <= 30 else token.span.text[:29] + "…"
    what = "the line ends too early" if at_end else f"`{shown}` cannot stand here"
    article = "an" if kind[0] in "aio" else "a"
    message = f"{what} in {_NOUNS.get(kind, f'{article} `{kind}` line')}"
    if not at_end and token.value == "=" and "==" in accepted:
        expected = "`==`"
    label = f"expected {expected}" if expected else ""
    hint, fixes, otherwise = _cures(Place(kind, tokens, index, accepted))
    return Diagnostic("G010", message, place, label, hint, fixes, otherwise=otherwise)


def _cures(at: Place) -> tuple[str, tuple[Fix, ...], str]:
    """Hint and fixes of a common mistake, or else edits that make the line follow the grammar."""
    form, line = _FORM[at.kind], at.tokens[0].span.to(at.tokens[-1].span)
    hint, known = next(_misspelt(at, line), None) or cure_of(at)
    if hint and not known:
        return hint, (), hint
    fixes = tuple(
        fix._replace(sure=fix.sure and _leads_to_a_line(at.kind, line, fix))
        for fix in known
        if tried(at.kind, line, fix).goes_further
    )
    others = repairs(at.kind, at.tokens, at.index, at.accepted)
    taken = [fix.edits for fix in fixes]
    fixes += tuple(each.fix for each in others if each.fix.edits not in taken)
    if not fixes or not known or fixes[0].edits != known[0].edits:
        hint = next((each.hint or each.fix.title for each in others if not each.plain), form)
        return hint or form, fixes, form
    return hint, fixes, form if hint.startswith(QUOTED) else hint


def _misspelt(at: Place, line: Span) -> Iterator[Cure]:
    """A word that is nearly one that the grammar takes: here, just before, or behind the colon."""
    colons = (place + 1 for place, token in enumerate(at.tokens[: at.index]) if token.value == ":")
    for index in dict.fromkeys((at.index, at.index - 1, *(islice(colons, at.in_rule)))):
        if not 0 <= index < len(at.tokens) or at.tokens[index].type != "word":
            continue
        token, accepted = at.tokens[index], at.accepted
        if index < at.index:
            try:
                parse_tokens(at.kind, at.tokens[:index])
            except Rejected as stop:
                accepted = stop.accepted
        keywords = {each for each in accepted if each.isalpha() and each.islower()} - {token.value}
        hint, fixes = respelt(token.value, keywords, token.span)
        if fixes and _leads_to_a_line(at.kind, line, fixes[0]):
            yield hint, fixes


def _leads_to_a_line(kind: str, line: Span, fix: Fix) -> bool:
    """Whether the line follows the grammar with this fix, and the sure ones of what is wrong behind it."""
    for _ in range(MOST_SLIPS):
        attempt = tried(kind, line, fix)
        if attempt.stop is None or not attempt.goes_further:
            return attempt.mends
        tokens, stop = attempt.tokens, attempt.stop
        line = tokens[0].span.to(tokens[-1].span)
        _, known = cure_of(Place(kind, tokens, stop.index, stop.accepted))
        if not any(each.sure for each in known):
            return False
        fix = next(each for each in known if each.sure)
    return False


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
