"""What can be proven of one agent: that it is never stuck, leaves what its `output` clause says, and halts.

Proofs by values are imported when they are tried: most agents need none.
All are about every declared input, of any length. The proof of the result is one about runs that halt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from gridlang.clauses.clause_tree import branches_of
from gridlang.clauses.functions import Acceptance
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.columns import Anchor, ExpectedColumns
from gridlang.compiler.proofs.abstractions.input_automaton import InputRows
from gridlang.compiler.proofs.abstractions.strip_labels import strip_details
from gridlang.compiler.proofs.abstractions.strips import strip_analysis
from gridlang.compiler.proofs.differences.difference_search import needs_condition
from gridlang.compiler.proofs.equivalence import UNUSED_CONDITION, Total, Verdict
from gridlang.compiler.proofs.halting.halting import halting_claims, prove_halting, with_halting
from gridlang.compiler.proofs.held_clauses import texts_of_cells
from gridlang.compiler.proofs.joint_step import NEVER, UNASKED
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.prove import comparison_of, declared_inputs, prove, quick_proof
from gridlang.compiler.proofs.reports import Listener, telling
from gridlang.compiler.proofs.results.claims import PROVEN, REFUTED, TESTED, UNKNOWN, Claim
from gridlang.compiler.proofs.results.expected_columns import expected_columns
from gridlang.compiler.proofs.results.fold_results import fold_result
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked, conditioned_rows
from gridlang.compiler.proofs.results.strip_results import result_evidence, wrong_result
from gridlang.compiler.proofs.results.unused_rules import never_stuck_verdict, without_unused
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.compiler.verifier.folds.folded_readings import FoldedReading
from gridlang.compiler.verifier.tables import Wrong
from gridlang.diagnostics import counted
from gridlang.outcomes import Outcome
from gridlang.printable import quoted_input
from gridlang.table import Table
from gridlang.world import result, string_world

if TYPE_CHECKING:
    from gridlang.compiler.proofs.values.output_task import OutputTask

NEVER_STUCK = "never stuck"


def claims_of(
    table: Table, progress: Listener | None = None, tell: Callable[[Claim], None] = lambda _: None
) -> tuple[Claim, ...]:
    """All that is said of an agent; GridError if it declares no inputs.

    `tell` is given each claim when it is decided, and once more if another proof decides it after all.
    """
    declared_inputs(table, alone=True)
    with telling(progress):
        return _claims(table, output_rule(table), tell)


def _claims(table: Table, rule: OutputRule | None, tell: Callable[[Claim], None]) -> tuple[Claim, ...]:
    may_be_stuck = rule is not None and Acceptance.STUCK in rule.acceptances
    rows = conditioned_rows(as_checked(table, conditioned=True), rule)
    proofs = rule and OutputProofs(table, rule, rows is not None)
    never_stuck = None
    shaped = proofs.by_shape[0] if proofs and not may_be_stuck and proofs.by_condition else None
    if shaped is not None:
        never_stuck = Claim(NEVER_STUCK, PROVEN, verdict=replace(shaped, output=False))
    elif not may_be_stuck:
        never_stuck = prove_never_stuck(table, rows)
    if never_stuck:
        tell(never_stuck)
    output = proofs.claim(never_stuck) if proofs else None
    unknown = never_stuck and never_stuck.answer == UNKNOWN and (output is None or output.verdict is None)
    # Of a wrong agent a condition seldom tells enough, and that takes half a minute to find out.
    hopeful = proofs and proofs.places.wrong is None and proofs.places.endless is None
    if never_stuck and unknown and rule is not None and proofs and hopeful:
        alone = quick_proof(table, table, "inputs")
        unstuck = never_stuck_verdict(alone, table, table, rule)
        if unstuck is not None:
            never_stuck = Claim(NEVER_STUCK, PROVEN, verdict=unstuck)
            tell(never_stuck)
            output = proofs.claim(never_stuck)
    if output:
        tell(output)
    if never_stuck and never_stuck.answer == UNKNOWN and output and output.verdict is not None:
        never_stuck = Claim(NEVER_STUCK, PROVEN, verdict=replace(output.verdict, output=False))
        tell(never_stuck)
    ending, why = prove_halting(table)
    if ending is None and rows is not None:
        ending, _ = prove_halting(table, rows)
        if ending is not None:
            ending = replace(ending, condition="", conditioned=True)
    if rule and rule.acceptances and output and output.answer != REFUTED and ending is not None:
        from gridlang.compiler.proofs.results.acceptance import acceptance_verdict

        verdict, reason = acceptance_verdict(table, rule, ending)
        proven_so = Claim(output.says, PROVEN, verdict=verdict)
        output = output._replace(reason=reason) if verdict is None else proven_so
        tell(output)
    shown = ending is not None and ending.stuck == NEVER
    if ending is not None and shown and never_stuck and never_stuck.answer == UNKNOWN:
        never_stuck = Claim(never_stuck.says, PROVEN, verdict=replace(ending, total=Total()))
        tell(never_stuck)
    claims = [claim for claim in (never_stuck, output) if claim]
    proven = _verdicts(claims)
    shown |= any(not verdict.total.accepts for verdict in proven)  # Other outputs only where never stuck.
    conditioned = any(claim.verdict is not None and claim.verdict.conditioned for claim in claims)
    last = halting_claims(table, ending, why, shown, conditioned)
    if hopeful and rule and rule.language.condition and (ending is None or not shown):
        fewer = _without_unused(table, rule) if never_stuck else None
        for claim in fewer or ():
            tell(claim)
        if fewer:
            return fewer
    if any(verdict.total.accepts for verdict in proven):  # It says where the agent halts.
        last = [claim for claim in last if claim.answer == PROVEN]
    for claim in last:
        tell(claim)
    return (*claims, *last)


def _without_unused(table: Table, rule: OutputRule) -> tuple[Claim, ...] | None:
    """All claims, shown of the agent without rules that no declared input uses; None if they are not."""
    fewer = without_unused(table, rule)
    alone = quick_proof(fewer, table, "inputs")
    verdict = never_stuck_verdict(alone, table, fewer, rule)
    ending, _ = prove_halting(fewer) if verdict is not None else (None, "")
    if verdict is None or ending is None:
        return None
    never_stuck = Claim(NEVER_STUCK, PROVEN, verdict=verdict)
    output = prove_output(fewer, never_stuck)
    if output is None or output.answer != PROVEN or output.verdict is None:
        return None
    if output.verdict.total.stuck is None:  # What shows it is evidence of LEFT alone.
        own = verdict.total._replace(output=output.verdict.evidence)
        output = output._replace(verdict=replace(verdict, output=True, total=own))
    halts = Claim("halts", PROVEN, verdict=replace(ending, condition="", conditioned=True))
    return never_stuck, output, halts


def _verdicts(claims: Iterable[Claim]) -> list[Verdict]:
    return [claim.verdict for claim in claims if claim.answer == PROVEN and claim.verdict is not None]


def strongest(claims: Iterable[Claim]) -> Verdict | None:
    """All that was proven, as one verdict for a certificate; None if nothing was."""
    proven = _verdicts(claims)
    accepted = next((verdict for verdict in proven if verdict.total.accepts), None)
    if accepted is not None:
        return accepted
    ending = next((verdict for verdict in proven if verdict.halts), None)
    others = [verdict for verdict in proven if not verdict.halts]
    if ending is None or not others:
        return proven[-1] if proven else None
    by_strip = ending.stuck == NEVER and others[-1].total.stuck is None
    if by_strip and (not others[-1].output or others[-1].total.output):
        output = others[-1].total.output
        total, conditioned = ending.total._replace(output=output), others[-1].conditioned
        return replace(ending, output=output is not None, total=total, conditioned=conditioned)
    return with_halting(others[-1], ending)


def with_claims(verdict: Verdict, claims: Iterable[Claim]) -> Verdict:
    """A verdict that also says what is proven of LEFT alone; of its output only where it is never stuck."""
    proven = _verdicts(claims)
    ending = next((each for each in proven if each.halts), None)
    result = next((each for each in proven if each.output), None)
    unstuck = next((each for each in proven if each.total.stuck), None)
    if unstuck is not None and verdict.stuck == UNASKED and verdict.scope == "inputs":
        total = Total(stuck=unstuck.total.stuck)
        verdict = replace(verdict, stuck=NEVER, total=total, conditioned=unstuck.conditioned)
    if result is not None and (verdict.stuck == NEVER or result.total.accepts):
        total = verdict.total._replace(output=result.total.output or result.evidence)
        verdict = replace(verdict, output=True, total=total, conditioned=result.conditioned)
    return verdict if ending is None else with_halting(verdict, ending)


def prove_never_stuck(table: Table, rows: InputRows | None = None) -> Claim:
    """Whether the agent is stuck on no declared input; where all texts do not tell, on no `rows` of them."""
    quick = quick_proof(table, table, "inputs", stuck=NEVER) if rows else None
    verdict = quick
    if verdict is None:
        verdict = prove(table, table, "inputs", stuck=NEVER, rows=rows)
    if verdict.equivalent and rows and quick is None:
        verdict = replace(verdict, condition="", conditioned=True)
    if verdict.equivalent:
        return Claim(NEVER_STUCK, PROVEN, verdict=verdict)
    if verdict.equivalent is None:
        return Claim(NEVER_STUCK, UNKNOWN, verdict.reason, verdict)
    read = (verdict.counterexample or ())[-1].read
    reason = f"it is stuck at step {len(verdict.counterexample or ()):,}, where it reads `{read}`"
    return Claim(NEVER_STUCK, REFUTED, reason, verdict, verdict.input)


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
            return places.tested(says, "it is not shown that every run ends")
        if places.row is None:
            return places.tested(says, "its results do not all stand in one row")
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
            proof, size, reason = fold_result(self.table, left, reading, row, shifting)
            if proof:
                return replace(_proven(size, 1, proof), conditioned=conditioned), ""
        return None, reason

    def _by_columns(self, conditioned: bool = False) -> tuple[Verdict | None, str]:
        """A proof on a strip, or why there is none."""
        reasons, left = list[str](), as_checked(self.table, conditioned)
        for anchor in self.places.anchors():
            try:
                verdict, reason = self._on_strip(expected_columns(left, anchor))
            except Unsaid as unsaid:
                return None, f"no finite automaton tells what each column must hold: {unsaid}"
            if verdict is not None:
                return replace(verdict, conditioned=conditioned), ""
            reasons.append(reason)
        return None, reasons[0]

    def _on_strip(self, expected: ExpectedColumns) -> tuple[Verdict | None, str]:
        """A proof with the first detail that gives one, or why the last one gives none."""
        reason, table, row = "no abstraction is fine enough", self.table, self.places.row
        assert row is not None
        for detail in sorted(strip_details(table), key=lambda detail: detail.dimmed):
            try:
                analysis = strip_analysis(table, table.rows, expected, detail, NEVER)
            except TooLarge:
                continue
            if analysis is None or analysis.failure or analysis.descents:
                continue
            wrong = wrong_result(analysis, row) if analysis.rows[0] <= row <= analysis.rows[1] else ""
            if wrong is None:
                return _proven(len(analysis.nodes), detail.depth, result_evidence(analysis, row)), ""
            reason = wrong or reason
        return None, reason


def _by_values(
    task: OutputTask, never_stuck: Claim, by_condition: bool = False
) -> tuple[Verdict | None, str]:
    """A proof by invariants of values or words, or why there is none."""
    from gridlang.compiler.proofs.values.output_evidence import conditioned_evidence, output_evidence

    assert never_stuck.verdict is not None
    try:
        evidence = conditioned_evidence(task) if by_condition else output_evidence(task)
    except Unsaid as unsaid:
        return None, str(unsaid)
    total = never_stuck.verdict.total._replace(output=evidence)
    conditioned = task.conditioned or never_stuck.verdict.conditioned
    conditioned |= by_condition and task.rule.language.condition is not None
    return replace(never_stuck.verdict, output=True, total=total, conditioned=conditioned), ""


def _proven(size: int, depth: int, evidence: dict[str, Any]) -> Verdict:
    return Verdict(True, "inputs", size, 0, stuck=NEVER, output=True, radius=depth, evidence=evidence)


def wrong_on_cells(table: Table, rule: OutputRule, most: int) -> tuple[str, str] | None:
    """An input that uses some cell of the clause, and what is wrong with its result; None if none is.

    A run takes at most so many steps.
    """
    left = LIMITS.steps_of_all_cells
    for text in filter(rule.language.allows, texts_of_cells(rule.language)):
        expected = rule.expected(text)
        done = run(table, string_world(text), min(left, most))
        left -= done.steps
        has_ended = done.outcome in (Outcome.HALTED, Outcome.STUCK)
        if has_ended and expected is not None and not rule.is_met(expected, done):
            return text, _wrong_end(done, expected)
        if left <= 0:
            break
    return None


def _wrong_end(done: Run, expected: str | Acceptance) -> str:
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
            shown, origin = result(done.world.cells)
            if not rule.is_met(expected, done):
                self.wrong = text, _wrong_end(done, expected)
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
            yield Anchor(False, min(self.starts, default=0))
        if len(self.ends) == 1:
            yield Anchor(True, min(self.ends))
        if len(self.starts) > 1 and len(self.ends) > 1:
            yield Anchor(False, 0)
