"""Learning by linear algebra: an agent as a multiplicity automaton, exact in a prime field.

What an agent does after some reads is a row of its Hankel matrix: for each sequence of further reads and each
act, whether that act is the answer to the last of them. The rank of this matrix is at most the number of
states. As many rows and columns as the rank are the automaton (Beimel, Bergadano, Bshouty, Kushilevitz and
Varricchio 2000), and the vectors that it comes to are the states of a table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.behaviour_names import named_by_behaviour
from gridlang.learners.methods.asking.ask import Asked, Oracle, Reads, Teacher, ends
from gridlang.learners.methods.table_rows import rows_to_table
from gridlang.table import MOVES, Table

PRIME = 67_108_859  # below 2**26: sums of 2,000 products fit into 64 bits
Ints = npt.NDArray[np.int64]


class Column(NamedTuple):
    """Whether the last of these reads is answered by this act."""

    reads: Reads
    act: int


class Contradiction(Exception):
    """The automaton and the agent differ on these reads."""

    def __init__(self, reads: Reads) -> None:
        self.reads = reads


class LinearLearner:
    """A multiplicity automaton that grows by a dimension with each counterexample.

    `block` is the Hankel matrix of its rows and columns; `after[x]` that of the rows with x read behind them.
    """

    def __init__(self, teacher: Teacher) -> None:
        self.teacher, self.symbols = teacher, range(teacher.symbols)
        self.rows: list[Reads] = [()]
        self.columns = [Column((0,), teacher.ask((0,))[0])]
        self.inverse: Ints = np.ones((1, 1), np.int64)
        self.block: Ints = np.ones((1, 1), np.int64)
        self.done = self._done(())
        self.after = [self._entries([(read,)], self.columns) for read in self.symbols]

    def learn_from(self, reads: Reads) -> None:
        """Adds dimensions until the automaton does what the agent does on these reads."""
        while (place := self._first_wrong(reads)) is not None:
            self._grow(*place)

    def table(self, like: Table) -> Table:
        """The table that the automaton is; Contradiction where it is none, or not that of the agent.

        Every vector is held against the agent, so there are no more of them than it has states.
        """
        start: Ints = np.eye(1, len(self.rows), dtype=np.int64)[0]
        numbers, ways, vectors = {start.tobytes(): 0}, list[Reads]([()]), [start]
        acts: list[list[int]] = []
        following: list[list[int]] = []
        for vector in vectors:
            way = ways[len(acts)]
            acts.append([self._act(vector, (*way, read)) for read in self.symbols])
            following.append([-1] * len(self.symbols))
            for read in self.symbols:
                if ends(read, acts[-1][read]):
                    continue
                after = self._step(vector, read)
                number = numbers.setdefault(after.tobytes(), len(vectors))
                following[-1][read] = number
                if number == len(vectors):
                    vectors.append(after)
                    ways.append((*way, read))
                    if not self._agrees(after, ways[-1]):
                        raise Contradiction(ways[-1])
        return rows_to_table(like, np.array(acts, np.int32), np.array(following, np.int32))

    def _entries(self, rows: list[Reads], columns: list[Column]) -> Ints:
        return np.array([[self._entry(row, column) for column in columns] for row in rows], np.int64)

    def _entry(self, row: Reads, column: Column) -> int:
        answer = self.teacher.ask(row + column.reads)
        return int(len(answer) == len(row) + len(column.reads) and answer[-1] == column.act)

    def _step(self, vector: Ints, read: int) -> Ints:
        after: Ints = vector @ self.after[read] % PRIME @ self.inverse % PRIME
        return after

    def _agrees(self, vector: Ints, way: Reads) -> bool:
        """Whether the vector stands for what the agent does after these reads, as far as columns tell."""
        return bool((vector @ self.block % PRIME == self._entries([way], self.columns)[0]).all())

    def _scores(self, vector: Ints, read: int) -> Ints:
        """A number for each act, STUCK the first: one for what is done, and zeros, if this is an agent."""
        scores: Ints = vector @ self.done[read] % PRIME
        return scores

    def _done(self, row: Reads) -> Ints:
        """For each symbol, a one at the act that it is answered by."""
        acts = [1 + self.teacher.ask((*row, read))[len(row)] for read in self.symbols]
        return np.eye(1 + len(self.symbols) * len(MOVES), dtype=np.int64)[acts][:, None]

    def _act(self, vector: Ints, way: Reads) -> int:
        """The act on the last read."""
        scores = self._scores(vector, way[-1])
        (acts,) = scores.nonzero()
        if len(acts) != 1 or scores[acts[0]] != 1:
            raise Contradiction(way)
        return int(acts[0]) - 1

    def _first_wrong(self, reads: Reads) -> tuple[Reads, Column] | None:
        """A new row, and a column that makes it independent of the rows; None if nothing is wrong."""
        vectors: list[Ints] = [np.eye(1, len(self.rows), dtype=np.int64)[0]]
        for read in reads:
            vectors.append(self._step(vectors[-1], read))
        right, wrong = 0, len(reads)
        if self._agrees(vectors[wrong], reads):
            return self._wrong_act(vectors[-2], reads)
        while wrong - right > 1:
            middle = (wrong + right) // 2
            agrees = self._agrees(vectors[middle], reads[:middle])
            right, wrong = (middle, wrong) if agrees else (right, middle)
        told = vectors[wrong] @ self.block % PRIME != self._entries([reads[:wrong]], self.columns)[0]
        telling = self.columns[int(told.argmax())]
        return reads[:right], telling._replace(reads=(reads[right], *telling.reads))

    def _wrong_act(self, vector: Ints, reads: Reads) -> tuple[Reads, Column] | None:
        answer = self.teacher.ask(reads)
        if len(answer) < len(reads) or not self._agrees(vector, reads[:-1]):
            return self._first_wrong(reads[:-1]) if len(reads) > 1 else None
        scores = self._scores(vector, reads[-1])
        scores[1 + answer[-1]] -= 1
        if not scores.any():
            return self._first_wrong(reads[:-1]) if len(reads) > 1 else None
        return reads[:-1], Column(reads[-1:], int(scores.nonzero()[0][0]) - 1)

    def _grow(self, row: Reads, column: Column) -> None:
        """A dimension more: the inverse is that of the bordered block."""
        below = self._entries([row], self.columns)
        beside = self._entries(self.rows, [column])
        corner = self._entry(row, column)
        left, above = below @ self.inverse % PRIME, self.inverse @ beside % PRIME
        pivot = pow((corner - int((left @ beside % PRIME)[0, 0])) % PRIME, -1, PRIME)
        inner = self.inverse + above * pivot % PRIME @ left
        self.inverse = np.block([[inner, -above * pivot], [-left * pivot, np.full((1, 1), pivot)]]) % PRIME
        self.block = np.block([[self.block, beside], [below, np.full((1, 1), corner)]])
        for read in self.symbols:
            more = self._entries([(*each, read) for each in self.rows], [column])
            last = self._entries([(*row, read)], [*self.columns, column])
            self.after[read] = np.block([[self.after[read], more], [last]])
        self.done = np.concatenate([self.done, self._done(row)], 1)
        self.rows.append(row)
        self.columns.append(column)


def ask_linearly(
    expert: Table, scope: str = "worlds", progress: Callable[[int, int], None] = lambda _, __: None
) -> tuple[Asked, int]:
    """The table of the agent by linear algebra, and the rank of its Hankel matrix, as far as it was asked."""
    teacher, oracle = Teacher(expert), Oracle(expert, scope)
    learner = LinearLearner(teacher)
    while True:
        try:
            table = learner.table(expert)
            reads = oracle.difference(table)
        except Contradiction as contradiction:
            reads = contradiction.reads
        if reads is None:
            asked = Asked(named_by_behaviour(table), teacher.queries, teacher.steps, oracle.rounds)
            return asked, len(learner.rows)
        learner.learn_from(reads)
        progress(len(learner.rows), teacher.queries)
