"""Names for the states of an extracted table after the expert's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from compiler.automata.behaviour_names import behaviours_of, filled, named_by_behaviour
from compiler.proofs.equivalence import aligned
from compiler.proofs.joint_step import LEFT_STUCK, RIGHT_DIFFERS, joint_run
from gridlang.table import Table, families_for
from gridlang.vocabulary import HALT
from gridlang.world import string_world
from learners.evaluation.lockstep import Case
from learners.extraction.limits import LIMITS


def named_after(expert: Table, table: Table, cases: Iterable[Case]) -> Table:
    """The table with the expert's names and families, where they keep step; the rest is named by behaviour.

    A state is named after the expert's that it is most often in step with; each name is given once.
    """
    together: Counter[tuple[int, int]] = Counter()
    rows = aligned(expert, table)
    for case in cases:
        world = string_world(case) if isinstance(case, str) else case
        together.update(
            (state, other)
            for other, state, _, step in joint_run(expert, rows, world, LIMITS.named_steps)
            if step not in (LEFT_STUCK, RIGHT_DIFFERS)
        )
    names: dict[int, str] = {}
    for (state, other), _ in sorted(together.items(), key=lambda pair: (-pair[1], pair[0])):
        fits = expert.states[other] != HALT or table.halts_everywhere(state)
        if fits and state not in names and expert.states[other] not in names.values():
            names[state] = expert.states[other]
    if not names:
        return named_by_behaviour(table)
    states = filled(names, behaviours_of(table))
    return replace(table, states=states, families=families_for(states, expert))


def numbered(names: list[str]) -> list[str]:
    """The same names, those that come more than once with a number: `walk_R/1`, `walk_R/2`."""
    times, seen = Counter(names), Counter[str]()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(f"{name}/{seen[name]}" if times[name] > 1 else name)
    return distinct
