"""Stages of a comparison: each tries one kind of proof, and says what it found out if it gives none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from compiler.proofs.abstractions.input_automaton import InputRows
from compiler.proofs.joint_step import UNASKED, Stuck
from compiler.proofs.limits import LIMITS
from gridlang.table import Row, Table


class Comparison(NamedTuple):
    """What is compared: LEFT, RIGHT's rows in LEFT's symbols, on declared inputs or (None) on all worlds."""

    left: Table
    right: Sequence[Row]
    inputs: InputRows | None = None
    stuck: Stuck = UNASKED
    limit: int = LIMITS.most_window_nodes
    progress: Callable[[int], None] = lambda _: None


class Guide(Protocol):
    """What an abstraction knows about the way ahead, from the abstract state that it stands in."""

    def ahead(self, abstract_state: int, p: int, q: int, symbol: int) -> int | None:
        """The fewest steps to a difference if this is read now, this step included; None for never."""

    def after(self, abstract_state: int, write: int, move: int) -> int:
        """The abstract state after a step; the first is 0."""


class Place(NamedTuple):
    """Where two tables stand together: both states, and the symbol that both read."""

    left: int
    right: int
    symbol: int


class Proof(NamedTuple):
    """Evidence for a certificate, abstract states, reads on which LEFT is stuck, and the radius or depth."""

    evidence: object
    states: int
    stuck: int
    radius: int


class Failure(NamedTuple):
    """Where RIGHT may differ, as far as an abstraction can tell, and the way there.

    A stage that says nothing of its states leaves what an earlier one said.
    """

    place: Place | None = None
    states: int | None = None
    stuck: int = 0
    radius: int | None = None
    guide: Guide | None = None
    reason: str = ""


class Stage(Protocol):
    """One kind of proof."""

    def prove(self, comparison: Comparison) -> Proof | Failure: ...
