"""Labels of tables, and two tables in the same symbols: one symbol for one label on both sides."""

from __future__ import annotations

import re
from dataclasses import replace

from gridlang.labels import Alphabet, source_labels
from gridlang.table import STAY, Entry, Table

SPELLS_SYMBOLS = re.compile(r"""['"0-9]""")  # a clause that does not go by classes alone


def with_labels(table: Table, source: str) -> Table:
    """The table with the labels that its source has as comments."""
    return replace(table, labels=source_labels(source, table.symbols))


def in_symbols_of(alphabet: Alphabet, table: Table) -> Table:
    """The table with the symbols of an alphabet for the labels that both have; its numbers stay.

    Clauses that spell symbols are left out.
    """
    letters = alphabet.letters(table.alphabet)
    if all(own == symbol for symbol, own in letters.items()):
        return table
    spelling = str.maketrans(letters)
    clauses = ("" if SPELLS_SYMBOLS.search(clause) else clause for clause in (table.input, table.output))
    inputs, outputs = clauses
    return replace(
        table,
        symbols=alphabet.spelling(table.alphabet).symbols,
        classes=tuple((name, members.translate(spelling)) for name, members in table.classes),
        input=inputs,
        output=outputs,
    )


def knowing(table: Table, alphabet: Alphabet) -> Table:
    """The table with all symbols of an alphabet.

    It has no rules for those that are new to it, unless it is in a state that halts on everything.
    """
    more = tuple(symbol for symbol in alphabet.symbols if symbol not in table.symbols)
    if not more:
        return table
    first, theirs = len(table.symbols), alphabet.by_symbol()

    def added(state: int) -> tuple[Entry | None, ...]:
        halts = table.halts_everywhere(state)
        return tuple(Entry(first + at, STAY, state) if halts else None for at in range(len(more)))

    return replace(
        table,
        symbols=table.symbols + more,
        rows=tuple(row + added(state) for state, row in enumerate(table.rows)),
        labels=table.labels and table.labels + tuple(theirs.get(symbol, symbol) for symbol in more),
    )


def in_common_symbols(left: Table, right: Table) -> tuple[Table, Table]:
    """Both in LEFT's symbols. A label of one side is a symbol without rules on the other.

    Without labels, other symbols are another alphabet.
    """
    same = in_symbols_of(left.alphabet, right)
    if not left.labels or not right.labels:
        return left, same
    return knowing(left, same.alphabet), knowing(same, left.alphabet)
