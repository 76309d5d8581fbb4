"""The LALR tables of `grid.lark`: lark builds them once a user, then they are read from a cache.

Running them takes a page of code and no import of lark, which halves the start-up of `gridlang check`.
"""

from __future__ import annotations

import json
import os
import zlib
from functools import lru_cache
from typing import Any, NamedTuple

from gridlang.diagnostics import GridError
from gridlang.files import cache_folder, write_whole
from gridlang.syntax.builder import build
from gridlang.syntax.scanner import Token

KINDS = (
    "agent", "library", "use", "alphabet", "class", "input", "output", "let", "start", "state", "rule",
    "test",
)  # fmt: skip
END = "$END"
VERSION = 2  # format of the cached parse tables


class Production(NamedTuple):
    """A rule of the grammar, and what its reduction builds.

    Its `alias`, or its name, says what is built of the children; a `helper` rule hands its children on
    to the rule around it, and a `thin` one with a single child is that child.
    """

    origin: str
    size: int
    alias: str
    helper: bool
    thin: bool


class Grammar(NamedTuple):
    """`states[q][symbol]` is the next state, or -(n + 1) for production n."""

    states: list[dict[str, int]]
    productions: list[Production]
    ends: dict[str, tuple[int, int]]  # kind of line -> first and last parser state
    terminals: dict[str, str]  # spelling -> terminal


class Rejected(Exception):
    """The token at `index` cannot stand there; `accepted` could, by spelling or terminal."""

    def __init__(self, index: int, accepted: set[str]) -> None:
        super().__init__(index)
        self.index = index
        self.accepted = accepted


def parse_tokens(kind: str, tokens: tuple[Token, ...]) -> Any:
    """The node of one line of a known kind; raises Rejected."""
    grammar = grammar_tables()
    first, last = grammar.ends[kind]
    stack = [first]
    values: list[Any] = []
    for index, token in enumerate(tokens):
        name = _terminal(token, grammar, stack[-1])
        if not _reduce(grammar, name, stack, values, last):
            raise Rejected(index, _accepted(grammar, stack, last))
        stack.append(grammar.states[stack[-1]][name])
        values.append(token)
    if not _reduce(grammar, END, stack, values, last) or stack[-1] != last:
        raise Rejected(len(tokens), _accepted(grammar, stack, last))
    return values[-1]


def _terminal(token: Token, grammar: Grammar, state: int) -> str:
    """A word is a keyword only where the grammar can take it."""
    if token.type == "mark":
        return grammar.terminals[token.value]
    if token.type == "word":
        keyword = grammar.terminals.get(token.value)
        return keyword if keyword and keyword in grammar.states[state] else "NAME"
    return token.type


def _reduce(grammar: Grammar, name: str, stack: list[int], values: list[Any] | None, last: int) -> bool:
    """Completes rules until `name` can be shifted (or the line is done); False if it never can.

    Without `values` nothing is built: a dry run.
    """
    while True:
        action = grammar.states[stack[-1]].get(name)
        if action is None:
            return False
        if action >= 0:
            return True
        rule = grammar.productions[-action - 1]
        if rule.size:
            del stack[-rule.size :]
        # most rules climb one operator level
        passed_on = rule.thin and rule.size == 1 and values and type(values[-1]) is not list
        if values is not None and not passed_on:
            children = values[len(values) - rule.size :]
            del values[len(values) - rule.size :]
            values.append(_build(rule, children))
        stack.append(grammar.states[stack[-1]][rule.origin])
        if name == END and stack[-1] == last:
            return True


def _build(rule: Production, children: list[Any]) -> Any:
    grows = bool(children) and type(children[0]) is list  # left recursion grows one list in place
    flat: list[Any] = children[0] if grows else []
    for child in children[grows:]:
        if type(child) is list:
            flat += child
        else:
            flat.append(child)
    if rule.helper:
        return flat
    if rule.thin and len(flat) == 1:
        return flat[0]
    return build(rule.alias, flat)


def _accepted(grammar: Grammar, stack: list[int], last: int) -> set[str]:
    """The spellings (or terminals) that could come next; the empty string is the end."""
    spelling = {name: text for text, name in grammar.terminals.items()}
    spellings = set()
    for name in grammar.states[stack[-1]]:
        if (name.isupper() or name == END) and _reduce(grammar, name, list(stack), None, last):
            spellings.add("" if name == END else spelling.get(name, name))
    return spellings


@lru_cache(maxsize=1)
def grammar_tables() -> Grammar:
    """From the cache, or built anew; a cache that cannot be read or written does no harm."""
    with open(os.path.join(os.path.dirname(__file__), "grid.lark"), encoding="utf-8") as file:
        text = file.read()
    cached = os.path.join(cache_folder(), f"grammar-{zlib.crc32(f'{VERSION} {text}'.encode()):08x}.json")
    try:
        with open(cached, encoding="utf-8") as file:
            states, productions, ends, terminals = json.load(file)
        rules = [Production(*production) for production in productions]
        return Grammar(states, rules, {kind: (a, b) for kind, (a, b) in ends.items()}, terminals)
    except (OSError, ValueError, TypeError, KeyError):
        grammar = _built(text)
    try:
        os.makedirs(os.path.dirname(cached), exist_ok=True)
        write_whole(cached, json.dumps(grammar))
    except (OSError, GridError):
        pass
    return grammar


def _built(text: str) -> Grammar:
    import lark
    from lark.parsers.lalr_analysis import Shift

    lines = [f"{kind}_line" for kind in KINDS]
    parser = lark.Lark(
        text, parser="lalr", lexer="basic", start=lines, keep_all_tokens=True, maybe_placeholders=False
    )
    table: Any = parser.parser.parser._parse_table
    rules: dict[Any, int] = {}
    states = []
    for number in range(len(table.states)):
        actions = {}
        for name, (action, argument) in table.states[number].items():
            shift = action is Shift
            actions[name] = argument if shift else -rules.setdefault(argument, len(rules)) - 1
        states.append(actions)
    productions = [
        Production(
            rule.origin.name,
            len(rule.expansion),
            rule.alias or rule.origin.name,
            rule.origin.name.startswith("_"),
            bool(rule.options.expand1) and not rule.alias,
        )
        for rule in rules
    ]
    ends = {
        kind: (table.start_states[line], table.end_states[line])
        for kind, line in zip(KINDS, lines, strict=True)
    }
    terminals = {t.pattern.value: t.name for t in parser.terminals if t.pattern is not None}
    return Grammar(states, productions, ends, terminals)
