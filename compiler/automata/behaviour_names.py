"""Names for the states of a table that nobody wrote, by what they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count

from gridlang.table import MOVES, Entry, Family, Member, Table
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


def behaviours_of(table: Table) -> list[str]:
    return [behaviour(table, state) for state in range(len(table.states))]


def _most(entries: list[Entry]) -> str:
    """The move made most often; of equals, the one on the first symbol."""
    moves = [entry.move for entry in entries]
    return MOVES[max(dict.fromkeys(moves), key=moves.count)]


def _word(symbol: str) -> str:
    """A symbol as part of a name."""
    return symbol if symbol.isascii() and symbol.isalnum() else WORDS.get(symbol, "sign")


def named_by_behaviour(table: Table) -> Table:
    """The table with names for what its states do; those that hold a digit are families."""
    behaviours = behaviours_of(table)
    families = tuple(_holding(table, behaviours))
    held = {m.state: family.label(m.values) for family in families for m in family.members}
    return replace(table, states=filled(held, behaviours), families=families)


def filled(known: Mapping[int, str], behaviours: Sequence[str]) -> tuple[str, ...]:
    """A name a state: what is given, else by behaviour; equal ones are numbered."""
    names, taken = dict(known), set(known.values())
    more: dict[str, Iterator[str]] = {}  # of a behaviour: the names that were not tried yet
    for state, name in enumerate(behaviours):
        if state not in names:
            names[state] = next(free for free in more.setdefault(name, _names(name)) if free not in taken)
            taken.add(names[state])
    return tuple(names[state] for state in range(len(behaviours)))


def _holding(table: Table, behaviours: Sequence[str]) -> Iterator[Family]:
    """States that hold a digit, reached by reading it, and alike in what they do: `hold(0)` to `hold(9)`."""
    digits = next((c for _, c in table.classes if len(c) > 1 and c == "0123456789"[: len(c)]), "")
    symbols = [table.symbols.index(digit) for digit in digits]
    names = (f"hold_{number}" if number > 1 else "hold" for number in count(1))
    held: set[int] = set()
    for row in table.rows if digits else ():
        entries = [row[symbol] for symbol in symbols]
        after = [entry.next for entry in entries if entry is not None]
        if len(set(after)) < len(symbols) or 0 in after or not held.isdisjoint(after):
            continue
        if len({behaviours[state] for state in after}) == 1:
            held.update(after)
            members = (Member(state, (digit,)) for digit, state in zip(digits, after, strict=True))
            yield Family(next(names), ("v",), tuple(members))


def _names(name: str) -> Iterator[str]:
    """The name, then the name with a number, from 2 on."""
    return chain([name], (f"{name}_{number}" for number in count(2)))
