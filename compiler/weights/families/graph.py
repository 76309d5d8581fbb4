"""What was seen of an agent: states by number, and what each does on the symbols that it was seen to read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from gridlang.table import STAY, Entry, Table


class Step(NamedTuple):
    write: int
    move: int
    after: int | None  # None: the agent halts, or is stuck


STUCK = Step(-1, -1, None)  # where no rule may be
Rows = dict[int, dict[int, Step]]  # state 0 is the start


class SymbolClass(NamedTuple):
    """Symbols that are numbers to the language: digits by their value, others by their place."""

    name: str
    number: dict[int, int]  # of each symbol

    @property
    def size(self) -> int:
        return max(self.number.values()) + 1

    def symbol(self, number: int) -> int | None:
        return next((x for x, own in self.number.items() if own == number), None)


def classes_of(table: Table) -> list[SymbolClass]:
    """The classes that a parameter may range over: two symbols at least, none of them in an earlier one."""
    classes: list[SymbolClass] = []
    taken: set[str] = set()
    for name, members in table.classes:
        numbers = [int(c) if c in "0123456789" else place for place, c in enumerate(members)]
        if len(members) > 1 and taken.isdisjoint(members) and len(set(numbers)) == len(numbers):
            taken |= set(members)
            classes.append(
                SymbolClass(name, dict(zip(map(table.symbols.index, members), numbers, strict=True)))
            )
    return classes


def rows_of(table: Table, stuck: Collection[tuple[int, int]] = ()) -> Rows:
    """What a table does; it is stuck at these pairs of a state and a symbol, and free at others."""

    def step(x: int, entry: Entry | None) -> Step:
        if entry is None:
            return STUCK
        return Step(entry.write, entry.move, None if entry.is_idle(x) else entry.next)

    return {
        state: {x: step(x, e) for x, e in enumerate(row) if e is not None or (state, x) in stuck}
        for state, row in enumerate(table.rows)
    }


def renamed(rows: Rows, name: Callable[[int], int], kept: Iterable[int]) -> Rows:
    """Only the states that are kept; steps lead to what each state is called."""
    return {
        q: {
            x: step._replace(after=None if step.after is None else name(step.after))
            for x, step in rows[q].items()
        }
        for q in kept
    }


def reached(rows: Rows) -> Rows:
    order, seen = [0], {0}
    for q in order:
        fresh = {s.after for s in rows[q].values() if s.after is not None} - seen
        seen |= fresh
        order += sorted(fresh)
    return {q: rows[q] for q in order}


def shrunk(rows: Rows) -> Rows:
    """States that were seen on the same symbols and do the same for ever are one: that guesses nothing."""
    block = dict.fromkeys(rows, 0)
    while True:
        first: dict[object, int] = {}
        refined = {
            q: first.setdefault((block[q], frozenset(row.items())), q)
            for q, row in renamed(rows, block.__getitem__, rows).items()
        }
        if len(first) == len(set(block.values())):
            return renamed(rows, refined.__getitem__, first.values())
        block = refined


def resting(rows: Rows) -> Rows:
    """Where a step stays and the next one halts, it leads to a state that does nothing but halt."""
    end = max(rows) + 1
    halts: dict[int, Step] = {}

    def onward(step: Step) -> Step:
        if step.move != STAY or step.after is None or step.write not in rows[step.after]:
            return step
        last = rows[step.after][step.write]
        if last.after is not None or last == STUCK:
            return step
        halts[step.write] = last
        return step._replace(after=end)

    changed = {q: {x: onward(step) for x, step in row.items()} for q, row in rows.items()}
    return reached(changed | {end: halts}) if halts else rows


def groups_of(symbols: Iterable[int], classes: list[SymbolClass]) -> list[tuple[int | None, list[int]]]:
    """Symbols by class, each in the order of its numbers; those of no class alone."""
    left = sorted(symbols)
    groups: list[tuple[int | None, list[int]]] = []
    for g, known in enumerate(classes):
        mine = [x for x in known.number if x in left]
        if mine:
            groups.append((g, sorted(mine, key=known.number.__getitem__)))
        left = [x for x in left if x not in known.number]
    return groups + [(None, [x]) for x in left]


def class_by_symbol(classes: list[SymbolClass]) -> Mapping[int, int]:
    return {x: g for g, known in enumerate(classes) for x in known.number}
