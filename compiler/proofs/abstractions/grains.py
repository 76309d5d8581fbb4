"""Grains of strips, from coarse to fine: how much is told apart. The checker computes the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from gridlang.compiler.automata.explore import strong_components
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.verifier.strips import Grain
from gridlang.compiler.verifier.tables import LeavesRows, Rules
from gridlang.table import MOVES, Table

T = TypeVar("T")


@lru_cache(maxsize=4)
def bare_rules(table: Table) -> Rules:
    """A table as its checker has it, without its clauses."""
    does = {(p, symbol): (entry.write, MOVES[entry.move], entry.next) for p, symbol, entry in table.entries()}
    return Rules(len(table.states), table.symbols, does, None)


def families_and_states(table: Table) -> tuple[list[int], list[int]]:
    """What marks and kinds tell apart: families and states of an agent; of a large one its cycles, if few.

    Grams grow with a power of the kinds.
    """
    families, states = list(table.family_numbers()), list(range(len(table.states)))
    if len(states) > LIMITS.most_kinds:
        steps = [(state, entry.next) for state, _, entry in table.entries()]
        states = list(strong_components(len(states), steps))
        states = states if max(states) < LIMITS.most_kinds else [0] * len(states)
    return families if max(families) < LIMITS.most_kinds else states, states


def grains(left: Table) -> Iterator[Grain]:
    """What to try, from coarse to fine."""
    families, states = families_and_states(left)
    for dim in (True, False):
        grain = grain_of(left, families, families, dim=dim)
        for depth in (1, 2):
            grain = grain._replace(depth=depth)
            yield grain
            if depth == 1:
                yield grain._replace(remembers=True)
            yield grain._replace(kinds=states, ahead=1)
            yield grain._replace(marks=states, kinds=states, ahead=2)


def grain_of(table: Table, marks: list[int], kinds: list[int], *, dim: bool) -> Grain:
    return Grain(0, 0, dim, symbol_classes(table), marks, kinds)


def symbol_classes(table: Table) -> list[int]:
    """A number for each symbol; symbols have the same if the same named classes contain them."""
    numbers: dict[object, int] = {}
    classes = [(name, chars) for name, chars in table.classes if len(chars) > 1]
    alike = [tuple(name for name, chars in classes if symbol in chars) or symbol for symbol in table.symbols]
    return [numbers.setdefault(names, len(numbers)) for names in alike]


def strip_evidence(grain: Grain) -> dict[str, Any]:
    """As a certificate names it."""
    low, high, *_ = grain
    parts = grain._asdict()
    del parts["low"], parts["high"]
    return {"kind": "strips", "rows": [low, high], **parts}


def widened(make: Callable[[Grain], T], grain: Grain) -> tuple[T, Grain]:
    """What is made on as few rows as the head stays in, or leaves for good; LeavesRows if too many."""
    while True:
        try:
            return make(grain), grain
        except LeavesRows as outside:
            low, high = min(grain.low, outside.at), max(grain.high, outside.at)
            if high - low >= LIMITS.most_strip_rows:
                raise
            grain = grain._replace(low=low, high=high)
