"""Agents that decide before they write, where there are few results.

First an agent is sought that ends at other pairs for other results, whatever it leaves: that takes far fewer
rules. Its ends are then left open, and rules are sought that go on from there and leave the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from compiler.synthesis.asked import RESULT, Asked, distinct_results
from compiler.synthesis.found_agents import found_table
from compiler.synthesis.limits import LIMITS
from compiler.synthesis.native_search import ENDS, OPEN, Candidate
from compiler.synthesis.task_search import Answer
from compiler.synthesis.verdicts import Judged
from gridlang.program import Program
from gridlang.table import Table


def is_decision(asked: Collection[Asked]) -> bool:
    """Whether all inputs ask for one of few results."""
    kinds = len(distinct_results(asked))
    return 1 < kinds <= LIMITS.results and kinds < len(asked) and all(one.ending == RESULT for one in asked)


def written(
    program: Program, candidate: Candidate, letters: str, complete: Callable[[Table, int], Answer]
) -> Judged:
    """The agent that goes on from where a candidate has decided; refused where none is found.

    `complete` searches the agents of some states that keep the rules of a table.
    """
    table, nodes = undecided(program.table, candidate, letters), 0
    for more in range(LIMITS.states_to_write + 1):
        answer = complete(table, len(table.states) + more)
        nodes += answer.nodes
        found = answer.found or next(iter(answer.unproven), None)
        if found:
            return found.judged._replace(nodes=nodes)
    return Judged(program, failing=True, nodes=nodes)


def undecided(specified: Table, candidate: Candidate, letters: str) -> Table:
    """The table of a candidate without its ends."""
    rules = tuple((write, move, OPEN if to >= ENDS else to) for write, move, to in candidate.rules)
    return found_table(specified, replace(candidate, rules=rules), letters)
