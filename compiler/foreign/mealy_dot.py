"""Mealy machines as DOT, as AALpy and others write them: edges are labelled `input/output`.

An edge from `__start0` leads to the first state. A state is a statement, `s0 [label="s0"];`, and so is a
transition, `s0 -> s1 [label="a/b"];`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from compiler.foreign.imported import Imported, inexpressible, misread, unfit
from compiler.foreign.row_transducers import (
    RowTransducer,
    Transition,
    table_to_transducer,
    transducer_to_table,
)
from gridlang.program import Program
from gridlang.source import Source, Span

START = "__start0"
SETTINGS = ("node", "edge", "graph")  # These statements say how things look.
_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*|\#[^\n]*|/\*.*?\*/)+)
      | (?P<arrow>->)
      | (?P<mark>[{}\[\];,=])
      | (?P<quoted>"(?:[^"\\]|\\.)*")
      | (?P<word>[^\s{}\[\];,="\->#/]+(?:-(?!>)[^\s{}\[\];,="\->#/]*)*)""",
    re.VERBOSE | re.DOTALL,
)
# AALpy quotes a label and leaves quotes in it as they are. Such a label is read to the end of its line: one
# whose first quoted part is followed neither by another attribute nor by the end of the list.
_LABEL = re.compile(
    r"""\s*label\s*=\s*(?!"(?:[^"\\\n]|\\.)*"[ \t]*[,;]?[ \t]*(?:\w+[ \t]*=|\]))"""
    r""""(?P<text>[^\n]*)"\s*\]\s*;?[ \t]*(?=\n|$)"""
)
_PLAIN = re.compile(
    r"(?!(?:node|edge|graph|digraph|subgraph|strict|__start)\b)[A-Za-z_][A-Za-z0-9_]*", re.ASCII
)


class Token(NamedTuple):
    kind: str
    text: str
    span: Span


def read(source: Source) -> Imported:
    """The Mealy machine in a file."""
    states: dict[str, None] = {}
    rules: dict[str, dict[str, Transition]] = {}
    starts: list[Token] = []
    for names, label in _statements(source):
        if len(names) == 1:
            if names[0].text not in (START, *SETTINGS):
                states[names[0].text] = None
            continue
        if len(names) > 2:
            raise misread("an edge is between two states", names[2].span)
        start, target = names
        if start.text.startswith("__start"):
            starts.append(target)
            continue
        states |= {start.text: None, target.text: None}
        _add(rules.setdefault(start.text, {}), start, target.text, label)
    if len(starts) != 1:
        place = starts[1].span if starts else Span(source, 0, 1)
        what = "there is no start" if not starts else "there are two starts"
        raise misread(f"{what}", place, "", f"an edge from `{START}` leads to the first state")
    states[starts[0].text] = None
    machine = RowTransducer(starts[0].text, {state: rules.get(state, {}) for state in states})
    return transducer_to_table(machine, source.path)


def _add(rules: dict[str, Transition], start: Token, target: str, label: Token | None) -> None:
    """A transition; its label has a slash between input and output, the first one."""
    text = label.text if label else ""
    place = label.span if label else start.span
    letter, slash, output = (part.strip() for part in text.partition("/"))
    if not slash or not letter or not output:
        hint = "an edge of a Mealy machine is labelled `input/output`"
        raise unfit(f"the label `{text}` is no input and output", place, "", hint)
    if letter in rules:
        message = f"state `{start.text}` has two edges for the input `{letter}`"
        raise unfit(message, place, "an agent is deterministic")
    rules[letter] = Transition(output, target)


def _statements(source: Source) -> Iterator[tuple[list[Token], Token | None]]:
    """The names that a statement joins by arrows, and its label if it has one."""
    tokens = _Tokens(source)
    tokens.skip_head()
    while (token := tokens.next()).text != "}" or token.kind != "mark":
        if (token.kind, token.text) == ("mark", ";"):
            continue
        if token.kind not in ("word", "quoted"):
            raise misread(f"`{token.text}` cannot stand here", token.span)
        if token.text.lower() == "subgraph":
            raise misread("a subgraph cannot be imported", token.span)
        names = [token]
        while tokens.peek().kind == "arrow":
            tokens.next()
            names.append(tokens.next())
        if tokens.peek().text == "=" and len(names) == 1:  # `rankdir=LR` says how it looks.
            tokens.next()
            tokens.next()
            continue
        yield names, tokens.attributes() if tokens.peek().text == "[" else None


class _Tokens:
    """The words and marks of a text, one at a time."""

    def __init__(self, source: Source) -> None:
        self.source, self.at = source, 0
        self.ahead: Token | None = None

    def peek(self) -> Token:
        if self.ahead is None:
            self.ahead = self._read()
        return self.ahead

    def next(self) -> Token:
        token = self.peek()
        self.ahead = None
        return token

    def _read(self) -> Token:
        text = self.source.text
        while True:
            match = _TOKEN.match(text, self.at)
            if match is None:
                here = Span(self.source, self.at, min(self.at + 1, len(text)))
                what = "the file ends early" if self.at >= len(text) else f"`{here.text}` cannot stand here"
                raise misread(what, here)
            self.at = match.end()
            if match.lastgroup != "space":
                break
        kind, word = str(match.lastgroup), match[0]
        if kind == "quoted":
            word = re.sub(r'\\(["\\])', r"\1", word[1:-1])
        return Token(kind, word, Span(self.source, match.start(), match.end()))

    def skip_head(self) -> None:
        """`digraph NAME {`."""
        first = self.next()
        if first.text.lower() == "strict":
            first = self.next()
        if first.text.lower() != "digraph":
            raise misread("this is no directed graph", first.span, "", "a machine begins with `digraph {`")
        if self.next().text != "{" and (brace := self.next()).text != "{":
            raise misread(f"`{brace.text}` cannot stand here", brace.span)

    def attributes(self) -> Token | None:
        """What stands in brackets; the label of it."""
        bare = _LABEL.match(self.source.text, self.next().span.end)
        if bare and bare["text"].count('"') != bare["text"].count('\\"'):
            self.at, self.ahead = bare.end(), None
            return Token("quoted", bare["text"], Span(self.source, bare.start("text"), bare.end("text")))
        label = None
        while (name := self.next()).text != "]" or name.kind != "mark":
            if name.kind == "mark" and name.text in ",;":
                continue
            if (equals := self.next()).text != "=":
                raise misread(
                    f"`{equals.text}` cannot stand here", equals.span, "", "an attribute is `name=value`"
                )
            value = self.next()
            if name.text.lower() == "label":
                label = value
        return label


def render(program: Program) -> bytes:
    """The agent as AALpy reads it, its states under their names where DOT can hold these."""
    table = program.table
    transducer = table_to_transducer(table)
    if isinstance(transducer, str):
        hint = "it writes a symbol for each that it reads, from left to right, and halts behind them"
        raise inexpressible(table, f"it is no Mealy machine: {transducer}", hint)
    if transducer.final is not None and len(transducer.final) < len(table.states):
        hint = "write a finite automaton with --to jflap"
        raise inexpressible(
            table, "it accepts some words and not others, which a Mealy machine cannot say", hint
        )
    plain = all(_PLAIN.fullmatch(state) for state in transducer.rules)
    names = {state: state if plain else f"s{number}" for number, state in enumerate(transducer.rules)}
    lines = ["digraph mealy {"]
    lines += [f'{name} [label="{name}"];' for name in names.values()]
    for state, rules in transducer.rules.items():
        for letter, step in rules.items():
            if letter in '/"\\' or step.output in '"\\':
                raise inexpressible(
                    table, f"`{letter}/{step.output}` cannot be a label that AALpy reads back"
                )
            lines.append(f'{names[state]} -> {names[step.next]} [label="{letter}/{step.output}"];')
    lines += [
        f'{START} [shape=none, label=""];',
        f'{START} -> {names[transducer.start]} [label=""];',
        "}",
        "",
    ]
    return "\n".join(lines).encode()
