"""Which states of two agents stand for each other, by where they were seen together.

A state of RIGHT that was reached by a mistake is seen together with a state of LEFT that it does not stand
for; told apart, the rule that led there is the cause, and what that state does is only where it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from compiler.proofs.joint_step import RIGHT_DIFFERS, Ending, Together, joint_step
from gridlang.table import Row, Table

StatePair = tuple[int, int]  # a state of LEFT, one of RIGHT


@dataclass(slots=True)
class Sightings:
    """What two agents did together: the symbols that a pair of states has read, and on how many worlds."""

    left: Table
    right: Table
    rows: Sequence[Row]  # RIGHT's, in LEFT's symbols
    symbols: dict[StatePair, dict[int, None]] = field(default_factory=dict)
    worlds: dict[StatePair, int] = field(default_factory=dict)

    def add(self, run: Iterable[Together]) -> tuple[Together, ...]:
        moments = tuple(run)
        for moment in moments:
            self.symbols.setdefault((moment.left, moment.right), {})[moment.symbol] = None
        for pair in {(moment.left, moment.right) for moment in moments}:
            self.worlds[pair] = self.worlds.get(pair, 0) + 1
        return moments

    def departs(self, pair: StatePair, symbol: int, related: Mapping[StatePair, object]) -> bool:
        """Whether RIGHT acts otherwise here, or goes where it should not."""
        p, q = pair
        step = joint_step(self.left.rows[p][symbol], self.rows[q][symbol], symbol)
        if isinstance(step, Ending):
            return step is RIGHT_DIFFERS
        return (step[0].next, step[1]) not in related and (step[0].next, step[1]) in self.symbols

    def counterparts(self) -> dict[int, int]:
        """The state of LEFT that each of RIGHT stands for: of the same name, or seen with it most often."""
        best: dict[int, tuple[bool, int]] = {}
        chosen: dict[int, int] = {}
        for (p, q), count in self.worlds.items():
            score = (self.left.states[p] == self.right.states[q], count)
            if q not in best or score > best[q]:
                best[q], chosen[q] = score, p
        return chosen

    def related(self) -> dict[StatePair, None]:
        """The pairs that stand for each other: counterparts, and all that depart no more often than they do.

        So a state of RIGHT may stand for several of LEFT, as in a smaller agent that does the same.
        """
        chosen = self.counterparts()
        related = dict.fromkeys(self.symbols)
        while True:
            departures = {
                pair: sum(self.departs(pair, symbol, related) for symbol in self.symbols[pair])
                for pair in related
            }
            worse = [
                (p, q) for p, q in related if chosen[q] != p and departures[p, q] > departures[chosen[q], q]
            ]
            if not worse:
                return related
            for pair in worse:
                del related[pair]
