"""The source beside the graph: its lines, the files they are in, and the colours of its words."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from gridlang.compiler.automata.state_graph import Pair
from gridlang.program import Program
from gridlang.source import Source
from gridlang.syntax.scanner import Token, scan
from gridlang.vocabulary import BEFORE_STATES, HEADERS, LOCAL_WORDS, RESERVED

COMMENT, HEADER, KEYWORD, MOVE, TEXT, VALUE, STATE = "chkmtvs"  # classes of the style sheet
KINDS = {"MOVE": MOVE, "BLANK": VALUE, "INT": VALUE, "SYMBOL": TEXT, "STRING": TEXT, "PICTURE": TEXT}


def source_data(program: Program) -> dict[str, Any]:
    """The data of the pane's script; a file that only names this one's agent is not shown."""
    files = _first_lines(program)
    return {
        "source": [line for source in files for line in _lines(source)],
        "colours": [line for source in files for line in coloured(source)],
        "files": [[_shown_name(source), above] for source, above in files.items()],
        "file": os.path.basename(program.file),
        "headers": header_lines(program),
    }


def _shown_name(source: Source) -> str:
    """The name of a file; empty without one, as for an extracted agent."""
    return "" if source.path.startswith("<") else os.path.basename(source.path)


def coloured(source: Source) -> list[list[Any]]:
    """The colours of each line, as beginning, end, class: `[0, 5, "h", 6, 9, "s"]`."""
    lines: list[list[Any]] = [[] for _ in _lines(source)]
    for start, end, kind in sorted(_marks(source)):
        line, column = source.position(start)
        for part in source.text[start:end].split("\n"):  # a picture has several lines
            if part:
                lines[line - 1] += [column - 1, column - 1 + len(part), kind]
            line, column = line + 1, 1
    return lines


def _marks(source: Source) -> Iterable[tuple[int, int, str]]:
    for line in scan(source)[0]:
        for comment in line.comments:
            yield comment.span.start, comment.span.end, COMMENT
        for number, token in enumerate(line.tokens):
            if kind := _kind(token, number, line.tokens):
                yield token.span.start, token.span.end, kind


def _kind(token: Token, number: int, line: tuple[Token, ...]) -> str:
    if token.type == "mark":
        return ""
    if token.type != "word":
        return KINDS.get(token.type, TEXT)
    if number == 0 and token.value in HEADERS:
        return HEADER
    if token.value in RESERVED or token.value in LOCAL_WORDS.get(line[0].value, ()):
        return KEYWORD
    before = line[number - 1].value if number else ""
    return STATE if before in BEFORE_STATES else ""


def sources(program: Program) -> list[Source]:
    """The agent's file, then those whose states it uses, in the order of the page."""
    if program.definition is None:
        return []
    others = {rule.span.source: None for rule in program.rules.values()}
    return [program.definition.source, *(each for each in others if each is not program.definition.source)]


def _lines(source: Source) -> list[str]:
    return source.text.rstrip("\n").split("\n")


def _first_lines(program: Program) -> dict[Source, int]:
    """How many lines of the page stand above each file."""
    ends = accumulate((len(_lines(source)) for source in sources(program)), initial=0)
    return dict(zip(sources(program), ends, strict=False))


def source_lines(program: Program) -> dict[Pair, int]:
    """The line of the page's source behind each rule."""
    above = _first_lines(program)
    return {pair: above.get(rule.span.source, 0) + rule.span.line for pair, rule in program.rules.items()}


def header_lines(program: Program) -> list[int]:
    """The line that declares each state; 0 if unknown."""
    agent = program.definition.agent if program.definition else None
    above = _first_lines(program)
    declared_at = {
        name.name: above.get(declared.header.span.source, 0) + declared.header.span.line
        for declared in (agent.states if agent else ())
        for name in declared.header.names
    }
    home = program.table.family_by_state()
    made_by: dict[int, int] = {}  # States that write the rest of a word are declared by its rule.
    for (state, _), line in source_lines(program).items():
        made_by.setdefault(state, line if agent else 0)
    return [
        declared_at.get(name) or declared_at.get(home[q].name if q in home else "") or made_by.get(q, 0)
        for q, name in enumerate(program.table.states)
    ]
