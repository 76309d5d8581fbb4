"""Names for the states of a table that nobody wrote, by what they do; it needs no numpy."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from gridlang.table import MOVES, Entry, Table
from gridlang.vocabulary import HALT

WORDS = {"_": "blank", "+": "plus", "-": "minus", "*": "star", "#": "hash", "=": "equals", "?": "mark"}


def behaviour(table: Table, state: int) -> str:
    """What a state does, in a word or three: `walk_R`, `write_0_L`, `turn_D`, `halt`.

    The target `halt` halts on every symbol; a state that was not seen on all of them is `done`.
    """
    entries = [(x, e) for x, e in enumerate(table.rows[state]) if e is not None]
    going = [(x, e) for x, e in entries if not e.is_idle(x)]
    if not going:
        return "stuck" if not entries else HALT if table.halts_everywhere(state) else "done"
    walking = [e for x, e in going if e.write == x and e.next == state]
    if walking:
        return f"walk_{_most(walking)}"
    writing = [(x, e) for x, e in going if e.write != x]
    if 2 * len(writing) < len(going):
        return f"step_{_most([e for _, e in going])}"
    written = {e.write for _, e in writing}
    what = f"write_{_word(table.symbols[written.pop()])}" if len(written) == 1 else "edit"
    return f"{what}_{_most([e for _, e in writing])}"


def _most(entries: list[Entry]) -> str:
    """The move made most often; of equals, the one on the first symbol."""
    moves = [entry.move for entry in entries]
    return MOVES[max(dict.fromkeys(moves), key=moves.count)]


def _word(symbol: str) -> str:
    """A symbol as part of a name."""
    return symbol if symbol.isascii() and symbol.isalnum() else WORDS.get(symbol, "sign")


def named_by_behaviour(table: Table) -> Table:
    """The table with names for what its states do; equal ones are numbered from 2 on."""
    names, times = list[str](), Counter[str]()
    for state in range(len(table.states)):
        name = behaviour(table, state)
        times[name] += 1
        names.append(f"{name}_{times[name]}" if times[name] > 1 else name)
    return replace(table, states=tuple(names), families=())
