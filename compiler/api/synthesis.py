"""The API of `synthesize`: an agent from a specification."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gridlang.compiler import arguments
from gridlang.compiler.arguments import NONE, Path, Say
from gridlang.compiler.synthesis.limits import LIMITS, STEP_LIMIT
from gridlang.diagnostics import counted, fail
from gridlang.display import Shown
from gridlang.files import read_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table

if TYPE_CHECKING:
    from gridlang.compiler.proofs.results.claims import Claim
    from gridlang.compiler.synthesis.synthesize import Outcome, Synthesizer

MOVES = ("LR", "LRUD")


@dataclass(frozen=True, slots=True)
class Synthesis(Shown):
    """The agent that was found, if any, what is proven of it, and what is known of all others.

    True if it was found and all `claims` are proven, or if it shows all grids of the `runs` in snapshots. No
    agent of up to `excluded` states is right on the `inputs` within the steps that are allowed; it is the
    `smallest` where these are all with fewer states.
    `fewest_steps` says that no agent of its size takes fewer steps on all inputs together.

    >>> import gridlang as gl
    >>> gl.synthesize('''
    ... agent flip
    ... alphabet
    ...   bit = 0..1
    ... input a = bit+
    ... output join(1 - x for x in a)
    ... ''').smallest
    True
    """

    name: str
    program: Program | None
    claims: tuple[Claim, ...]
    steps: int
    inputs: int
    excluded: int
    fewest_steps: bool
    moves: str
    nodes: int  # rules tried
    counterexamples: tuple[str, ...]
    interrupted: bool = False
    source: str = field(default="", repr=False)
    runs: int = 0  # seen in snapshots
    for_faster: int = 0  # rules tried, of all, for fewer steps

    @property
    def states(self) -> int:
        """Its states, without the target `halt`."""
        return states_of(self.program.table) if self.program else 0

    @property
    def smallest(self) -> bool:
        """Whether all agents with fewer states were excluded."""
        return self.program is not None and self.excluded >= self.states - 1

    @property
    def proven(self) -> bool:
        """Whether all that is claimed of it is proven on every declared input."""
        return bool(self.claims) and all(claim.answer == "proven" for claim in self.claims)

    def __bool__(self) -> bool:
        return self.program is not None and (self.proven or self.runs > 0)

    def __repr__(self) -> str:
        if self.program is None:
            return f"Synthesis({self.name}: no agent found)"
        how = f"as in {counted(self.runs, 'run')}" if self.runs else "proven" if self else "not proven"
        return f"Synthesis({self.name}: {counted(self.states, 'state')}, {how})"

    @property
    def about_others(self) -> str:
        """What is claimed of the agents that were searched."""
        how = "left and right" if self.moves == "LR" else "in four directions"
        if self.runs:
            return f"move {how} and show the grids of these {counted(self.inputs, 'run')}"
        return f"move {how} and are right on these {self.inputs:,} inputs, each within {STEP_LIMIT}"


def states_of(table: Table) -> int:
    return sum(not table.is_halt_target(state) for state in range(len(table.states)))


def synthesize(
    spec: Path,
    definitions: Mapping[str, str] = NONE,
    *,
    states: int | None = None,
    moves: str | None = None,
    nodes: int = LIMITS.nodes,
    progress: Say | None = None,
) -> Synthesis:
    """Finds an agent that does what a specification says: fewest states, then fewest steps; and proves it.

    The specification is a file, or its text: `alphabet`, `input` and `output`, and no states. Where states
    are written their rules are kept, and what is missing is found. Agents have at most `states` states (8, or
    two more than are written), and move "LR" or "LRUD"; without `moves`, they stay on one row where results
    have one. The search tries up to `nodes` rules to find an agent, and again to exclude smaller ones and to
    find a faster one. The answer is the same on any number of cores. Ctrl-C ends the search with what was
    found. Instead of a specification, `spec` may be a file of snapshots, as `gridlang trace --every` writes:
    the agent then shows all its grids.

    >>> import gridlang as gl
    >>> found = gl.synthesize('''
    ... agent half
    ... alphabet
    ...   bit = 0..1
    ... input a = bit+
    ... output a div 2
    ... ''')
    >>> found
    Synthesis(half: 2 states, proven)
    >>> found.program.run("1011").result
    '0101'
    """
    from gridlang.compiler.simulation.native.build import CannotBuild

    if states is not None:
        arguments.whole(1, LIMITS.most_states, states=states)
    arguments.whole(1, 2**62, nodes=nodes)
    if moves is not None:
        arguments.one_of("moves", moves, MOVES)
    text = os.fspath(spec)
    source = Source("<specification>", text) if "\n" in text else read_source(text)
    search = _search(source, definitions, moves, states, nodes, partial(arguments.counting, progress))
    _refuse_large(search.table, search.most_states, source.path)
    try:
        return _told(search, search.run())
    except CannotBuild as error:
        told = f"the search needs a C compiler: {error}"
        raise fail("G175", told, "install gcc or clang", source.path) from None


def _search(
    source: Source,
    definitions: Mapping[str, str],
    moves: str | None,
    states: int | None,
    nodes: int,
    tell: Callable[[str], Callable[[int], None]],
) -> Synthesizer:
    """The search for an agent that shows snapshots, or that does what a specification says."""
    from gridlang.compiler.synthesis.from_snapshots import SnapshotSearch
    from gridlang.compiler.synthesis.snapshots import is_snapshots, read_snapshots
    from gridlang.compiler.synthesis.specification import specification_of
    from gridlang.compiler.synthesis.synthesize import Synthesizer
    from gridlang.compiler.testing.limits import LIMITS as TEST_LIMITS
    from gridlang.compiler.testing.output_search import expectation_of

    if is_snapshots(source):
        return SnapshotSearch(read_snapshots(source), moves, states or LIMITS.states, nodes, tell)
    program = specification_of(source, definitions)
    rule = expectation_of(program, TEST_LIMITS.most_steps)
    assert rule is not None, "a specification has an output line"
    most = states or max(LIMITS.states, len(program.table.states) + LIMITS.more_states)
    return Synthesizer(program, source, rule, moves, most, nodes, tell)


def _told(search: Synthesizer, outcome: Outcome) -> Synthesis:
    """What a search has found."""
    from gridlang.compiler.synthesis.from_snapshots import SnapshotSearch

    found = outcome.found
    return Synthesis(
        search.table.name,
        found.judged.program if found else None,
        found.judged.claims if found else (),
        found.steps if found else 0,
        len(search.inputs),
        outcome.excluded,
        outcome.fewest_steps,
        search.moves,
        outcome.nodes,
        tuple(outcome.counterexamples),
        outcome.interrupted,
        found.judged.source if found else "",
        len(search.snapshots.runs) if isinstance(search, SnapshotSearch) else 0,
        outcome.for_faster,
    )


def _refuse_large(table: Table, states: int, file: str) -> None:
    """GridError for an agent with more states or symbols than can be searched."""
    if len(table.states) > states:
        hint = f"allow more with `--states {len(table.states)}`"
        raise fail("G175", f"{counted(len(table.states), 'state')} are written already", hint, file)
    if len(table.symbols) > LIMITS.most_symbols:
        hint = f"use {LIMITS.most_symbols} at most"
        raise fail("G175", f"{len(table.symbols):,} symbols are too many to search with", hint, file)
