"""From a specification to an agent: first one, then fewer states, then fewer steps.

Agents are tried by size and by the cost of their rules, in rounds with ever larger allowances: a cheap agent
with more states is found before a costly one with fewer. Then all smaller agents are searched without a bound
on cost, which either finds one or shows that there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import permutations

from gridlang.compiler.synthesis.asked import (
    NEW_ROW,
    STUCK,
    Asked,
    asked_inputs,
    asked_of,
    for_a_plane,
    permutable,
)
from gridlang.compiler.synthesis.deciding import Completion, first_decisions
from gridlang.compiler.synthesis.found_agents import Judged, found_source, found_table, judged, proven
from gridlang.compiler.synthesis.level import Answer, Found, Level, Progress, Questions, with_inputs
from gridlang.compiler.synthesis.limits import LIMITS
from gridlang.compiler.synthesis.native_search import ANY_COST, Candidate, Groups, Path, Space, Task
from gridlang.compiler.testing.output_search import Expectation
from gridlang.diagnostics import counted
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table

ROWS, PLANE = "LR", "LRUD"


@dataclass(slots=True)
class Outcome:
    """The agent found, and what is known of all others.

    No agent of up to `excluded` states is right on the `inputs` within their step limits; `fewest_steps` says
    that none of as many states takes fewer steps on all of them together.
    """

    found: Found | None = None
    excluded: int = 0
    fewest_steps: bool = False
    interrupted: bool = False
    nodes: int = 0
    for_faster: int = 0  # of these nodes, those tried for fewer steps
    counterexamples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Cost:
    """The bound on the cost of agents of one size."""

    most: int = 1
    dearest: int = 1  # a bound below the cost of one rule cuts off much that comes later
    nodes: int = 0  # tried below it

    def rise(self, nodes: int) -> None:
        """To the next bound, or to none where the last one hardly cut anything off."""
        hardly = not nodes or nodes < LIMITS.rises * self.nodes
        self.most = ANY_COST if hardly and self.most >= self.dearest else self.most + 1
        self.nodes = nodes


class Synthesizer:
    """A search in progress. `tell` takes what is searched, and returns the callback for rules tried."""

    def __init__(
        self,
        specified: Program,
        source: Source,
        rule: Expectation,
        moves: str | None,
        most_states: int,
        nodes: int,
        tell: Callable[[str], Callable[[int], None]],
    ) -> None:
        self.specified, self.source, self.rule = specified, source, rule
        self.most_states, self.nodes, self.tell = most_states, nodes, tell
        self.left = nodes  # for what follows once an agent is found
        table = self.table = specified.table
        self.inputs = asked_inputs(rule, table.symbols, source.path)
        several_rows = any(token == NEW_ROW for one in self.inputs for token, _ in one.pattern)
        self.moves = moves or (PLANE if several_rows else ROWS)
        self.inputs = for_a_plane(self.inputs) if self.moves == PLANE else self.inputs
        self.is_open = not any(True for _ in table.entries())
        self.letters = permutable(self._is_asked, self.inputs, table.symbols[1:]) if self.is_open else ""
        self.decisions = first_decisions(self.inputs)
        self.least = len(table.states)
        self.progress = Progress()
        self.questions = Questions(self._judge, lambda text: asked_of(rule, text))
        self.outcome = Outcome()
        self.unproven: Found | None = None
        self.in_proof: Found | None = None

    def run(self) -> Outcome:
        """All parts; what was found so far where it is interrupted."""
        try:
            self.outcome.found = self._find(self.most_states, self.nodes) or self.unproven
            if self.outcome.found:
                self._find_smaller()
                self._exclude_smaller()
                self._find_faster()
        except KeyboardInterrupt:
            self.outcome.interrupted = True
            self.outcome.found = self.outcome.found or self.unproven or self.in_proof
        return self.outcome

    def _find(self, most_states: int, nodes: int) -> Found | None:
        """Any agent, the cheap ones first; None where it is not proven."""
        spent, allowance = 0, LIMITS.first_allowance
        dearest = 12 if self.least > 1 else 1  # rules in the holes of a sketch cost more
        open_sizes = {size: _Cost(dearest=dearest) for size in self._sizes(most_states)}
        while spent < nodes and open_sizes:
            for size in tuple(open_sizes):
                while size in open_sizes and spent < nodes:
                    cost = open_sizes[size]
                    states, letters, decides = size
                    space = replace(self._space(states, letters, cost.most), decides=decides)
                    share = self._share(allowance, letters, decides, states)
                    answer = self._search(space, min(share, nodes - spent))
                    spent += answer.nodes
                    if answer.found or (self.unproven and not self.outcome.found):
                        return answer.found
                    if not answer.exhausted:
                        break
                    if cost.most == ANY_COST:
                        del open_sizes[size]
                    cost.rise(answer.nodes)
            allowance *= LIMITS.growth
        return None

    def _find_smaller(self) -> None:
        """Cheap agents with fewer states, as long as some are found."""
        while self._states_found() > self.least and self.left > 0:
            before, most = self.outcome.nodes, max(self.nodes // LIMITS.faster, self.outcome.nodes)
            found = self._find(self._states_found() - 1, min(self.left, most))
            self.left -= self.outcome.nodes - before
            if not found:
                return
            self.outcome.found = found

    def _exclude_smaller(self) -> None:
        """Searches all smaller agents, fewest states first, within the allowance."""
        states = self.least
        self.outcome.excluded = self.least - 1
        while states < self._states_found() and self.left > 0:
            answer = self._search(self._space(states, ""), self.left)
            self.left -= answer.nodes
            if answer.found:
                self.outcome.found = answer.found
                return
            if not answer.exhausted:
                return
            self.outcome.excluded = states
            states += 1

    def _find_faster(self) -> None:
        """Agents of as many states that take fewer steps, one after the other, within a small budget."""
        most = max(self.nodes // LIMITS.faster, LIMITS.again * self.outcome.nodes)
        self.left = min(self.left, most)
        task: Path = ()
        while self.left > 0:
            assert self.outcome.found
            space = self._space(self._states_found(), "")
            best = self._steps(space, self.outcome.found.judged.program.table)
            known = self.inputs
            answer = self._search(replace(space, best=best), self.left, task)
            self.left -= answer.nodes
            self.outcome.for_faster += answer.nodes
            task = answer.task if self.inputs == known else ()  # more inputs ask for rules in another order
            only = not answer.nodes  # nothing was open: there is one agent
            if only or not answer.found:
                self.outcome.fewest_steps = only or answer.exhausted
                return
            self.outcome.found = answer.found

    def _sizes(self, most: int) -> Iterator[tuple[int, str, Groups]]:
        """A few numbers of states, and the largest, each with letters to permute and what to decide."""
        for states in (*range(self.least, min(self.least + LIMITS.few_states, most)), most):
            for decides in ((), *self.decisions) if states == most else ((),):
                if self.letters:
                    yield min(1 + (states - 1) * len(self.letters), most), self.letters, decides
                yield states, "", decides

    def _share(self, allowance: int, letters: str, decides: Groups, states: int) -> int:
        """Less for agents that do not permute or decide where they could, or exceed a sketch."""
        likely = bool(letters) == bool(self.letters) and bool(decides) == bool(self.decisions)
        likely &= bool(decides) or self.is_open or states == self.least
        return allowance if likely else allowance // LIMITS.unlikely

    def _space(self, states: int, letters: str, cost: int = ANY_COST) -> Space:
        inputs = [*self._representatives(letters)]
        learned = len([one for one in inputs if one.text in self.outcome.counterexamples])
        stuck = any(one.ending == STUCK for one in self.inputs)
        active = min(LIMITS.active + learned, LIMITS.most_active)
        return Space(self.table, states, self.moves, tuple(inputs), active, letters, cost, stuck=stuck)

    def _representatives(self, letters: str) -> Iterator[Asked]:
        """One input of all that are permuted into each other."""
        orders = [dict(zip(letters, order, strict=True)) for order in permutations(letters)]
        return (
            one
            for one in self.inputs
            if all(one.text <= "".join(order.get(c, c) for c in one.text) for order in orders)
        )

    def _search(self, space: Space, allowance: int, first_task: Path = ()) -> Answer:
        bound = f" of cost {space.most_cost}" if space.most_cost < ANY_COST else ""
        words = f"rules tried; agents of {counted(space.states, 'state')}{bound}"
        self.progress.tell = self.tell(words + self._wanted(space))
        answer = Level(space, allowance, self.questions, self.progress).search(first_task)
        self._learn(answer.learned)
        self.outcome.nodes += answer.nodes
        candidate = answer.found or next(iter(answer.unproven), None)
        return self._proven(answer, candidate, space, allowance - answer.nodes) if candidate else answer

    def _wanted(self, space: Space) -> str:
        """The aim of the search after an agent is found."""
        if not self.outcome.found:
            return ""
        states = self._states_found()
        better = "smaller" if space.states < states else "faster"
        return f"; found one of {states}, looking for a {better} one"

    def _proven(self, answer: Answer, candidate: Found, space: Space, left: int) -> Answer:
        """The answer after all proofs of a candidate; if they refute it, the search continues."""
        if candidate.judged.as_shown:
            return answer
        self.in_proof = candidate
        judged = proven(candidate.judged, self.tell("cases; an agent was found, and is tested and proven"))
        self.in_proof = None
        found, wrong = replace(candidate, judged=judged), judged.counterexample
        asked = self.questions.asked_of(wrong) if wrong is not None else None
        new = self._learn([asked] if asked else [])
        if new and left > 0:
            again = self._search(with_inputs(space, new), left)
            return replace(again, nodes=answer.nodes + again.nodes)
        if judged.refused:
            return replace(answer, found=None, exhausted=False)
        if judged.accepted:
            return replace(answer, found=found)
        self.unproven = self.unproven or found
        return replace(answer, found=None)

    def _learn(self, asked: Iterable[Asked]) -> list[Asked]:
        """Counterexamples join the inputs; those that are new."""
        new = [one for one in dict.fromkeys(asked) if one not in self.inputs]
        self.inputs = (*new, *self.inputs)
        self.outcome.counterexamples += [one.text for one in new]
        return new

    def _is_asked(self, one: Asked) -> bool:
        return self.rule.language.declares(one.text) and asked_of(self.rule, one.text) == one

    def _judge(self, candidate: Candidate, space: Space) -> Judged:
        if space.decides:
            return self._completed(candidate, space)
        table = found_table(self.specified.table, candidate, space.letters)
        text = found_source(self.specified, table, self.source)
        program = load_source(Source(self.source.path, text))
        return judged(program, text, self.rule)

    def _completed(self, candidate: Candidate, space: Space) -> Judged:
        """The agent that continues where a candidate has decided; refused if none is found."""
        whole = with_inputs(self._space(space.states, ""), space.inputs)
        completion = Completion(whole)
        found = completion.of(candidate, space.decides)
        nodes = LIMITS.to_complete - completion.left
        self.progress.add(nodes)
        if found is None:
            return Judged(self.specified, failing=True, nodes=nodes)
        return self._judge(found, whole)._replace(nodes=nodes)

    def _states_found(self) -> int:
        """The states of the agent that was found, without the target `halt` unless it was written."""
        assert self.outcome.found
        table = self.outcome.found.judged.program.table
        return max(self.least, _without_halt(table))

    def _steps(self, space: Space, table: Table) -> int:
        """The steps of an agent on all inputs of a space."""
        whole = replace(space, table=table, states=len(table.states), best=2**62)
        task = Task(whole)
        task.go_on(1)
        return task.candidate().steps


def _without_halt(table: Table) -> int:
    return sum(not table.is_halt_target(state) for state in range(len(table.states)))
