"""Texts of syntax errors: the fact at its place, the likely mistake, and the text to type instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, islice, takewhile
from typing import NamedTuple, TypeAlias

from gridlang.diagnostics import Diagnostic, Edit, Fix, listing, replacing, respelt
from gridlang.source import Span
from gridlang.syntax.grammar import Rejected, parse_tokens
from gridlang.syntax.repairs import repairs, tried
from gridlang.syntax.scanner import QUOTE_THE_FILE, Token, quoted_file
from gridlang.vocabulary import MOVE_WORDS, RESERVED, quote

Cure: TypeAlias = tuple[str, tuple[Fix, ...]]  # a hint, and the fixes that do what it says
QUOTED = "as a symbol of the alphabet it is quoted"
_OPERANDS = {"NAME", "INT", "SYMBOL", "BLANK", "MOVE", "STRING", "any", "(", "-", "not"}
_GO_WORDS = ("go", "goto", "jump", "next", "then", "to")
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
        if self.index == len(self.tokens):
            return Token("END", "", self.tokens[-1].span.after())
        return self.tokens[self.index]

    @property
    def before(self) -> Token:
        return self.tokens[self.index - 1] if self.index else Token("START", "", self.tokens[0].span.before())

    @property
    def value(self) -> str:
        return self.token.value

    @property
    def after(self) -> str:
        return self.tokens[self.index + 1].value if self.index + 1 < len(self.tokens) else ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Its kind and `any`; in a rule also the part, which the colon ends."""
        part = "pattern" if ":" in self.accepted else "action"
        return (self.kind, "any", part) if self.kind == "rule" else (self.kind, "any")

    @property
    def behind_colon(self) -> bool:
        """Whether a word stands alone between the colon of a rule and the place."""
        colon = self.kind == "rule" and self.index > 1 and self.tokens[self.index - 2].value == ":"
        return colon and self.before.type == "word"

    @property
    def wants_operand(self) -> bool:
        return len(_OPERANDS & self.accepted) > 3

    @property
    def action(self) -> str:
        """What a rule does before the place, if it has no arrow yet."""
        tokens = self.tokens[: self.index]
        act = [*dropwhile(lambda token: token.value != ":" or token.type != "mark", tokens)][1:]
        leads = any(token.value in ("->", "as") for token in act)
        return act[0].span.to(act[-1].span).text if act and not leads else ""


def _between(before: Token, text: str, after: Token) -> tuple[Fix, ...]:
    return (replacing(Span(after.span.source, before.span.end, after.span.start), text),)


def _colon_for_arrow(at: Place) -> Cure:
    """The cure of `0 -> R`, `0 -> halt` and `0 -> STATE`."""
    hint, after, token = "a `:` stands between the pattern and what to do", at.after, at.token
    if after in (*"UDLRS", "halt", "write", "as"):
        return f"{hint}: `: {after}`", (replacing(token.span, ":"),)
    texts = (": R ->", ": as")
    moves = f"{hint}: `: R -> {after}` moves, `: as {after}` does at once what `{after}` does"
    return moves if after else hint, tuple(replacing(token.span, text, sure=False) for text in texts)


def _united(at: Place) -> Cure:
    """The cure of `0, 1`: every comma up to the colon becomes `|`."""
    marks = [token for token in at.tokens[at.index :] if token.type == "mark"]
    commas = takewhile(lambda token: token.value != ":", marks)
    edits = tuple(Edit(token.span, " |") for token in commas if token.value == ",")
    return f"symbols of one {at.kind} are united with `|`", (Fix("write `|`", edits),)


def _any_or_else(at: Place) -> Cure:
    """The gridlang word for `*`: `else` beside other rules, `any` alone."""
    source, line = at.token.span.source, at.token.span.line
    above = line > 1 and source.line(line - 1).split()[:1] == ["state"]
    below = "" if line == len(source.starts) else source.line(line + 1)
    alone = above and not below[:1].isspace()
    every, rest = "`any` matches every symbol", "`else` matches what no other rule does"
    hint = every if alone else f"{rest}, {every}"
    texts = ["any" if alone else "else"]
    if "'*'" in source.text:
        hint, texts = f"{hint}; the symbol * is written '*'", [*texts, "'*'"]
    return hint, tuple(replacing(at.token.span, text, sure=False) for text in texts)


def _move_word(at: Place) -> Cure:
    move = MOVE_WORDS[at.before.value.lower()]
    return f"moves are U D L R S; did you mean `{move}`?", (replacing(at.before.span, move),)


def _missing_colon(at: Place) -> Cure:
    acts = at.token.type == "MOVE" or at.value in ("write", "halt", "as", "->")
    fixes = (replacing(at.token.span.before(), ": "),) if acts else ()
    return "a `:` stands between the pattern and what to do", fixes


def _missing_arrow(at: Place) -> Cure:
    hint = f"the next state follows an arrow: `-> {at.value}`"
    if at.value.lower() in MOVE_WORDS:
        return hint, ()
    if at.behind_colon and at.before.value in _GO_WORDS:
        return f"`as {at.value}` does what `{at.value}` does", (replacing(at.before.span, "as"),)
    if at.value in _GO_WORDS and at.after.isidentifier():
        return f"the next state follows an arrow: `-> {at.after}`", (replacing(at.token.span, "->"),)
    return hint, (replacing(at.token.span.before(), "-> ", sure=not at.behind_colon),)


def _halts_unled(at: Place) -> Cure:
    """The cure of `R, halt` and `R halt`: an arrow in the place of the comma."""
    alone = at.tokens[-1].value == "halt" and len(at.tokens) - at.index <= 2
    fixes = _between(at.before, " -> ", at.tokens[-1]) if alone else ()
    return f"halting follows an arrow: `{at.action} -> halt`", fixes


def _missing_comma(at: Place) -> Cure:
    return f"a comma stands before the move: `, {at.value}`", _between(at.before, ", ", at.token)


def _is_bare(at: Place) -> bool:
    """Whether a mark may be a symbol without quotes."""
    return at.value not in "(),:" and len(at.value) == 1 and at.wants_operand


def _is_unled(at: Place) -> bool:
    return "->" in at.accepted and at.value not in RESERVED


def _is_unwritten(at: Place) -> bool:
    """Whether a word that means nothing stands before the symbol to write."""
    values = ("INT", "SYMBOL", "BLANK")
    return at.behind_colon and (at.token.type in values or (at.token.type == "word" and at.after == ","))


def _write(at: Place) -> Cure:
    fix = replacing(at.before.span, "write", sure=at.before.value not in _GO_WORDS)
    return f"a symbol is written by `write {at.token.span.text}`", (fix,)


def _moves_last(at: Place) -> bool:
    """Whether the move of a rule stands behind its target: `-> STATE, R`."""
    values = [token.value for token in at.tokens]
    last = values[-2:-1] == [","] and at.tokens[-1].type == "MOVE" and values.count("->") == 1
    return last and at.index in (values.index("->"), len(values) - 2)


def _move_first(at: Place) -> Cure:
    arrow = next(place for place, token in enumerate(at.tokens) if token.value == "->")
    target = at.tokens[arrow].span.to(at.tokens[-3].span).text
    before, move = at.tokens[arrow - 1], at.tokens[-1]
    comma = "," if before.value not in (",", ":") else ""
    place = Span(move.span.source, before.span.end, move.span.end)
    hint = f"the move stands before the arrow: `{move.value} {target}`"
    return hint, (replacing(place, f"{comma} {move.value} {target}"),)


def _arrow(first: Token, second: Token, *, fits: bool = True) -> Cure:
    return "an arrow is written `->`", (replacing(first.span.to(second.span), "->"),) if fits else ()


def _quoted(at: Place, hint: str, sure: bool = True) -> Cure:
    return f"{hint}: {quote(at.value)}", (replacing(at.token.span, quote(at.value), sure=sure),)


class _Mistake(NamedTuple):
    """A mistake, by its line and the tokens around the place: `KINDS: BEFORE | THERE`, each any of some.

    Its cure is a hint and the text that takes the token's place, if only one can be meant.
    """

    seen: str
    cure: str | Callable[[Place], Cure]
    instead: str | None = None
    when: Callable[[Place], object] | None = None

    def is_at(self, at: Place) -> bool:
        kinds, _, around = self.seen.partition(": ")
        before, there = (words.split() for words in around.split("|"))
        fit = bool({*kinds.split()} & {*at.kinds})
        for words, token in ((before, at.before), (there, at.token)):
            fit = fit and (not words or token.value in words or f"<{token.type}>" in words)
        return fit and (self.when is None or bool(self.when(at)))

    def cured(self, at: Place) -> Cure:
        if not isinstance(self.cure, str):
            return self.cure(at)
        fixes = () if self.instead is None else (replacing(at.token.span, self.instead),)
        move = at.value if at.token.type == "MOVE" else at.before.value
        return self.cure.format(move=move), fixes


IS_MOVE = "`{move}` is a move; call it something else"
EQUAL = "two values are compared with `==`"
# the first that fits wins
_MISTAKES = (
    _Mistake(
        "rule: write | <END>",
        "name the symbol to write; `#` starts a comment, so the symbol # is written '#'",
    ),
    _Mistake(
        "pattern: | <END>",
        "after the pattern comes `:` and what to do, such as `: R`; the symbol # is written '#'",
    ),
    _Mistake("agent use: from |", lambda at: (QUOTE_THE_FILE, quoted_file(at.before.span))),
    _Mistake("any: | <MOVE>", IS_MOVE, when=lambda at: "NAME" in at.accepted and not at.wants_operand),
    _Mistake("class state: <MOVE> | =", IS_MOVE),
    _Mistake(
        "state: | :", "a state has no colon; its rules stand below it", "", when=lambda at: not at.after
    ),
    _Mistake(
        "any: | =",
        lambda at: _arrow(at.token, at.tokens[at.index + 1], fits="->" in at.accepted),
        when=lambda at: at.after == ">",
    ),
    _Mistake("action: | if", "a guard stands before the colon: PATTERN if CONDITION : ..."),
    _Mistake("class pattern: | ,", _united),
    _Mistake("rule: not |", "all symbols but some are `any except ...`", when=lambda at: at.index == 1),
    _Mistake("any: | =", EQUAL, "==", when=lambda at: "==" in at.accepted),
    _Mistake("any: = - | >", lambda at: _arrow(at.before, at.token)),
    _Mistake(
        "any: | <STRING>",
        lambda at: _quoted(at, "a symbol has single quotes"),
        when=lambda at: len(at.value) == 1 and bool(_OPERANDS & at.accepted),
    ),
    _Mistake("rule: <START> | *", _any_or_else),
    _Mistake("pattern: | ->", _colon_for_arrow),
    _Mistake("any: | <mark>", lambda at: _quoted(at, QUOTED, sure=at.index == 0), when=_is_bare),
    _Mistake("rule: |", _move_first, when=_moves_last),
    _Mistake("rule: | <MOVE> left right back", _missing_comma, when=lambda at: "," in at.accepted),
    _Mistake(
        "rule: if |", "a guard follows a pattern: `any if CONDITION : ...`", when=lambda at: at.index == 1
    ),
    _Mistake("rule: halt | ->", "`halt` ends the run; to continue in another state, move: `R -> STATE`"),
    _Mistake(
        "rule: halt |",
        "`halt` ends the run; what is done before stands before an arrow, as in `write 1, R -> halt`",
    ),
    _Mistake("rule: | halt ,", _halts_unled, when=lambda at: "halt" in (at.value, at.after) and at.action),
    *(
        _Mistake(f"test: | {word}", f"write `{end}`: a test `halts`, is `stuck`, or `loops`", end)
        for word, end in _ENDINGS.items()
    ),
    _Mistake(
        "action: | halt write as",
        "a rule does one thing: `write SYMBOL, MOVE -> STATE`, `halt`, or `as STATE`",
    ),
    _Mistake("rule: <word> |", _move_word, when=lambda at: at.before.value.lower() in MOVE_WORDS),
    _Mistake("rule: <MOVE> | ,", "the order is `write SYMBOL, MOVE -> STATE`"),
    _Mistake("rule: |", _write, when=_is_unwritten),
    _Mistake("action: | <word>", _missing_arrow, when=_is_unled),
    _Mistake("pattern: | <MOVE> <word> <mark>", _missing_colon, when=lambda at: at.before.value != at.value),
    _Mistake("any: | is", EQUAL, "=="),
)


def _cure_of(at: Place) -> Cure:
    """The cure of the first mistake that fits a place; empty without one."""
    return next((mistake.cured(at) for mistake in _MISTAKES if mistake.is_at(at)), ("", ()))


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
    hint, known = next(_misspelt(at, line), None) or _cure_of(at)
    if hint and not known:
        return hint, (), hint
    trials = [(fix, tried(at.kind, line, fix)) for fix in known]
    fixes = tuple(fix._replace(sure=fix.sure and t.mends) for fix, t in trials if t.goes_further)
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
    for index in dict.fromkeys((at.index, at.index - 1, *(islice(colons, at.kind == "rule")))):
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
        if fixes and tried(at.kind, line, fixes[0]).mends:
            yield hint, fixes


def _expected(accepted: set[str]) -> str:
    """The acceptable continuations, in words; operators are left out where more is missing."""
    if "halt" in accepted:
        return "a move, `write`, `halt` or `as`"
    if accepted == {"NAME", "MOVE", "STRING"}:
        return "a state"
    if ":" in accepted and "halts" not in accepted:
        return "`:`"
    if Place("", (), 0, accepted).wants_operand:
        return "a symbol, a number or a name"
    words = [word for word in _STRUCTURE if word in accepted]
    words = words or sorted(accepted)
    return listing(_WORDS.get(word, word) for word in words[:5])
