"""What an agent leaves: proofs, of several kinds in turn, that it is what its `output` clause says.

Short runs come first: they show a wrong result, or where right ones stand. Proofs by values are imported when
they are tried: most agents need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from gridlang.clauses.clause_tree import branches_of
from gridlang.clauses.functions import Acceptance
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.proofs.abstractions.grains import grains, strip_evidence, widened
from gridlang.compiler.proofs.differences.difference_search import needs_condition
from gridlang.compiler.proofs.equivalence import UNUSED_CONDITION, Never, Verdict
from gridlang.compiler.proofs.held_clauses import texts_of_cells
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.prove import by_itself, comparison_of
from gridlang.compiler.proofs.results.claims import PROVEN, REFUTED, TESTED, UNKNOWN, Claim, shown_alone
from gridlang.compiler.proofs.results.fold_results import fold_result
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.clauses.readings import reading_of
from gridlang.compiler.verifier.folds.folded_readings import FoldedReading
from gridlang.compiler.verifier.results import results_strip
from gridlang.compiler.verifier.strips import Grain, Strip
from gridlang.compiler.verifier.tables import Differs, LeavesRows, Rules, TooMuch, Wrong
from gridlang.diagnostics import counted
from gridlang.outcomes import Outcome
from gridlang.printable import quoted_input
from gridlang.table import Table
from gridlang.world import string_world

if TYPE_CHECKING:
    from gridlang.compiler.proofs.values.output_task import OutputTask

Anchor = tuple[str, int]  # columns from the first one of the input, or from the first one after it


def prove_output(table: Table, never_stuck: Claim | None = None) -> Claim | None:
    """Whether the agent leaves what its output clause says, wherever it halts; None if it has no clause."""
    rule = output_rule(table)
    return rule and OutputProofs(table, rule).claim(never_stuck)


class OutputProofs:
    """Proofs that an agent leaves what its output clause says, wherever it halts.

    One may be about inputs that meet their condition, if that is `counted`.
    """

    def __init__(self, table: Table, rule: OutputRule, counted: bool = False) -> None:
        self.table, self.rule, self.counted = table, rule, counted
        self.condition = rule.language.condition.clause if rule.language.condition else ""
        self.places = _Places(table, rule)

    def claim(self, never_stuck: Claim | None) -> Claim:
        """What is known. A proof by values is one about runs that are never stuck, which is shown apart."""
        says, places, condition = f"output {self.table.output}", self.places, self.condition
        if places.wrong is not None:
            text, reason = places.wrong
            return Claim(says, REFUTED, reason, None, text)
        if self.rule.acceptances:
            return places.tested(says, "no proof was found that every run ends")
        if places.row is None:
            return places.tested(says, "the results do not all stand in one row")
        verdict, reason = self.by_shape
        if verdict is None and places.endless is not None:
            why = f"no end of its run on the input {quoted_input(places.endless)} was seen"
            return places.tested(says, why)
        if verdict is None and never_stuck is not None and never_stuck.answer == PROVEN:
            from gridlang.compiler.proofs.values.output_task import OutputTask

            task = OutputTask(self.table, self.rule, places.row)
            verdict, unseen = _by_values(task, never_stuck)
            reason = unseen or reason
            if verdict is None and self.counted:
                verdict, _ = _by_values(task._replace(conditioned=True), never_stuck)
            if verdict is None and (condition or len(list(branches_of(self.rule.node))) > 1):
                verdict, unseen = _by_values(task, never_stuck, by_condition=True)
                reason = unseen or reason
        if verdict is None:
            unused = condition and not self.counted
            return places.tested(says, reason + (f"; {UNUSED_CONDITION.format(condition)}" if unused else ""))
        condition = "" if verdict.conditioned else condition
        return Claim(says, PROVEN, verdict=replace(verdict, condition=condition))

    @cached_property
    def by_condition(self) -> bool:
        """Whether it is stuck on a short text that its condition leaves out: no proof does without that."""
        return needs_condition(comparison_of(self.table, self.table, "inputs", NEVER))

    @cached_property
    def by_shape(self) -> tuple[Verdict | None, str]:
        """A proof by what its columns hold, one also that it is never stuck; or why there is none."""
        places = self.places
        if places.wrong is not None or self.rule.acceptances or places.row is None:
            return None, ""
        verdict, reason = self._by_columns()
        if verdict is None:
            verdict, folded = self._by_fold(places.row)
            reason = folded or reason
        if verdict is None and self.counted:
            verdict, _ = self._by_columns(conditioned=True)
        return verdict, reason

    def _by_fold(self, row: int) -> tuple[Verdict | None, str]:
        """A proof on a folded tape, or why there is none; nothing of a clause that is not of two numbers."""
        reason = ""
        for conditioned in (False, True) if self.condition else (False,):
            try:
                left = as_checked(self.table, conditioned)
                reading = FoldedReading(left, conditioned)
            except Wrong:
                continue
            if not reading.compares if conditioned else self.by_condition:
                continue
            shifting = reading.sum is not None and len(self.places.lasts) == 1
            proof, reason = fold_result(self.table, left, reading, row, shifting)
            if proof:
                return replace(proven_alone(self.table, proof), conditioned=conditioned), ""
        return None, reason

    def _by_columns(self, conditioned: bool = False) -> tuple[Verdict | None, str]:
        """A proof on a strip, or why there is none."""
        reasons, left = list[str](), as_checked(self.table, conditioned)
        for anchor in self.places.anchors():
            try:
                reading_of(left, declared(left), anchor)
            except Wrong as wrong:
                return None, str(wrong).replace("its output clause", "the clause")
            verdict, reason = self._on_strip(left, anchor)
            if verdict is not None:
                return replace(verdict, conditioned=conditioned), ""
            reasons.append(reason)
        return None, reasons[0]

    def _on_strip(self, left: Rules, anchor: Anchor) -> tuple[Verdict | None, str]:
        """A proof with the first grain that gives one, or why the last one gives none."""
        reason, row = "no proof was found", self.places.row
        assert row is not None

        def part(grain: Grain) -> dict[str, Any]:
            return {**strip_evidence(grain), "kind": "results", "row": row, "anchor": list(anchor)}

        def strip_of(grain: Grain) -> Strip:
            return results_strip(left, part(grain), LIMITS.most_strip_nodes)

        for tried in sorted(grains(self.table), key=lambda grain: grain.dim):
            try:
                _, grain = widened(
                    strip_of,
                    tried._replace(low=min(row, 0), high=max(row, 0), ahead=0, met=left.where is not None),
                )
            except (Differs, LeavesRows, TooMuch):
                continue
            except Wrong as wrong:
                reason = str(wrong).replace("LEFT", "the agent")
            else:
                return proven_alone(self.table, part(grain)), ""
        return None, reason


def _by_values(
    task: OutputTask, never_stuck: Claim, by_condition: bool = False
) -> tuple[Verdict | None, str]:
    """A proof by invariants of values or words, or why there is none."""
    from gridlang.compiler.proofs.values.output_evidence import conditioned_evidence, output_evidence

    assert never_stuck.verdict is not None
    try:
        never = conditioned_evidence(task) if by_condition else [Never(("wrong",), output_evidence(task))]
    except Unsaid as unsaid:
        return None, str(unsaid)
    conditioned = task.conditioned or never_stuck.verdict.conditioned
    conditioned |= by_condition and task.rule.language.condition is not None
    shown = (*shown_alone(never_stuck.verdict), *never)
    return replace(never_stuck.verdict, output=True, never=shown, conditioned=conditioned), ""


def proven_alone(table: Table, evidence: dict[str, Any]) -> Verdict:
    """What results and folds show: that it is never stuck, and leaves what its clause says."""
    never = (Never(("stuck", "wrong"), evidence),)
    return replace(by_itself(table, table), stuck=NEVER, output=True, never=never)


def wrong_on_cells(table: Table, rule: OutputRule, most: int) -> tuple[str, str] | None:
    """An input that uses some cell of the clause, and what is wrong with its result; None if none is.

    No run takes more than `most` steps.
    """
    left = LIMITS.steps_of_all_cells
    for text in filter(rule.language.allows, texts_of_cells(rule.language)):
        expected = rule.expected(text)
        done = run(table, string_world(text), min(left, most))
        left -= done.steps
        has_ended = done.outcome in (Outcome.HALTED, Outcome.STUCK)
        if has_ended and expected is not None and not rule.is_met(expected, done):
            return text, wrong_end(done, expected)
        if left <= 0:
            break
    return None


def wrong_end(done: Run, expected: str | Acceptance) -> str:
    left = "it is stuck" if done.outcome == Outcome.STUCK else f"it leaves `{done.result}`"
    wanted = expected.value if isinstance(expected, Acceptance) else expected
    return f"{left} where `{wanted}` is wanted"


class _Places:
    """Where results stand, as short runs show it: a row, and what a text may be counted from."""

    def __init__(self, table: Table, rule: OutputRule) -> None:
        self.wrong: tuple[str, str] | None = None  # an input, and what is wrong with its result
        self.row: int | None = 0
        self.starts: set[int] = set()
        self.ends: set[int] = set()
        self.lasts: set[int] = set()  # of the last columns, from the end of the input
        self.right = 0
        self.endless: str | None = None  # the first input on which no end was seen
        rows: set[int | None] = set()
        for text in islice(rule.language.shortest(LIMITS.longest_sample), LIMITS.samples):
            done = run(table, string_world(text), self._most_steps())
            expected = rule.expected(text)
            if expected is None:
                continue
            if done.outcome not in (Outcome.HALTED, Outcome.STUCK):
                self.endless = text if self.endless is None else self.endless
                continue
            shown, origin = done.result, done.origin
            if not rule.is_met(expected, done):
                self.wrong = text, wrong_end(done, expected)
                return
            self.right += 1
            if origin is not None and isinstance(expected, str):
                rows.add(None if "\n" in shown else origin[1])
                self.starts.add(origin[0])
                self.ends.add(origin[0] - len(text))
                self.lasts.add(origin[0] + len(shown) - len(text))
        if rows:
            self.row = rows.pop() if len(rows) == 1 else None
        self.wrong = wrong_on_cells(table, rule, self._most_steps())

    def _most_steps(self) -> int:
        """Of one run: an agent that never ends is run for long on one input alone."""
        return LIMITS.steps_of_a_result if self.endless is None else LIMITS.steps_of_a_sample

    def tested(self, says: str, why: str) -> Claim:
        """The claim that no proof was found for: it held as far as was tried, and why no more is known."""
        if not self.right:
            return Claim(says, UNKNOWN, why)
        return Claim(says, TESTED, why, tried=f"on {counted(self.right, 'short input')}")

    def anchors(self) -> Iterator[Anchor]:
        """Fixed distances from the start or the end of the input; one is enough where none matters."""
        if len(self.starts) <= 1:
            yield "start", min(self.starts, default=0)
        if len(self.ends) == 1:
            yield "end", min(self.ends)
        if len(self.starts) > 1 and len(self.ends) > 1:
            yield "start", 0
