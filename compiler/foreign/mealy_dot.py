"""Mealy machines as DOT, as AALpy and others write them: edges are labelled `input/output`.

An edge from `__start0` leads to the first state. A state is a statement, `s0 [label="s0"];`, and so is a
transition, `s0 -> s1 [label="a/b"];`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lark import Lark, Token, Tree, UnexpectedInput

from gridlang.compiler.foreign.imported import Imported, inexpressible, misread, refuse_second, unfit
from gridlang.compiler.foreign.machines import (
    RowTransducer,
    TapeRule,
    table_to_transducer,
    transducer_to_table,
)
from gridlang.printable import printable
from gridlang.program import Program
from gridlang.source import Source, Span

START = "__start0"
LOOKS = ("node", "edge", "graph")  # statements about looks
# AALpy leaves quotes within a label as they are. Such a label, BARE, is read to the end of its line: neither
# another attribute nor the end of the list follows its first quoted part.
GRAMMAR = r"""
    start: "strict"i? "digraph"i [_name] "{" (statement | setting | ";")* "}"
    setting: _name "=" _name
    statement: _name ("->" _name)* attributes*
    attributes: "[" (attribute | "," | ";")* "]"
    attribute: _name "=" _name | BARE
    _name: WORD | QUOTED
    WORD: /[^\s{}\[\];,="\->#\/]+(?:-(?!>)[^\s{}\[\];,="\->#\/]*)*/
    QUOTED: /"(?:[^"\\]|\\.)*"/s
    BARE.2: /label\s*=\s*(?!"(?:[^"\\\n]|\\.)*"[ \t,;]*(?:\w+[ \t]*=|\]))"[^\n]*"(?=\s*\]\s*;?[ \t]*$)/m
    SPACE: /(?:\s|\/\/[^\n]*|#[^\n]*|\/\*.*?\*\/)+/s
    %ignore SPACE
"""
_PLAIN = re.compile(
    r"(?!(?:node|edge|graph|digraph|subgraph|strict|__start)\b)[A-Za-z_][A-Za-z0-9_]*", re.ASCII
)


def read(source: Source) -> Imported:
    """The Mealy machine in a file."""
    states: dict[str, None] = {}
    rules: dict[str, dict[str, TapeRule]] = {}
    starts: list[Token] = []
    for names, label in _statements(source):
        start, *targets = map(_text, names)
        if len(names) > 2:
            raise misread("an edge is between two states", _span(source, names[2]))
        if not targets:
            states |= {start: None} if start not in (START, *LOOKS) else {}
        elif start.startswith("__start"):
            starts.append(names[1])
        else:
            states |= {start: None, targets[0]: None}
            place = _span(source, names[0] if label is None else label)
            _add(rules.setdefault(start, {}), start, targets[0], label, place)
    if len(starts) != 1:
        place = _span(source, starts[1]) if starts else Span(source, 0, 1)
        what = "there is no start" if not starts else "there are two starts"
        raise misread(what, place, "", f"an edge from `{START}` leads to the first state")
    first = _text(starts[0])
    states[first] = None
    machine = RowTransducer(first, {state: rules.get(state, {}) for state in states})
    return transducer_to_table(machine, source.path)


def _add(rules: dict[str, TapeRule], start: str, target: str, label: Token | None, place: Span) -> None:
    """A transition; its label has a slash between input and output, the first one."""
    text = _text(label) if label is not None else ""
    letter, slash, output = (part.strip() for part in text.partition("/"))
    if not slash or not letter or not output:
        hint = "an edge of a Mealy machine is labelled `input/output`"
        raise unfit(f"the label `{text}` is not an input and an output", place, "", hint)
    refuse_second(rules, start, letter, place)
    rules[letter] = TapeRule(output, "R", target)


def _statements(source: Source) -> Iterator[tuple[list[Token], Token | None]]:
    """The names that a statement joins by arrows, and its label if it has one."""
    try:
        tree = _parser().parse(source.text)
    except UnexpectedInput as error:
        at = error.pos_in_stream if error.pos_in_stream is not None else len(source.text)
        ended = getattr(getattr(error, "token", None), "type", "") == "$END"
        here = Span(source, len(source.text) if ended else at, min(at + 1, len(source.text)))
        what = "the file ends early" if ended or not here.text else f"`{here.text}` cannot stand here"
        raise misread(what, here, "", "a machine is `digraph { … }`, without subgraphs") from None
    for statement in tree.find_data("statement"):
        names = [child for child in statement.children if isinstance(child, Token)]
        yield names, _label(statement)


def _label(statement: Tree[Token]) -> Token | None:
    for attribute in statement.find_data("attribute"):
        name, *value = (child for child in attribute.children if isinstance(child, Token))
        if not value or _text(name).lower() == "label":
            return value[0] if value else name
    return None


def _is_readable(label: str, letter: str) -> bool:
    """Whether `input/output` reads back unchanged."""
    parts = letter, label[len(letter) + 1 :]
    plain = label.isprintable() and not set(label) & set('"\\')
    return plain and "/" not in letter and all(part and part == part.strip() for part in parts)


def _text(token: Token) -> str:
    """A name or a label without its quotes."""
    if token.type == "WORD":
        return str(token)
    text = token[token.index('"') + 1 : -1]
    return str(re.sub(r'\\(["\\])', r"\1", text) if token.type == "QUOTED" else text)


def _span(source: Source, token: Token) -> Span:
    return Span(source, token.start_pos or 0, token.end_pos or 0)


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr")


def render(program: Program) -> bytes:
    """The agent as AALpy reads it, its states under their names where DOT can hold these."""
    table = program.table
    transducer = table_to_transducer(table)
    if isinstance(transducer, str):
        hint = (
            "a Mealy machine walks right, writes one symbol for each that it reads, and halts behind the word"
        )
        raise inexpressible(table, f"this agent is not a Mealy machine: {transducer}", hint)
    if transducer.final is not None and len(transducer.final) < len(table.states):
        why = "this agent rejects some words, which a Mealy machine cannot"
        raise inexpressible(table, why, "write a finite automaton with --to jflap")
    plain = all(_PLAIN.fullmatch(state) for state in transducer.rules)
    names = {state: state if plain else f"s{number}" for number, state in enumerate(transducer.rules)}
    labels = table.alphabet.by_symbol()
    lines = ["digraph mealy {"]
    lines += [f'{name} [label="{name}"];' for name in names.values()]
    for state, rules in transducer.rules.items():
        for letter, step in rules.items():
            label = "/".join(labels.get(symbol, symbol) for symbol in (letter, step.write))
            if not _is_readable(label, labels.get(letter, letter)):
                raise inexpressible(table, f"`{printable(label)}` cannot be a label that AALpy reads back")
            lines.append(f'{names[state]} -> {names[step.next]} [label="{label}"];')
    lines += [f'{START} [shape=none, label=""];', f'{START} -> {names[transducer.start]} [label=""];', "}"]
    return "\n".join([*lines, ""]).encode()
