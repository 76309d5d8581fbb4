"""A table from a network by questions to it alone, as Weiss, Goldberg and Yahav (2018) extract automata.

The learner is that of `ask`; the network answers. Where the table so far and the network part on a trace that
it was trained on, or on random reads, that is a counterexample. Beyond the expert's rules nothing is asked:
no trace shows what to do there, and the verdict does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.state_merger import lists_to_table
from gridlang.compiler.tensors.model import Follower, Model
from gridlang.learners.methods.asking.ask import STUCK, Answer, Learner, Reads, ends
from gridlang.learners.traces.dataset import Traces
from gridlang.table import MOVES, Table

MOST_STATES, MOST_QUERIES = 128, 40_000  # of a network that has no table, both grow for ever
RANDOM_READS, RANDOM_LENGTH = 2_000, 30

Ints = npt.NDArray[np.int64]


class TooMany(Exception):
    """The network keeps showing new states."""


class NetworkTeacher:
    """A network as a black box that says what it does on a sequence of reads, and counts questions."""

    def __init__(self, follower: Follower, expert: Table) -> None:
        self.follower, self.expert, self.symbols = follower, expert, len(expert.symbols)
        self.queries = 0
        self._known: dict[Reads, Answer] = {}

    def ask(self, reads: Sequence[int]) -> Answer:
        """What the network does on these reads, up to a halt or to a read that the expert has no rule for."""
        question = tuple(reads)
        if question not in self._known:
            self.queries += 1
            if self.queries > MOST_QUERIES:
                raise TooMany
            acts = self.acts(np.array([question], np.int64))[0] if question else ()
            self._known[question] = self._gated(question, [int(act) for act in acts])
        return self._known[question]

    def acts(self, reads: Ints) -> Ints:
        """Its acts, write * 5 + move, on reads (words, steps)."""
        said, _ = self.follower.follow(reads)
        writes, moves = said[..., : self.symbols].argmax(-1), said[..., self.symbols :].argmax(-1)
        return np.asarray(writes * len(MOVES) + moves, np.int64)

    def _gated(self, reads: Reads, acts: list[int]) -> Answer:
        """The acts while the expert has a rule; it has none after its halt."""
        answer: list[int] = []
        state: int | None = 0
        for read, act in zip(reads, acts, strict=True):
            entry = None if state is None else self.expert.rows[state][read]
            answer.append(STUCK if entry is None else act)
            if ends(read, answer[-1]):
                break
            state = None if entry is None or entry.is_idle(read) else entry.next
        return tuple(answer)


def asked_table(model: Model, expert: Table, traces: Traces, seed: int) -> Table | None:
    """The table that a network was seen to be; None if it shows too many states."""
    follower = model.follower()
    assert follower is not None
    teacher = NetworkTeacher(follower, expert)
    words = _words(teacher, traces, seed)
    try:
        learner = Learner(teacher, _limit)  # type: ignore[arg-type]
        for word in _differences(learner, words):
            learner.learn_from(word)
    except TooMany:
        return None
    return lists_to_table(expert, *learner.rows())


def _limit(states: int) -> None:
    if states > MOST_STATES:
        raise TooMany


def _words(teacher: NetworkTeacher, traces: Traces, seed: int) -> list[tuple[Reads, Answer]]:
    """Words to hold a table against, and the network's answers: of training, and random ones."""
    random = np.random.default_rng(seed)
    drawn = random.integers(0, teacher.symbols, (RANDOM_READS, RANDOM_LENGTH))
    shown = np.where(traces.x < 0, 0, traces.x).astype(np.int64)
    lengths = [*traces.length.tolist(), *[RANDOM_LENGTH] * RANDOM_READS]
    words = {}
    rows = [row for part in (shown, drawn) for row in zip(part, teacher.acts(part), strict=True)]
    for (reads, acts), length in zip(rows, lengths, strict=True):
        word = tuple(reads[:length].tolist())
        words[word] = teacher._gated(word, acts[:length].tolist())
    return [(word[: len(answer)], answer) for word, answer in words.items()]


def _differences(learner: Learner, words: list[tuple[Reads, Answer]]) -> Iterator[Reads]:
    """Words on which the table parts from the network, until it does on none."""
    agreed = at = 0
    while agreed < len(words):
        word, answer = words[at]
        differs = learner.run(word) != answer and learner.run(word) != learner.teacher.ask(word)
        agreed = 0 if differs else agreed + 1
        if differs:
            yield word
        at = (at + 1) % len(words)
