"""Inputs that are drawn to see what values do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.position_automaton import Bounds
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.simulation.clause_folding import fold_clause

MORE = (0, 0, 1, 1, 2, 3, 4)  # repetitions beyond the least
FAR_MORE = tuple(range(14))  # so that powers of weights are told apart at odd and even places
Drawn = Callable[[], str]


def random_texts(language: InputLanguage, more: Sequence[int] = MORE) -> Iterator[str]:
    """Texts of a clause, with repetitions of a few; those that its condition allows."""
    random = Random(0)

    def cell(symbols: str) -> Drawn:
        return lambda: random.choice(symbols)

    def many(body: Drawn, bounds: Bounds) -> Drawn:
        return lambda: "".join(
            body() for _ in range(min(bounds.least + random.choice(more), bounds.most or 99))
        )

    def either(options: list[Drawn]) -> Drawn:
        return lambda: random.choice(options)()

    def row(parts: list[Drawn]) -> Drawn:
        return lambda: "".join(part() for part in parts)

    draw = fold_clause(language, cell, many, either, row, one_cell=False)
    yield from filter(language.allows, (draw() for _ in range(LIMITS.most_value_texts)))
