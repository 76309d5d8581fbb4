"""What is known of a text after it is checked and lowered; travels between processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, GridError, counted, in_order
from gridlang.files import unsaved
from gridlang.loading import Loaded, try_load_source
from gridlang.lowering.parameters import constants, given_arguments
from gridlang.program import Program
from gridlang.source import Source, Span
from gridlang.syntax.formatter import format_source
from gridlang.table import MOVES, Table
from gridlang.values import show
from gridlang.vocabulary import quote

MOST_SHOWN = 12  # steps of a rule, or states of a family: more would fill the screen


class Expansion(NamedTuple):
    """The number of all, and some of them in words."""

    number: int
    some: tuple[str, ...]


class Summary(NamedTuple):
    """All that is known of a text, except for what an error hides."""

    findings: tuple[Diagnostic, ...] = ()
    size: str = ""  # empty where the text means no agent
    classes: Mapping[str, str] = {}
    values: Mapping[str, str] = {}
    states: Mapping[str, Expansion] = {}  # the reached instances of each declared state
    rules: Mapping[tuple[str, int], Expansion] = {}  # what the rule at a place does to each symbol
    gaps: Mapping[str, str] = {}  # symbols without a rule in an instance

    def after(self, old: Summary) -> Summary:
        """Fills in from before what an error hides, except for rules, whose places have changed."""
        return self if self.size else old._replace(findings=self.findings, size="", rules={})

    def of_changed_text(self) -> Summary:
        """What still holds after the text has changed: everything but places."""
        return self._replace(findings=(), rules={})


def summarise(path: str, texts: Mapping[str, str]) -> Summary:
    """What is known of a file; `texts` come before the disk."""
    unsaved.set(texts)
    return summary_of(try_load_source(Source(path, texts[path]), library=True))


def summary_of(loaded: Loaded) -> Summary:
    """What is known of a text that was loaded."""
    summary = _lowered(loaded.program) if loaded.program else Summary()
    return summary._replace(findings=tuple(in_order(loaded.diagnostics)))


def path_of(span: Span) -> str:
    """The real path of the file that a span is in."""
    return os.path.realpath(span.source.path)


def _lowered(program: Program) -> Summary:
    table = program.table
    states, symbols = len(table.states), len(table.symbols)
    return Summary(
        size=f"{counted(states, 'state')}, {counted(symbols, 'symbol')}",
        classes=dict(table.classes),
        values=_values(program),
        states=_states(table),
        rules=_rules(program),
        gaps={name: _missing(table, number) for number, name in enumerate(table.states)},
    )


def _values(program: Program) -> dict[str, str]:
    """The values of parameters and constants."""
    values = {name: str(value) for name, value in {**program.arguments, **program.bound}.items()}
    agent = program.definition.agent if program.definition else None
    if agent is None or not agent.lets:
        return values
    bound = {name: str(value) for name, value in program.bound.items()}
    named = constants(agent, given_arguments(agent.header, bound))
    return {**values, **{name: show(value) for name, value in named.items()}}


def _states(table: Table) -> dict[str, Expansion]:
    families = {
        family.name: Expansion(
            len(family.members), tuple(table.states[m.state] for m in family.members[:MOST_SHOWN])
        )
        for family in table.families
    }
    single = {name: Expansion(1, (name,)) for name in table.states}
    return {**single, **families}


def _missing(table: Table, state: int) -> str:
    gaps = [quote(table.symbols[x]) for x, entry in enumerate(table.rows[state]) if entry is None]
    return " ".join(gaps[:MOST_SHOWN]) + (" …" if len(gaps) > MOST_SHOWN else "")


def _rules(program: Program) -> dict[tuple[str, int], Expansion]:
    """By the place of each rule, what it does in each state and on each symbol that it matches."""
    pairs: dict[tuple[Source, int], list[tuple[int, int]]] = {}
    for pair, rule in program.rules.items():
        pairs.setdefault((rule.span.source, rule.span.start), []).append(pair)
    real = {source: os.path.realpath(source.path) for source, _ in pairs}
    return {
        (real[source], start): Expansion(
            len(each), tuple(_step(program.table, *pair) for pair in each[:MOST_SHOWN])
        )
        for (source, start), each in pairs.items()
    }


def _step(table: Table, state: int, symbol: int) -> str:
    entry = table.rows[state][symbol]
    assert entry is not None
    read = f"{table.states[state]}, {quote(table.symbols[symbol])}"
    if (entry.write, MOVES[entry.move], entry.next) == (symbol, "S", state):
        return f"{read}: halt"
    write = "" if entry.write == symbol else f"write {quote(table.symbols[entry.write])}, "
    after = "" if entry.next == state else f" -> {table.states[entry.next]}"
    return f"{read}: {write}{MOVES[entry.move]}{after}"


def formatted(path: str, text: str) -> str | None:
    """The text as `fmt` lays it out; None where it cannot."""
    try:
        return format_source(Source(path, text))
    except GridError:
        return None


class Panel(NamedTuple):
    """The replay page of a text, and the files that its source pane shows; or why there is none."""

    html: str | None = None
    files: tuple[str, ...] = ()
    message: str | None = None


def panel(path: str, text: str, texts: Mapping[str, str]) -> Panel:
    """The page that an editor shows beside a text."""
    from gridlang.compiler.drawing.page import page
    from gridlang.compiler.drawing.source_pane import sources
    from gridlang.compiler.drawing.views import first_scene

    unsaved.set(texts)
    program, found = try_load_source(Source(path, text))
    try:
        if program:
            html = page(first_scene(program)).decode()
            return Panel(html, tuple(os.path.realpath(source.path) for source in sources(program)))
    except GridError as error:
        found = tuple(error.diagnostics)
    first, *more = (d for d in found if d.is_error)
    place = f"line {first.span.line}: " if first.span else ""
    rest = f" (and {counted(len(more), 'more error')})" if more else ""
    return Panel(message=f"{place}{first.message}{rest}")
