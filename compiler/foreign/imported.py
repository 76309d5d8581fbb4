"""What a reader makes of another tool's file, and the source written from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import ascii_letters, digits
from typing import NamedTuple

from gridlang.compiler.simulation.simulate import run
from gridlang.diagnostics import Diagnostic, GridError, fail
from gridlang.loading import load_source
from gridlang.outcomes import Outcome
from gridlang.printable import printable
from gridlang.printer import table_to_source
from gridlang.source import Source, Span
from gridlang.table import BLANK, MAX_STATES, MAX_SYMBOLS, Table, canonical
from gridlang.vocabulary import is_symbol, quote_text
from gridlang.world import string_world

TESTED_STEPS = 100_000  # a tenth of a second for the reference; most inputs halt sooner
# for symbols that are none here, such as a space that is not the blank: more than an agent can have
SPARE = ascii_letters + digits + "".join(map(chr, range(0x4E00, 0x4E00 + 2 * MAX_SYMBOLS)))
SHOWN_STEPS = 20  # of a machine that runs on: enough to see that it is the same


class Imported(NamedTuple):
    """A machine as a table, what its symbols were called, and the input of its file."""

    table: Table
    former: Mapping[str, str]
    input: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to change on the way."""
        return tuple(f"`{own}` stands for {name!r}" for own, name in self.former.items() if own != name)


def imported_source(imported: Imported, origin: str) -> str:
    """The `.grid` file: where it comes from, what had to change, the table, and a test of what it does.

    It is read back and must mean the same table.
    """
    table = canonical(imported.table)
    lines = [f"imported from {origin}", *imported.notes]
    text = "".join(f"# {printable(line)}\n" for line in lines) + table_to_source(table)
    if imported.input is not None:
        text += f"\n{_test_line(table, imported.input)}\n"
    again = load_source(Source(f"<import of {origin}>", text)).table
    assert (again.symbols, again.states, again.rows) == (table.symbols, table.states, table.rows)
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


def own_symbols(foreign: Iterable[str], blank: str, file: str) -> dict[str, str]:
    """A symbol for each of another tool's, the blank first.

    One that can be a symbol keeps its character. Others take a letter of their own, if it is free.
    """
    names = list(dict.fromkeys(foreign))
    if len(names) >= MAX_SYMBOLS:
        raise unfit(f"it has {len(names):,} symbols, and an agent {MAX_SYMBOLS:,} at most", None, file=file)
    symbols = {blank: BLANK}
    kept = [name for name in names if is_symbol(name) and name not in (BLANK, blank)]
    taken = {BLANK, *kept}
    for name in names:
        if name not in symbols:
            symbols[name] = name if name in kept else next(char for char in SPARE if char not in taken)
            taken.add(symbols[name])
    return symbols


def refuse_second(rules: Mapping[str, object], state: str, read: str, span: Span) -> None:
    """GridError if a state already has a rule for what is read."""
    if read in rules:
        raise unfit(f"state `{state}` has two rules for {read!r}", span, "an agent has one")


def numbered_states(
    start: str, states: Iterable[str], called: Mapping[str, str], file: str
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The numbers of states by their keys, the start first, and their names in this order."""
    keys = [start, *(state for state in states if state != start)]
    names = own_states({state: called.get(state, state) for state in keys}, file)
    return {state: number for number, state in enumerate(keys)}, tuple(names[state] for state in keys)


def own_states(called: Mapping[str, str], file: str) -> dict[str, str]:
    """A printable name for each state, by its key, with this key where two are alike."""
    if len(called) > MAX_STATES:
        raise unfit(f"it has {len(called):,} states, and an agent {MAX_STATES:,} at most", None, file=file)
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key, text in called.items():
        name = printable(text) or "state"
        if name in taken:
            name = f"{name} {printable(key)}"
        while name in taken:
            name += "'"
        taken.add(name)
        names[key] = name
    return names
