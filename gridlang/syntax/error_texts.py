"""What a syntax error says: the fact at the right place, and what to type instead."""

from __future__ import annotations

from itertools import dropwhile

from gridlang.diagnostics import Diagnostic, Fix, listing, replacing
from gridlang.source import Span
from gridlang.syntax.lookalikes import QUOTE_THE_FILE, quoted_file
from gridlang.syntax.repairs import goes_further, repairs
from gridlang.syntax.scanner import Token
from gridlang.vocabulary import MOVE_WORDS, RESERVED, quote

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
_OPERANDS = {"NAME", "INT", "SYMBOL", "BLANK", "MOVE", "STRING", "any", "(", "-", "not"}
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
_QUOTED = "as a symbol of the alphabet it is quoted"
_ENDINGS = {"halt": "halts", "loop": "loops", "accept": "halts", "accepts": "halts", "reject": "stuck"}
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
    hint, known = _special(kind, tokens, index, accepted)
    if hint and not known:
        return hint, (), hint
    fixes = tuple(fix for fix in known if goes_further(word, line, fix))
    others = repairs(word, tokens, index, accepted)
    taken = [fix.edits for fix in fixes]
    fixes += tuple(each.fix for each in others if each.fix.edits not in taken)
    if not fixes or fixes[0] not in known:
        hint = next((each.hint for each in others if not each.plain), form)
        return hint or form, fixes, form
    return hint, fixes, form if hint.startswith(_QUOTED) else hint


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
    if _OPERANDS & accepted and len(_OPERANDS & accepted) > 3:
        return "a symbol, a number or a name"
    words = [word for word in _STRUCTURE if word in accepted]
    words = words or sorted(accepted)
    return listing(_WORDS.get(word, word) for word in words[:5])


def _said(tokens: tuple[Token, ...]) -> str:
    """What a rule does behind its colon, if it leads nowhere yet."""
    act = [*dropwhile(lambda token: token.value != ":" or token.type != "mark", tokens)][1:]
    leads = any(token.value in ("->", "as") for token in act)
    return act[0].span.to(act[-1].span).text if act and not leads else ""


def _inserted(token: Token, text: str) -> Fix:
    """The fix that puts something before a token."""
    return replacing(Span(token.span.source, token.span.start, token.span.start), text)


def _last(tokens: tuple[Token, ...], index: int, text: str, title: str) -> tuple[Fix, ...]:
    """The fix of a line's last token; what follows it would be in the way."""
    last = index == len(tokens) - 1
    return (replacing(tokens[index].span, text, title=title),) if last else ()


def _arrow(tokens: tuple[Token, ...], index: int) -> tuple[Fix, ...]:
    """The fix that puts an arrow before the `halt` that ends a line, in the place of a comma."""
    place = Span(tokens[index].span.source, tokens[index - 1].span.end, tokens[-1].span.start)
    alone = tokens[-1].value == "halt" and len(tokens) - index <= 2
    return (replacing(place, " -> "),) if alone else ()


def _colon_for_arrow(token: Token, after: str) -> tuple[str, tuple[Fix, ...]]:
    """What to type for `0 -> R`, `0 -> halt` and `0 -> STATE`."""
    hint = "a `:` stands between the pattern and what to do"
    if after in (*"UDLRS", "halt", "write", "as"):
        return f"{hint}: `: {after}`", (replacing(token.span, ":"),)
    texts = (": R ->", ": as")
    moves = f"{hint}: `: R -> {after}` moves, `: as {after}` does at once what `{after}` does"
    return moves if after else hint, tuple(replacing(token.span, text, sure=False) for text in texts)


def _any_or_else(token: Token) -> tuple[str, tuple[Fix, ...]]:
    """What `*` for every symbol is called: `else` beside other rules, `any` alone."""
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


def _special(
    kind: str, tokens: tuple[Token, ...], index: int, accepted: set[str]
) -> tuple[str, tuple[Fix, ...]]:
    """A hint for a mistake that people really make, and what mends it where that is clear."""
    fixes: tuple[Fix, ...]
    token = tokens[index] if index < len(tokens) else None
    before = tokens[index - 1] if index else None
    if token is None:
        if kind == "rule_line" and before and before.value == "write":
            return "name the symbol to write; `#` starts a comment, so the symbol # is written '#'", ()
        if kind == "rule_line" and ":" in accepted:
            hint = "after the pattern comes `:` and what to do, such as `: R`; the symbol # is written '#'"
            return hint, ()
        return "", ()
    value = token.value
    after = tokens[index + 1].value if index + 1 < len(tokens) else ""
    if kind in ("agent_line", "use_line") and before and before.value == "from":
        return QUOTE_THE_FILE, quoted_file(before.span)
    if token.type == "MOVE" and "NAME" in accepted and not len(_OPERANDS & accepted) > 3:
        return f"`{value}` is a move; call it something else", ()
    if before and before.type == "MOVE" and value == "=" and kind in ("class_line", "state_line"):
        return f"`{before.value}` is a move; call it something else", ()
    if kind == "state_line" and value == ":" and index == len(tokens) - 1:
        return "a state has no colon; its rules stand below it", _last(tokens, index, "", "remove the colon")
    if value == "=" and after == ">":
        arrow = (replacing(token.span.to(tokens[index + 1].span), "->"),)
        return "an arrow is written `->`", arrow if "->" in accepted else ()
    if kind == "rule_line" and value == "if" and ":" not in accepted:
        return "a guard stands before the colon: PATTERN if CONDITION : ...", ()
    if kind == "rule_line" and value == "," and ":" in accepted:
        return "symbols of one rule are united with `|`", (replacing(token.span, " |"),)
    if kind == "rule_line" and before and before.value == "not" and index == 1:
        return "all symbols but some are `any except ...`", ()
    if value == "=" and "==" in accepted:
        return "two values are compared with `==`", (replacing(token.span, "=="),)
    if value == ">" and before and before.value in ("=", "-"):
        return "an arrow is written `->`", (replacing(before.span.to(token.span), "->"),)
    if token.type == "STRING" and len(value) == 1 and _OPERANDS & accepted:
        return f"a symbol has single quotes: {quote(value)}", (replacing(token.span, quote(value)),)
    if kind == "rule_line" and index == 0 and value == "*":
        return _any_or_else(token)
    if kind == "rule_line" and value == "->" and ":" in accepted:
        return _colon_for_arrow(token, after)
    if token.type == "mark" and value not in "(),:" and len(value) == 1 and len(_OPERANDS & accepted) > 3:
        fixes = (replacing(token.span, quote(value), sure=index == 0),)
        return f"{_QUOTED}: {quote(value)}", fixes
    if kind == "rule_line" and before and before.value == "halt":
        if value == "->":
            return "`halt` ends the run; to go on in another state, move: `R -> STATE`", ()
        hint = "`halt` ends the run; what is done before stands before an arrow, as in `write 1, R -> halt`"
        return hint, ()
    said = _said(tokens[:index]) if "halt" in (value, after) else ""
    if kind == "rule_line" and said and (value == "halt" or value == ","):
        return f"halting follows an arrow: `{said} -> halt`", _arrow(tokens, index)
    if kind == "test_line" and value in _ENDINGS:
        fixes = (replacing(token.span, _ENDINGS[value]),)
        return f"write `{_ENDINGS[value]}`: a test `halts`, is `stuck`, or `loops`", fixes
    if kind == "rule_line" and ":" not in accepted and value in ("halt", "write", "as"):
        return "a rule does one thing: `write SYMBOL, MOVE -> STATE`, `halt`, or `as STATE`", ()
    if kind == "rule_line" and before and before.value.lower() in MOVE_WORDS and before.type == "word":
        move = MOVE_WORDS[before.value.lower()]
        return f"moves are U D L R S; did you mean `{move}`?", (replacing(before.span, move),)
    if kind == "rule_line" and value == "," and before and before.type == "MOVE":
        return "the order is `write SYMBOL, MOVE -> STATE`", ()
    if kind == "rule_line" and "->" in accepted and token.type == "word" and value not in RESERVED:
        fixes = () if value.lower() in MOVE_WORDS else (_inserted(token, "-> "),)
        return f"the next state follows an arrow: `-> {value}`", fixes
    if kind == "rule_line" and ":" in accepted and token.type in ("MOVE", "word", "mark"):
        acts = token.type == "MOVE" or value in ("write", "halt", "as", "->")
        return "a `:` stands between the pattern and what to do", (_inserted(token, ": "),) if acts else ()
    if token.type == "word" and value == "is":
        return "two values are compared with `==`", (replacing(token.span, "=="),)
    return "", ()
