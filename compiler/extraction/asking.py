"""`ask`: the table of an agent from questions to it, until the prover finds no difference; needs no numpy."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeAlias

from gridlang.compiler.automata.acts import lists_to_table
from gridlang.compiler.proofs.joint_step import STRICT
from gridlang.compiler.proofs.prove import prove
from gridlang.table import MOVES, STAY, Table

STUCK = -1  # it has no rule
Reads: TypeAlias = tuple[int, ...]
Answer: TypeAlias = tuple[int, ...]  # an act for each read: write * 5 + move, or STUCK


MORE = 2  # random reads after those that tell states apart: one question then tells more of them apart
UNKNOWN = -2  # an act not queried yet


class Asked(NamedTuple):
    """A table, what it cost to ask for it, and how often a difference was looked for."""

    table: Table
    queries: int
    steps: int
    rounds: int


def ask(
    expert: Table, scope: str = "worlds", progress: Callable[[int, int], None] = lambda _, __: None
) -> Asked:
    """A table that does what the expert does at the scope, and is stuck where it is.

    Only the prover knows the expert. No such table that is right on all reads has fewer states. `progress` is
    told the states and the queries so far.
    """
    return asked(table_teacher(expert), expert, lambda _, table: difference(expert, table, scope), progress)


def asked(
    teacher: Teacher,
    like: Table,
    difference: Callable[[Learner, Table], Reads | None],
    progress: Callable[[int, int], None],
) -> Asked:
    """A table with the names of `like` that agrees with the teacher on all reads that `difference` gives."""
    learner = Learner(teacher, lambda states: progress(states, teacher.queries))
    rounds = 1
    while (reads := difference(learner, table := lists_to_table(like, *learner.rows()))) is not None:
        learner.learn_from(reads)
        rounds += 1
    return Asked(table, teacher.queries, teacher.steps, rounds)


def difference(expert: Table, table: Table, scope: str) -> Reads | None:
    """Reads after which the table errs at the scope, the prover's shortest; None if it does not.

    A comparison on all reads is the cheapest, and most of its differences are those of a world too. Where
    the prover cannot decide, the table has to be right on all reads.
    """
    verdict = prove(expert, table, "table", stuck=STRICT)
    shown = scope == "table" or (scope == "worlds" and verdict.world is not None)
    if not verdict.equivalent and not shown:
        narrower = prove(expert, table, scope, stuck=STRICT)
        verdict = verdict if narrower.equivalent is None else narrower
    if verdict.equivalent:
        return None
    return tuple(expert.symbols.index(step.read) for step in verdict.counterexample or ())


@dataclass(slots=True, eq=False)
class Node:
    """A node of the tree: reads that tell states apart with a child for each answer, or a state."""

    parent: Node | None = None
    reads: Reads = ()
    children: dict[Answer, Node] = field(default_factory=dict)
    state: State | None = None
    into: dict[tuple[State, int], None] = field(default_factory=dict)  # rules that lead here, in order


@dataclass(slots=True, eq=False)
class State:
    """A state of the table so far: how it is reached, what it does, and the nodes that its rules lead to."""

    number: int
    access: Reads
    leaf: Node
    acts: list[int]
    next: list[Node | None]  # None where a run ends


class Learner:
    """A table that grows with each counterexample: a discrimination tree (Kearns and Vazirani 1994).

    A state is known by its access, the reads that lead to it. Inner nodes hold reads that tell the states
    below them apart. Counterexamples are cut in halves (Rivest and Schapire 1993), and reads that tell two
    states apart are made short by what is known of the next states (TTT; Isberner, Howar and Steffen 2014).
    """

    def __init__(self, teacher: Teacher, progress: Callable[[int], None] = lambda _: None) -> None:
        self.teacher, self.progress, self.random = teacher, progress, Random(0)
        self.states: list[State] = []
        self.open: deque[tuple[State, int]] = deque()  # rules that may lead to an inner node
        self.root = Node()
        self._new_state((), self.root)
        self._close()

    def rows(self) -> tuple[list[list[int]], list[list[int]]]:
        """What each state does on each symbol, and the next state, -1 where a run ends."""
        after = [
            [-1 if node is None else state_of(node).number for node in each.next] for each in self.states
        ]
        return [each.acts for each in self.states], after

    def run(self, reads: Reads, state: State | None = None) -> Answer:
        """What the table does, from its start or from a state."""
        acts, state = [], state or self.states[0]
        for read in reads:
            acts.append(state.acts[read])
            node = state.next[read]
            if node is None:
                break
            state = state_of(node)
        return tuple(acts)

    def learn_from(self, reads: Reads) -> None:
        """Splits states until the table does what the agent does on these reads."""
        answer = self.teacher.ask(reads)
        while (said := self.run(reads)) != answer:
            self._split(reads[: 1 + _first_difference(said, answer)])

    def _after(self, access: Reads, reads: Reads) -> Answer:
        return self.teacher.ask(access + reads)[len(access) :]

    def _split(self, reads: Reads) -> None:
        """Splits the state at which the agent leaves the way of the table; they differ on the last read."""
        way = [self.states[0]]
        for read in reads[:-1]:
            node = way[-1].next[read]
            assert node is not None
            way.append(state_of(node))
        wrong, right = 0, len(way) - 1  # places from which the table errs on the rest, and does not
        while right - wrong > 1:
            middle = (wrong + right) // 2
            rest = reads[middle:]
            agrees = self._after(way[middle].access, rest) == self.run(rest, way[middle])
            wrong, right = (wrong, middle) if agrees else (middle, right)
        old, access, rest = way[right], (*way[wrong].access, reads[wrong]), reads[right:]
        differ = _first_difference(self._after(access, rest), self._after(old.access, rest))
        node = old.leaf
        node.state = None
        node.reads = rest[: differ + 1] + tuple(self.random.choices(range(self.teacher.symbols), k=MORE))
        old.leaf = node.children[self._after(old.access, node.reads)] = Node(node, state=old)
        leaf = node.children[self._after(access, node.reads)] = Node(node)
        self._new_state(access, leaf)
        self.open.extend(node.into)
        self._close()

    def _new_state(self, access: Reads, leaf: Node) -> State:
        """A state whose rules are still to be followed."""
        many = self.teacher.symbols
        state = State(len(self.states), access, leaf, [UNKNOWN] * many, [self.root] * many)
        leaf.state = state
        self.states.append(state)
        rules = [(state, read) for read in range(many)]
        self.root.into.update(dict.fromkeys(rules))
        self.open.extend(rules)
        self.progress(len(self.states))
        return state

    def _close(self) -> None:
        """Follows all rules down to states, which may be new."""
        while self.open:
            state, read = self.open.popleft()
            access, node = (*state.access, read), state.next[read]
            while node is not None and (node.state is None or state.acts[read] == UNKNOWN):
                answer = self.teacher.ask(access + node.reads)
                act = state.acts[read] = answer[len(state.access)]
                del node.into[state, read]
                if ends(read, act):
                    node = None
                elif node.state is None:
                    answer = answer[len(access) :]
                    if answer not in node.children:
                        node.children[answer] = Node(node)
                        self._new_state(access, node.children[answer])
                    node = node.children[answer]
                if node is not None:
                    node.into[state, read] = None
                state.next[read] = node


def state_of(node: Node) -> State:
    """The state that a rule leads to, once all rules were followed."""
    assert node.state is not None
    return node.state


def _first_difference(one: Answer, other: Answer) -> int:
    return next(at for at, (act, theirs) in enumerate(zip(one, other, strict=False)) if act != theirs)


class Contradiction(Exception):
    """An agent acts otherwise than before on the same reads."""

    def __init__(self, reads: Sequence[int]) -> None:
        self.reads = reads


class Teacher:
    """Answers queries from the start of an agent; hides its states, and asks nothing twice.

    `step` takes a state and a symbol, and gives an act and the next state. After a halt, and where the agent
    is stuck, nothing more is read: such an answer is shorter than its question.
    """

    def __init__(self, symbols: int, step: Callable[[Any, int], tuple[int, Any]], start: Any = 0) -> None:
        self.symbols, self.step, self.start = symbols, step, start
        self.queries = self.steps = 0
        self._known: dict[int, Any] = {}  # all answers as a tree: of a read its act, and what comes after

    def ask(self, reads: Sequence[int]) -> Answer:
        """What the agent does on these reads; counted unless it is known from what was asked before."""
        acts, after = [], self._known
        for read in reads:
            step = after.get(read)
            if step is None:
                return self._answered(reads)
            acts.append(step[0])
            if ends(read, step[0]):
                break
            after = step[1]
        return tuple(acts)

    def _answered(self, reads: Sequence[int]) -> Answer:
        acts, state, after = [], self.start, self._known
        for read in reads:
            act, state = self.step(state, read)
            acts.append(act)
            before, after = after.setdefault(read, (act, {}))
            if act != before:
                raise Contradiction(reads[: len(acts)])
            if ends(read, act):
                break
        self.queries += 1
        self.steps += len(acts)
        return tuple(acts)


def ends(read: int, act: int) -> bool:
    """Whether a run ends with this act: it halts, or is stuck."""
    return act in (STUCK, read * len(MOVES) + STAY)


def table_teacher(table: Table) -> Teacher:
    rows = [
        [None if entry is None else (entry.write * len(MOVES) + entry.move, entry.next) for entry in row]
        for row in table.rows
    ]
    return Teacher(len(table.symbols), lambda state, read: rows[state][read] or (STUCK, state))
