"""What a reader makes of another tool's file, and the source written from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gridlang.compiler.simulation.simulate import run
from gridlang.diagnostics import Diagnostic, GridError, fail
from gridlang.labels import SPARE, legend_comments
from gridlang.loading import load_source
from gridlang.outcomes import Outcome
from gridlang.printable import printable
from gridlang.printer import table_to_source
from gridlang.source import Source, Span
from gridlang.table import BLANK, MAX_STATES, MAX_SYMBOLS, Table, canonical
from gridlang.vocabulary import is_symbol, quote_text
from gridlang.world import string_world

TESTED_STEPS = 100_000  # a tenth of a second for the reference; most inputs halt sooner
SHOWN_STEPS = 20  # of a machine that runs on: enough to see that it is the same


class Imported(NamedTuple):
    """A machine as a table, the former name of its blank, and the input of its file."""

    table: Table
    blank: str = BLANK
    input: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to change on the way."""
        blank = [f"`{BLANK}` stands for {self.blank!r}"] if self.blank != BLANK else []
        return (*blank, *legend_comments(self.table.alphabet))


def imported_source(imported: Imported, origin: str) -> str:
    """The `.grid` file: where it comes from, what had to change, the table, and a test of what it does.

    It is read back and must mean the same table.
    """
    table = canonical(imported.table)
    blank = imported.notes[: imported.blank != BLANK]  # the source of the table tells the others
    lines = [f"imported from {origin}", *blank]
    text = "".join(f"# {printable(line)}\n" for line in lines) + table_to_source(table)
    if imported.input is not None:
        text += f"\n{_test_line(table, imported.input)}\n"
    again = load_source(Source(f"<import of {origin}>", text)).table
    assert (again.symbols, again.states, again.rows) == (table.symbols, table.states, table.rows)
    assert again.alphabet.legend() == table.alphabet.legend()
    return text


def _test_line(table: Table, text: str) -> str:
    """What the machine does on its input, as a test."""
    done = run(table, string_world(text), TESTED_STEPS)
    if done.outcome == Outcome.HALTED:
        return f"test {quote_text(text)} = {quote_text(done.result)}"
    if done.outcome == Outcome.BUDGET:
        done = run(table, string_world(text), SHOWN_STEPS)
        return f"test {quote_text(text)} after {SHOWN_STEPS} steps = {quote_text(done.result)}"
    return f"test {quote_text(text)} stuck"


def misread(message: str, span: Span, label: str = "", hint: str = "") -> GridError:
    """The error about a file that is not in its format."""
    return GridError([Diagnostic("G191", message, span, label, hint)])


def unfit(message: str, span: Span | None, label: str = "", hint: str = "", file: str = "") -> GridError:
    """The error about a well-written machine that is not an agent."""
    return GridError([Diagnostic("G192", message, span, label, hint, file=file)])


def inexpressible(table: Table, message: str, hint: str = "") -> GridError:
    """The error about an agent that another tool's format cannot say."""
    return fail("G193", message, hint, table.name)


def own_symbols(foreign: Iterable[str], blank: str | None, file: str) -> dict[str, str]:
    """A symbol for each of another tool's, the blank first.

    One that can be a symbol keeps its character. Others take a letter of their own, if it is free.
    """
    labels = list(dict.fromkeys(foreign))
    if len(labels) >= MAX_SYMBOLS:
        raise unfit(f"it has {len(labels):,} symbols, and an agent {MAX_SYMBOLS:,} at most", None, file=file)
    symbols = {} if blank is None else {blank: BLANK}
    kept = [label for label in labels if is_symbol(label) and label != BLANK and label != blank]
    taken = {BLANK, *kept}
    for label in labels:
        if label not in symbols:
            own = [char for char in label if is_symbol(char) and char not in "'\"\\#"]
            free = (char for char in (*own, *SPARE) if char not in taken)
            symbols[label] = label if label in kept else next(free)
            taken.add(symbols[label])
    return symbols


def refuse_second(rules: Mapping[str, object], state: str, read: str, span: Span) -> None:
    """GridError if a state already has a rule for what is read."""
    if read in rules:
        raise unfit(f"state `{state}` has two rules for {read!r}", span, "an agent has one")


def numbered_states(
    start: str, states: Iterable[str], labels: Mapping[str, str] | None, file: str
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The numbers of states by their keys, the start first, and their names in this order."""
    keys = [start, *(state for state in states if state != start)]
    names = own_states({state: (labels or {}).get(state, state) for state in keys}, file)
    return {state: number for number, state in enumerate(keys)}, tuple(names[state] for state in keys)


def own_states(labels: Mapping[str, str], file: str) -> dict[str, str]:
    """A name for each state, by its key: its label, made printable, with its key where two are alike."""
    if len(labels) > MAX_STATES:
        raise unfit(f"it has {len(labels):,} states, and an agent {MAX_STATES:,} at most", None, file=file)
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key, label in labels.items():
        name = printable(label) or "state"
        if name in taken:
            name = f"{name} {printable(key)}"
        while name in taken:
            name += "'"
        taken.add(name)
        names[key] = name
    return names
