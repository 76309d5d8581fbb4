"""Summaries of programs and verdicts, for people and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gridlang.compiler.given import is_kind, is_model
from gridlang.compiler.proofs.equivalence import EVERYWHERE, Suspicion, Verdict, where_stuck
from gridlang.compiler.proofs.joint_step import NEVER, UNASKED
from gridlang.compiler.proofs.results.claims import PROVEN, TESTED, Claim
from gridlang.compiler.tensors.stray import Stray
from gridlang.compiler.terminal.source_rules import rule_at
from gridlang.diagnostics import counted
from gridlang.printable import quoted_input
from gridlang.program import Program
from gridlang.world import world_picture

if TYPE_CHECKING:
    from gridlang.compiler.verifier.verify import Checked

SHOWN_STEPS = 10  # at each end of a long counterexample
DETAILS = "gridlang.details"  # of a click context


def with_details(command: click.Command) -> click.Command:
    """The command with `--verbose`, which also prints what experts read."""

    def kept(context: click.Context, _: click.Parameter, given: bool) -> None:
        context.meta[DETAILS] = given

    more = "Also print the sizes of proofs and clusters."
    flag = click.Option(["--verbose"], is_flag=True, expose_value=False, callback=kept, help=more)
    command.params.insert(-1, flag)
    return command


def verbose() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(DETAILS))


def claim_words(claim: Claim, claims: Iterable[Claim]) -> str:
    """The answer in words; `claims` are all about the agent."""
    halts = any(each.says == "halts" and each.answer == PROVEN for each in claims)
    verdict = claim.verdict
    if claim.answer == PROVEN and verdict is not None:
        also = f", also where `{verdict.condition}` is not met" if verdict.condition else ""
        also += (
            ", where it halts" if claim.says.startswith("output ") and not (halts or verdict.halts) else ""
        )
        if verdict.ran:
            return f"proven{also}: {verdict.ran}"
        ranked = f", a ranking of {counted(verdict.levels, 'level')}" if verdict.halts else ""
        size = f"; {counted(verdict.product_states, 'product state')}{ranked}" if verbose() else ""
        return f"proven on every declared input{also}{size}"
    if claim.answer == TESTED:
        return f"tested {claim.tried}{f', not proven: {claim.reason}' if claim.reason else ''}"
    shown = f" on the input {quoted_input(claim.input)}" if claim.input is not None else ""
    return f"{claim.answer}{shown}: {claim.reason}"


# parts of a verdict that are JSON as they are
PLAIN = (
    *("equivalent", "scope", "subject", "radius", "product_states", "stuck_branches", "unobserved_branches"),
    *("stuck", "input", "left_state", "right_state", "odd"),
)


def counts(program: Program) -> dict[str, int]:
    """The size of a table and of its tensors."""
    d, k = len(program.table.states), len(program.table.symbols)
    return {
        "states": d,
        "symbols": k,
        "moves": 5,
        "transitions": program.table.transitions,
        "parameters": k * d * d + k * k * d + 5 * k * d + d,
    }


def summary_lines(program: Program) -> Iterator[str]:
    size = counts(program)
    d, k = size["states"], size["symbols"]
    given = ", ".join(f"{name} = {value}" for name, value in program.bound.items())
    yield f"{program.name}{f' ({given})' if given else ''} from {program.file}"
    symbols = " ".join(program.table.symbols[:40]) + (" …" if k > 40 else "")
    rows = [
        ("states", d, ""),
        ("symbols", k, symbols),
        ("rules", size["transitions"], f"of {d * k:,} pairs"),
        ("parameters", size["parameters"], f"A {k}×{d}×{d}, B {k}×{k}×{d}, C {k}×5×{d}, h0 {d}"),
    ]
    yield from (f"  {name:<11}{count:>9,}   {note}".rstrip() for name, count, note in rows)


class Named(NamedTuple):
    """A side's name in messages, and its program if it has a source."""

    name: str
    program: Program | None = None


def verdict_data(
    verdict: Verdict, left: Program | None = None, right: Program | None = None
) -> dict[str, Any]:
    """A verdict as JSON, with the lines of rules if the programs have sources."""
    steps, suspicion, drift = verdict.counterexample, verdict.suspicion, verdict.drift
    states = verdict.left_state, verdict.right_state
    return {
        **{name: getattr(verdict, name) for name in PLAIN},
        "counterexample": [step._asdict() for step in steps] if steps is not None else None,
        "step": len(steps) if steps is not None else None,
        "shortest": verdict.shortest if steps is not None else None,
        "world": world_picture(verdict.world) if verdict.world else None,
        "reason": verdict.reason or None,
        "hint": verdict.hint or None,
        "guessed": verdict.guessed or None,
        "drift": None if drift is None else _drift_data(drift),
        "stray": None if verdict.stray is None else verdict.stray.as_json(),
        "unsnapped": verdict.unsnapped or None,
        **_lines(left, right, *states, steps[-1].read if steps else ""),
        "suspicion": suspicion and {**suspicion._asdict(), **_lines(left, right, *suspicion[:3])},
    }


def _drift_data(drift: Verdict) -> dict[str, Any]:
    """Where float weights alone err; all steps before it are LEFT's."""
    world = world_picture(drift.world) if drift.world and drift.input is None else None
    return {"step": len(drift.counterexample or ()), "input": drift.input, "world": world}


def _lines(
    left: Program | None, right: Program | None, mine: str | None, other: str | None, read: str
) -> dict[str, int | None]:
    """The lines of the rules that both sides use next."""

    def line(program: Program | None, state: str | None) -> int | None:
        if program is None or state is None or read not in program.table.symbols:
            return None  # where nothing was decided, there may be states and no step
        table = program.table
        return rule_at(program, table.states.index(state), table.symbols.index(read)).line or None

    return {"left_line": line(left, mine), "right_line": line(right, other)}


def verdict_lines(left: Named, right: Named, verdict: Verdict) -> Iterator[str]:
    """A verdict in words: the claim, its subject, and the reason."""
    if verdict.equivalent is None:
        return _unknown(left, right, verdict)
    return _proof(left.name, right.name, verdict) if verdict.equivalent else _difference(left, right, verdict)


def _unknown(left: Named, right: Named, verdict: Verdict) -> Iterator[str]:
    yield f"unknown: {verdict.reason}"
    looked = f"up to radius {verdict.radius}, " if verdict.radius is not None else ""
    if verdict.product_states and verbose():
        yield f"  {looked}{counted(verdict.product_states, 'product state')}"
    if verdict.suspicion:
        yield from (f"  {line}" for line in _suspicion_lines(left, right, verdict.suspicion, verdict.scope))
    if verdict.hint:
        yield f"  to try: {verdict.hint}"


def _proof(left: str, right: str, verdict: Verdict) -> Iterator[str]:
    if verdict.scope == "observed":
        yield f"bisimilar on the observed language: wherever {right} was seen to go, it does what {left} does"
        ends = _branches_end(verdict.unobserved_branches)
        yield f"  {ends} where {right} was never seen; it is stuck there"
    else:
        where = f"{EVERYWHERE[verdict.scope]}{where_stuck(verdict.stuck, left)}"
        length = ", at every length" if verdict.subject == "snapped model" else ""
        yield f"proven: {right} does what {left} does, {where}{length}"
    if verdict.condition:
        yield f"  also on texts that are not inputs, as they fail the condition `{verdict.condition}`"
    window = f", a window of radius {verdict.radius}" if verdict.radius is not None else ""
    size = f"; {verdict.ran or counted(verdict.product_states, 'product state')}"
    yield f"  about the {verdict.subject}{f'{size}{window}' if verdict.ran or verbose() else ''}"
    if verdict.stuck_branches and verdict.stuck != NEVER:
        said = "; nothing is claimed beyond" if verdict.stuck == UNASKED else f", and {right} is too"
        yield f"  {_branches_end(verdict.stuck_branches)} where {left} is stuck{said}"


def _branches_end(number: int) -> str:
    return "1 branch ends" if number == 1 else f"{number:,} branches end"


def _difference(left: Named, right: Named, verdict: Verdict) -> Iterator[str]:
    steps = verdict.counterexample or ()
    yield f"different: {right.name} does not do what {left.name} does, at step {len(steps)}"
    if verdict.subject == "model":
        yield "  seen on the model itself"
    if verdict.input is not None:
        yield f"  on the input {quoted_input(verdict.input)}"
    elif verdict.world is not None:
        picture = world_picture(verdict.world)
        yield "  on this world:" if picture else "  on a world too large to draw:"
        yield from (f"    {line}" for line in (picture or "").split("\n"))
    else:
        yield "  on a sequence of reads that no world shows; `--scope worlds` asks about worlds alone"
    yield "  no difference comes earlier:" if verdict.shortest else "  an earlier one may exist:"
    for number, step in enumerate(steps, 1):
        if SHOWN_STEPS < number <= len(steps) - SHOWN_STEPS:
            if number == SHOWN_STEPS + 1:
                yield f"     …  {len(steps) - 2 * SHOWN_STEPS:,} steps that are the same"
            continue
        mine, other = (act(action) for action in (step.left, step.right))
        both = mine if mine == other else f"{mine:<14} but {right.name}: {other}"
        yield f"  {number:>4}  read {step.read}  {both}"
    yield from (f"  {line}" for line in (*_difference_lines(left, right, verdict), *verdict.odd))
    if verdict.hint:
        yield f"  to try: {verdict.hint}"


def act(action: tuple[str, str] | None) -> str:
    """One side's part of a step."""
    return f"write {action[0]}, {action[1]}" if action else "stuck"


def _difference_lines(left: Named, right: Named, verdict: Verdict) -> Iterator[str]:
    """The state and the rule of each side at the last step."""
    read = (verdict.counterexample or ())[-1].read
    for side, state in ((left, verdict.left_state), (right, verdict.right_state)):
        if state is not None:
            yield f"{side.name} is in state `{state}`{_rule(side.program, state, read)}"


def _suspicion_lines(left: Named, right: Named, suspicion: Suspicion, scope: str) -> Iterator[str]:
    """The place where they may differ, the rules there, and whether a run reached it."""
    mine, other, symbol, seen, tried = suspicion
    yield f"they may differ where both read `{symbol}`:"
    yield f"  {left.name} in state `{mine}`{_rule(left.program, mine, symbol)}"
    yield f"  {right.name} in state `{other}`{_rule(right.program, other, symbol)}"
    cases = counted(tried, "short input" if scope == "inputs" else "small world")
    if seen:
        yield f"on {cases} tried, {left.name} comes to its rule, but never with {right.name} in that state"
    else:
        yield f"on none of {cases} tried does {left.name} read `{symbol}` in state `{mine}`"


def _rule(program: Program | None, state: str, symbol: str) -> str:
    """The rule behind a pair, as the rest of a sentence; empty without a source."""
    if program is None:
        return ""
    at = program.table.states.index(state), program.table.symbols.index(symbol)
    if program.table.rows[at[0]][at[1]] is None:
        return f", which has no rule for `{symbol}`"
    rule = rule_at(program, *at)
    if not rule.line or is_kind(program.file, "machine"):  # lines of a machine's translation are in no file
        return ""
    file = program.rules[at].span.source.path  # two agents are named: each line says its file
    return f", {rule._replace(file='' if file == program.file else file).in_words()}"


CHECKED_TWICE = "  checked twice; the second checker is proven sound in Rocq"
CHECKED_ONCE = "  checked once: the second checker, which is proven in Rocq, {}"


def checked_lines(file: str, checked: Checked, files: Mapping[str, str] | None) -> Iterator[str]:
    """The claim and its tables, or the faults of the certificate."""
    if checked.valid and checked.claim and checked.left and checked.right:
        sides = {"left": checked.left, "right": checked.right}
        yield from _claim_lines(checked.claim, sides, files, checked.stray)
        if checked.proven:
            yield CHECKED_TWICE
        if checked.unanswered:
            yield CHECKED_ONCE.format(checked.unanswered)
    else:
        yield f"not valid: {file}"
        yield from (f"  {problem.where}: {problem.message}" for problem in checked.problems)


def stray_lines(stray: Stray) -> Iterator[str]:
    return (line for line in stray.lines() if verbose() or line.startswith("warning"))


def _claim_lines(
    claim: Mapping[str, Any],
    sides: Mapping[str, Mapping[str, Any]],
    files: Mapping[str, str] | None,
    stray: Mapping[str, Any] | None,
) -> Iterator[str]:
    yield f"valid: {claim['says']}"
    if files is None:
        given = "LEFT" if sides["left"] == sides["right"] else "LEFT RIGHT"
        yield f"  of the tables in the certificate; `verify CERT {given}` compares them with files"
    if claim["subject"] == "snapped model":
        does = "it is what the weights do with snapped inference"
        yield f"  RIGHT that {does} is only said" if stray is None else f"  RIGHT: {does}"
    if stray is not None:
        yield from (f"  {line}" for line in stray_lines(Stray(stray["decision"], stray["following"])))
    if sides["left"] == sides["right"]:
        yield "  RIGHT is LEFT"
        sides = {"left": sides["left"]}
    for name, side in sides.items():
        yield f"  {name.upper():<5} table, SHA-256 {side['table_sha256']}"
        yield from (f"        {line}" for line in _origin_lines(side, files[name] if files else None))
    stuck = claim["stuck_branches"]
    if stuck and claim["stuck"] != NEVER:
        said = "nothing is claimed beyond" if claim["stuck"] == UNASKED else "and RIGHT is too"
        yield f"  {_branches_end(stuck)} where LEFT is stuck; {said}"


def _origin_lines(side: Mapping[str, Any], file: str | None) -> Iterator[str]:
    """The origin of a table: as compared, or as the certificate states it."""
    given = ", ".join(f"{name} = {value}" for name, value in side["arguments"].items())
    extraction = side["extraction"]
    is_compared = file is not None and not (extraction and is_model(file))
    if is_compared:
        yield f"rebuilt from {file}{f' with {given}' if given else ''}"
    elif not extraction:
        yield f"said to come from {side['file']}{f' with {given}' if given else ''}"
    else:
        weights = file or f"{side['file']}, SHA-256 {extraction['weights_sha256']}"
        again = "; these are the weights, and it was not extracted again" if file else ""
        yield f"said to be extracted from {weights}{again}"
    if extraction:
        how = {"none": "states as seen", "folded": "states folded"}
        seen = f"{counted(extraction['inputs'], 'input')} and {counted(extraction['worlds'], 'world')}"
        size = f"{counted(extraction['states'], 'state')} from {counted(extraction['clusters'], 'cluster')}"
        guessed = f"{extraction['guessed']:,} pairs guessed"
        yield f"observed on {seen}: {size}, {how[extraction['merging']]}, {guessed}"
