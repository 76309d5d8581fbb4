"""How one agent fares against another: what RIGHT has in common with LEFT, what it lacks, where it departs.

Both run side by side on the same worlds, as long as they do the same. States that stand for each other match;
the first rule that departs from that is the cause, and told apart from where it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from compiler.automata.state_graph import Pair
from compiler.drawing.graphs import AWAY, DIFFERS, EXTRA, SAME, SHOWS, worst
from compiler.drawing.labels import HALT, KEEP
from compiler.drawing.limits import LIMITS
from compiler.drawing.matching import Sightings
from compiler.proofs.equivalence import EVERYWHERE, Verdict, aligned
from compiler.proofs.joint_step import LEFT_STUCK, RIGHT_DIFFERS, Together, joint_run, joint_step
from gridlang.printable import quoted_input
from gridlang.program import Program
from gridlang.table import MOVES, Table
from gridlang.world import World


class Departure(NamedTuple):
    """A rule of RIGHT, or the lack of one, the rule of LEFT that it should do as, and at which step."""

    pair: Pair
    other: Pair
    step: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """How RIGHT fares against LEFT on some worlds.

    `marks` are for RIGHT's rules. `departures` are the rules that act otherwise than LEFT's or lead to the
    wrong state, and those that are missing; `symptoms` are rules that do right in themselves, but were
    reached by mistake and so do otherwise. `matches` has, for each state of RIGHT, those of LEFT that it
    stands for. `world` is one on which they differ, in the fewest steps that were seen; `cause` is the first
    departure there.
    """

    marks: Mapping[Pair, str]
    departures: Mapping[Pair, Departure]
    symptoms: Mapping[Pair, Departure]
    matches: tuple[tuple[int, ...], ...]
    lost: tuple[int, ...]  # states of LEFT without a match
    worlds: int
    world: World | None = None
    step: int = 0
    cause: Departure | None = None

    @property
    def more(self) -> tuple[int, ...]:
        """States of RIGHT that match none."""
        return tuple(state for state, matching in enumerate(self.matches) if not matching)

    @property
    def differing(self) -> frozenset[int]:
        """States of RIGHT of which a rule departs, is missing, or shows a mistake."""
        return frozenset(q for q, _ in (*self.departures, *self.symptoms))

    def missing(self, right: Table) -> dict[Pair, Pair]:
        """Pairs that RIGHT has no rule for, with LEFT's."""
        return {
            (q, x): departure.other
            for (q, x), departure in self.departures.items()
            if right.rows[q][x] is None
        }


def compare(
    left: Table, right: Table, worlds: Iterable[World], steps: int = LIMITS.compared_steps
) -> Difference:
    """Runs both on each world; GridError where the alphabets differ."""
    seen = Sightings(left, right, aligned(left, right))
    shortest: tuple[Together, ...] = ()
    shown, count = None, 0
    for world in worlds:
        count += 1
        moments = seen.add(joint_run(left, seen.rows, world, steps))
        if moments and moments[-1].step is RIGHT_DIFFERS and (not shown or len(moments) < len(shortest)):
            shortest, shown = moments, world
    related = seen.related()
    marks, departures, symptoms = _marks(seen, related)
    matches = tuple(
        tuple(sorted(p for p in range(len(left.states)) if (p, q) in related))
        for q in range(len(right.states))
    )
    known = {p for p, _ in related}
    lost = tuple(p for p in range(len(left.states)) if p not in known)
    cause = None
    for step, moment in enumerate(shortest, 1):
        if cause is None and seen.departs((moment.left, moment.right), moment.symbol, related):
            cause = Departure(_pair(seen, moment.right, moment.symbol), (moment.left, moment.symbol), step)
    return Difference(marks, departures, symptoms, matches, lost, count, shown, len(shortest), cause)


def _pair(seen: Sightings, state: int, symbol: int) -> Pair:
    """A pair of RIGHT, for a symbol of LEFT."""
    return state, seen.right.symbols.index(seen.left.symbols[symbol])


def _marks(
    seen: Sightings, related: Mapping[tuple[int, int], None]
) -> tuple[dict[Pair, str], dict[Pair, Departure], dict[Pair, Departure]]:
    """What is said of each rule of RIGHT; those that depart, and those that only show it."""
    found: dict[Pair, list[str]] = {}
    departures: dict[Pair, Departure] = {}
    symptoms: dict[Pair, Departure] = {}
    for (p, q), symbols in seen.symbols.items():
        for symbol in symbols:
            pair = _pair(seen, q, symbol)
            step = joint_step(seen.left.rows[p][symbol], seen.rows[q][symbol], symbol)
            mark = EXTRA if step is LEFT_STUCK else SAME
            if (p, q) in related and seen.departs((p, q), symbol, related):
                mark = DIFFERS
                departures.setdefault(pair, Departure(pair, (p, symbol)))
            elif step is RIGHT_DIFFERS:
                mark = SHOWS
                symptoms.setdefault(pair, Departure(pair, (p, symbol)))
            found.setdefault(pair, []).append(mark)
    symptoms = {pair: each for pair, each in symptoms.items() if pair not in departures}
    marks = {(q, x): worst(found.get((q, x), [AWAY])) for q, x, _ in seen.right.entries()}
    return marks, departures, symptoms


def in_words(difference: Difference, verdict: Verdict | None, right: str, left: str) -> str:
    """One sentence for people."""
    if verdict is None:
        runs = f"on {difference.worlds:,} worlds, tested, not proven"
        if difference.world is None:
            return f"{right} does what {left} does {runs}"
        return f"different: {right} does not do what {left} does, at step {difference.step}"
    if verdict.equivalent:
        return f"proven: {right} does what {left} does, {EVERYWHERE.get(verdict.scope, 'as far as was seen')}"
    if verdict.equivalent is None:
        return f"unknown whether {right} does what {left} does: {verdict.reason}"
    steps = len(verdict.counterexample or ())
    where = f" on the input {quoted_input(verdict.input)}" if verdict.input is not None else ""
    return f"different: {right} does not do what {left} does, at step {steps}{where}"


def _act(table: Table, pair: Pair) -> str:
    entry = table.rows[pair[0]][pair[1]]
    if entry is None:
        return "is stuck"
    if entry.is_idle(pair[1]):
        return f"does {HALT}"
    write = KEEP if entry.write == pair[1] else table.symbols[entry.write]
    return f"does {write}, {MOVES[entry.move]}"


def departure_in_words(left: Table, right: Table, departure: Departure) -> str:
    """What RIGHT's state does, and LEFT's: `on 1 goes to shift(0), where carry(1) goes to shift(1)`."""
    (q, x), (p, y) = departure.pair, departure.other
    entry, other = left.rows[p][y], right.rows[q][x]
    on = f"on {right.symbols[x]}"
    if entry is None or other is None:
        return f"has no rule for {right.symbols[x]}, where {left.states[p]} {_act(left, (p, y))}"
    mine, theirs = _act(right, (q, x)), _act(left, (p, y))
    if (right.symbols[other.write], other.move) == (left.symbols[entry.write], entry.move):
        mine, theirs = f"goes to {right.states[other.next]}", f"goes to {left.states[entry.next]}"
    return f"{on} {mine}, where {left.states[p]} {theirs}"


def cause_in_words(left: Program, right: Program, difference: Difference) -> str:
    """The first rule that departs, with its line where there is a file; empty where nothing does."""
    if difference.cause is None:
        return ""
    (q, _), rule = difference.cause.pair, right.rules.get(difference.cause.pair)
    words = departure_in_words(left.table, right.table, difference.cause)
    known = rule is not None and not rule.span.source.path.startswith("<")
    place = f"line {rule.span.line}, " if rule is not None and known else ""
    return f"the cause, at step {difference.cause.step}: {place}{right.table.states[q]} {words}"


def differing_rules(left: Table, right: Table, difference: Difference) -> list[tuple[Pair, str]]:
    """For people: the cause, other rules that depart, and those that show it, with what they do otherwise."""
    first = [difference.cause] if difference.cause else []
    rest = [
        each for pair, each in sorted(difference.departures.items()) if pair not in {c.pair for c in first}
    ]
    sentences = [(each.pair, departure_in_words(left, right, each)) for each in (*first, *rest)]
    for pair, each in sorted(difference.symptoms.items()):
        words = departure_in_words(left, right, each)
        sentences.append((pair, f"{words}: right in itself, it is reached by mistake"))
    return sentences
