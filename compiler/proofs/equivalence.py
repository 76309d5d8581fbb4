"""Comparing tables: the same writes and moves on the same reads, for every sequence of reads.

LEFT is the specification: where it halts nothing more is asked of RIGHT, and where it is stuck as much as
the claim says. This is stronger than behaving alike on every world, since some sequences of reads cannot
happen on any: `prove.py` asks for less.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gridlang.compiler.automata.equivalence import (
    Pair,
    Together,
    are_large,
    reached_together,
    states_together,
)
from gridlang.compiler.automata.explore import Stop
from gridlang.compiler.proofs.joint_step import (
    LEFT_STUCK,
    NEVER,
    RIGHT_DIFFERS,
    STRICT,
    UNASKED,
    Stuck,
    joint_step,
)
from gridlang.compiler.tensors.stray import Stray
from gridlang.diagnostics import counted
from gridlang.display import Shown
from gridlang.table import MOVES, Entry, Row, Table, refuse_other_symbols
from gridlang.world import LONGEST_LINE, World, world_line

UNUSED_CONDITION = "of the condition `{}`, proofs use comparisons of sums of numbers, lengths and counts"
EVERYWHERE = {
    "worlds": "on every world, from every start cell",
    "inputs": "on every declared input",
    "table": "on every sequence of reads",
}


def where_stuck(stuck: Stuck, left: str) -> str:
    """What a proof says of where LEFT is stuck, as the end of its sentence."""
    if stuck == STRICT:
        return f", and is stuck wherever {left} is"
    return f", and {left} is never stuck" if stuck == NEVER else ""


class Observation(NamedTuple):
    """One step of a counterexample: what was read, and what each side does; None is stuck."""

    read: str
    left: tuple[str, str] | None
    right: tuple[str, str] | None


class Suspicion(NamedTuple):
    """Where RIGHT may differ, as far as an abstraction can tell: names of both states, and the symbol read.

    `seen` says whether LEFT came to that state and symbol in one of the runs `tried`, with RIGHT in another
    state. Where it never did, the rule may be one that nothing reaches.
    """

    left_state: str
    right_state: str
    symbol: str
    seen: bool
    tried: int


class Never(NamedTuple):
    """That no run of LEFT on a declared input comes to some ends, as it stands in a certificate."""

    ends: tuple[Any, ...]  # those of `compiler/verifier/claims`
    evidence: dict[str, Any]
    assume: tuple[bool, ...] = ()  # whether the conditions hold by which its output clause chooses


@dataclass(frozen=True, slots=True)
class Verdict(Shown):
    """Whether RIGHT does what LEFT does; None means unknown, and `reason` says why.

    A counterexample holds the steps up to the first that differs. Where a world shows it, `world` is
    that world, and `input` its string at scope `inputs`. `shortest` is said only where nothing shorter was
    left out. `left_state` and `right_state` are those in which they differ. Where it is unknown, `suspicion`
    is where they may differ, and `hint` says what to try. `unobserved_branches` counts, at scope `observed`,
    where RIGHT was never seen to go. `stuck` is what was asked where LEFT is stuck: nothing (`unasked`), that
    RIGHT is too (`same`), or that it never is (`never`). `guessed` pairs were filled without having been
    seen: then nothing is proven, the table is only consistent with LEFT. `drift` is what a learned model does
    wrong by its float weights alone, where it is proven once its vectors are snapped; `stray` is how far they
    may then be from their centres and decide alike. `unsnapped` says why the vectors of a learned model, of
    whose table this is proven, cannot be snapped.
    `evidence` is that of a proof as it stands in a certificate, and `never` what is shown of LEFT alone.

    >>> import gridlang as gl
    >>> gl.equiv("examples/increment.grid", "examples/increment.grid", scope="table")
    Verdict(proven: the same on every sequence of reads; 3 product states)
    """

    equivalent: bool | None
    scope: str
    product_states: int
    stuck_branches: int
    counterexample: tuple[Observation, ...] | None = None
    subject: str = "table"
    radius: int | None = None
    world: World | None = None
    input: str | None = None
    shortest: bool = False
    unobserved_branches: int = 0
    reason: str = ""
    evidence: dict[str, Any] | None = field(default=None, repr=False, compare=False)
    never: tuple[Never, ...] = field(default=(), repr=False, compare=False)
    hint: str = ""
    stuck: Stuck = UNASKED
    output: bool = False  # LEFT leaves what its output clause says, where it halts, or ends so.
    accepts: bool = False  # The output clause says how runs end, and nothing else.
    guessed: int = 0
    drift: Verdict | None = None
    stray: Stray | None = None
    unsnapped: str = ""
    left_state: str | None = None
    right_state: str | None = None
    suspicion: Suspicion | None = None
    condition: str = ""  # of the inputs; a proof holds for all texts of their form, also where it is not met
    conditioned: bool = False  # The proof holds only where the condition of the inputs is met.
    odd: tuple[str, ...] = ()  # entries of different weights that break a formula

    @property
    def halts(self) -> bool:
        """Whether every run of LEFT is proven to end."""
        return any("endless" in each.ends for each in self.never)

    @property
    def levels(self) -> int:
        """The pairs of the longest rank that shows that every run of LEFT ends; 0 if none does."""
        rankings = (each.evidence["ranking"] for each in self.never if each.evidence["kind"] == "ranking")
        ranks = (rank for ranking in rankings for rank in ranking["ranks"])
        return max(map(len, ranks), default=0) // 2  # none if no input meets its condition

    @property
    def ran(self) -> str:
        """What was run, where runs on all inputs are the evidence."""
        if self.evidence is None or self.evidence["kind"] != "runs":
            return ""
        inputs = counted(self.evidence["inputs"], "declared input")
        return f"all {inputs} were run, {counted(self.evidence['steps'], 'step')}"

    def __bool__(self) -> bool:
        """There are three answers, so neither a proof nor its absence is taken for the other by a slip."""
        raise TypeError("a verdict is proven, different or unknown: ask for its `equivalent`")

    def __repr__(self) -> str:
        where = EVERYWHERE.get(self.scope, "on all that was observed")
        if self.equivalent is None:
            return f"Verdict(unknown, {where}: {self.reason}{f'; {self.hint}' if self.hint else ''})"
        if self.equivalent:
            also = where_stuck(self.stuck, "LEFT")
            also += ", with snapped inference" if self.subject == "snapped model" else ""
            return f"Verdict(proven: the same {where}{also}; {counted(self.product_states, 'product state')})"
        return f"Verdict(different at step {len(self.counterexample or ()):,} {self.shown_on()})"

    def shown_on(self) -> str:
        """What shows the difference, in a line."""
        if self.input is not None and len(self.input) > LONGEST_LINE:
            return f"on an input of {len(self.input):,} symbols"
        if self.input is not None:
            return f"on the input {self.input!r}"
        return f"on the world: {world_line(self.world)}" if self.world else "on reads that no world shows"


def compare_tables(left: Table, right: Table, *, observed: bool = False, stuck: Stuck = UNASKED) -> Verdict:
    """A proof that RIGHT follows LEFT on all sequences of reads, or a shortest one on which it does not.

    With `observed`, a pair that RIGHT does not define was never shown by what RIGHT was extracted from: the
    branch is closed and counted, so the verdict is about the sequences that RIGHT knows.
    """
    reached = _together(left, aligned(left, right), observed=observed, stuck=stuck)
    verdict = Verdict(
        reached.reads is None,
        "observed" if observed else "table",
        len(reached.pairs),
        reached.left_stuck,
        unobserved_branches=reached.unobserved,
        stuck=stuck,
    )
    if reached.reads is None or reached.differs is None:
        return replace(verdict, evidence={"kind": "windows", "radius": None})
    p, q = reached.differs
    return replace(
        verdict,
        counterexample=_observations(left, right, reached.reads),
        shortest=True,
        left_state=left.states[p],
        right_state=right.states[q],
    )


def _together(left: Table, right: Table, *, observed: bool, stuck: Stuck) -> Together:
    """The pairs that both reach, by the definition of a joint step, or in C."""
    if are_large(left, right):
        return reached_together(left.flat, right.flat, len(left.symbols), stuck, observed=observed)
    left_stuck = unobserved = 0

    def together(entry: Entry | None, other: Entry | None, symbol: int) -> Pair | None:
        nonlocal left_stuck, unobserved
        step = joint_step(entry, other, symbol, stuck)
        if isinstance(step, tuple):
            return step[0].next, step[1]
        if step is LEFT_STUCK:
            left_stuck += 1
        elif step is RIGHT_DIFFERS:
            if other is not None or not observed:
                raise Stop(symbol)
            unobserved += 1
        return None

    reached = states_together(left.rows, right.rows, together)
    if reached.stopped is None:
        return Together(reached.nodes, left_stuck, unobserved, None, None)
    pair, symbol = reached.stopped
    assert isinstance(symbol, int)
    return Together(reached.nodes, left_stuck, unobserved, [*reached.path(pair), symbol], pair)


def aligned(left: Table, right: Table) -> Table:
    """RIGHT with LEFT's symbols in their order; GridError for other alphabets."""
    refuse_other_symbols(left.symbols, right.symbols)
    if left.symbols == right.symbols:
        return right
    there = [right.symbols.index(symbol) for symbol in left.symbols]
    here = [left.symbols.index(symbol) for symbol in right.symbols]

    def renumbered(row: Row, symbol: int) -> Entry | None:
        entry = row[there[symbol]]
        return entry and Entry(here[entry.write], entry.move, entry.next)

    rows = tuple(tuple(renumbered(row, symbol) for symbol in range(len(there))) for row in right.rows)
    return Table(right.name, left.symbols, right.states, rows)


def _observations(left: Table, right: Table, reads: list[int]) -> tuple[Observation, ...]:
    rows = aligned(left, right).rows
    steps = []
    p = q = 0
    for symbol in reads:
        mine, other = left.rows[p][symbol], rows[q][symbol]
        steps.append(Observation(left.symbols[symbol], _seen(left, mine), _seen(left, other)))
        if mine and other:
            p, q = mine.next, other.next
    return tuple(steps)


def _seen(table: Table, entry: Entry | None) -> tuple[str, str] | None:
    return (table.symbols[entry.write], MOVES[entry.move]) if entry else None
