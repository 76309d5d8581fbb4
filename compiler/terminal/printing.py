"""Summaries of programs, runs and verdicts, for people and as data."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from compiler.proofs.equivalence import EVERYWHERE, Verdict
from compiler.simulate import Run
from compiler.terminal.profile import by_line, profile_rows, rule_text
from compiler.testing.file_tests import describe
from compiler.verifier.verify import Checked
from gridlang.program import Program
from gridlang.table import DELTAS, MOVES
from gridlang.terminal.console import has_cursor
from gridlang.world import Cell, box_of, result, world_picture

DRAWABLE = 25_000_000  # A box of more cells does not fit into memory as text with ease.
SHOWN = 10  # So many steps are shown at each end of a long counterexample.


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


def print_summary(program: Program) -> None:
    size = counts(program)
    d, k = size["states"], size["symbols"]
    given = ", ".join(f"{name} = {value}" for name, value in program.bound.items())
    click.echo(f"{program.name}{f' ({given})' if given else ''} from {program.file}")
    symbols = " ".join(program.table.symbols[:40]) + (" …" if k > 40 else "")
    rows = [
        ("states", d, ""),
        ("symbols", k, symbols),
        ("rules", size["transitions"], f"of {d * k:,} pairs"),
        ("parameters", size["parameters"], f"A {k}×{d}×{d}, B {k}×{k}×{d}, C {k}×5×{d}, h0 {d}"),
    ]
    for name, count, note in rows:
        click.echo(f"  {name:<11}{count:>9,}   {note}".rstrip())


def run_data(program: Program | None, done: Run) -> dict[str, Any]:
    """A run as JSON; `program` is None for a model, which has no rules to count."""
    text, origin = _result(done)
    data: dict[str, Any] = {
        "outcome": done.outcome,
        "result": text,
        "origin": origin,
        "steps": done.steps,
        "state": done.state,
        "cell": done.cell,
        "symbol": done.symbol,
    }
    if done.reason:
        data["reason"] = done.reason
    if done.trace is not None:
        data["trace"] = [list(action) for action in done.trace]
    if done.profile is not None and program is not None:
        data["profile"] = [row._asdict() for row in profile_rows(program, done)]
    return data


def _result(done: Run) -> tuple[str | None, tuple[int, int] | None]:
    box = box_of(done.world.cells)
    return result(done.world.cells) if box is None or box.area <= DRAWABLE else (None, None)


def print_run(program: Program | None, done: Run, start: Cell = (0, 0)) -> None:
    """The result on stdout, how the run ended on stderr."""
    if done.trace is not None:
        _print_trace(program, done, start)
    if done.profile is not None and program is not None:
        _print_profile(program, done)
    text = _result(done)[0]
    large = text is None or (has_cursor(sys.stdout) and text.count("\n") > 500)
    click.echo(f"(a result of {len(done.world.cells):,} cells; too large for the screen)" if large else text)
    click.echo(describe(done), err=True)


def _print_trace(program: Program | None, done: Run, start: Cell) -> None:
    """Every step: where the head was, what it did, and in which state by which line."""
    table = program.table if program else None
    width = max((len(state) for state in table.states), default=0) if table else 0
    digits = len(str(done.steps))
    (x, y), state = start, 0
    for number, (read, write, move) in enumerate(done.trace or (), 1):
        text = f"{number:>{digits}}  {f'({x}, {y})':<10}  {read} -> {write}  {move}"
        if program and table:
            symbol = table.symbols.index(read)
            line, rule = rule_text(program, state, symbol)
            text += f"  {table.states[state]:<{width}}  {f'line {line}: {rule}' if line else ''}".rstrip()
            entry = table.rows[state][symbol]
            state = entry.next if entry else state
        click.echo(text)
        dx, dy = DELTAS[MOVES.index(move)]
        x, y = x + dx, y + dy


def _print_profile(program: Program, done: Run) -> None:
    rows = by_line(program, done)
    width = max([5, *(len(row.state) for row in rows)])
    click.echo(f"{'steps':>9}  share  line  {'state':<{width}}  rule")
    for row in rows:
        share = f"{100 * row.times / max(done.steps, 1):5.1f}%"
        click.echo(f"{row.times:>9,} {share}  {row.line or '':>4}  {row.state:<{width}}  {row.rule}")


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    steps = verdict.counterexample
    return {
        "equivalent": verdict.equivalent,
        "scope": verdict.scope,
        "subject": verdict.subject,
        "radius": verdict.radius,
        "product_states": verdict.product_states,
        "stuck_branches": verdict.stuck_branches,
        "unobserved_branches": verdict.unobserved_branches,
        "counterexample": [step._asdict() for step in steps] if steps is not None else None,
        "step": len(steps) if steps is not None else None,
        "shortest": verdict.shortest if steps is not None else None,
        "world": world_picture(verdict.world) if verdict.world else None,
        "input": verdict.input,
        "reason": verdict.reason or None,
        "guessed": verdict.guessed or None,
        "drift": None if verdict.drift is None else _drift_data(verdict.drift),
    }


def _drift_data(drift: Verdict) -> dict[str, Any]:
    """Where float weights alone err: all steps before it are LEFT's, and may be a million."""
    world = world_picture(drift.world) if drift.world and drift.input is None else None
    return {"step": len(drift.counterexample or ()), "input": drift.input, "world": world}


def print_verdict(left: str, right: str, verdict: Verdict) -> None:
    """What is claimed, of what, and why."""
    if verdict.equivalent is None:
        click.echo(f"unknown: {verdict.reason}")
        looked = f"up to radius {verdict.radius}, " if verdict.radius is not None else ""
        if verdict.product_states:
            click.echo(f"  {looked}{verdict.product_states:,} product states")
    elif verdict.equivalent:
        _print_proof(left, right, verdict)
    else:
        _print_difference(left, right, verdict)


def _print_proof(left: str, right: str, verdict: Verdict) -> None:
    if verdict.scope == "observed":
        click.echo(
            f"bisimilar on the observed language: wherever {right} was seen to go, it does what {left} does"
        )
        click.echo(
            f"  {verdict.unobserved_branches:,} branches end where {right} was never seen; it is stuck there"
        )
    else:
        length = ", at every length" if verdict.subject == "snapped model" else ""
        click.echo(f"proven: {right} does what {left} does, {EVERYWHERE[verdict.scope]}{length}")
    window = f", a window of radius {verdict.radius}" if verdict.radius is not None else ""
    click.echo(f"  about the {verdict.subject}; {verdict.product_states:,} product states{window}")
    click.echo(f"  {verdict.stuck_branches:,} branches end where {left} is stuck; nothing is claimed beyond")


def _print_difference(left: str, right: str, verdict: Verdict) -> None:
    steps = verdict.counterexample or ()
    click.echo(f"different: {right} does not do what {left} does, at step {len(steps)}")
    if verdict.subject == "model":
        click.echo(f"  seen on the model itself{f'; {verdict.hint}' if verdict.hint else ''}")
    if verdict.input is not None:
        click.echo(f'  on the input "{verdict.input}"')
    elif verdict.world is not None:
        picture = world_picture(verdict.world)
        click.echo("  on this world:" if picture else "  on a world too large to draw:")
        click.echo("\n".join(f"    {line}" for line in (picture or "").split("\n")))
    else:
        click.echo("  on a sequence of reads that no world shows; `--scope worlds` asks about worlds alone")
    click.echo("  no difference comes earlier:" if verdict.shortest else "  an earlier one may exist:")
    for number, step in enumerate(steps, 1):
        if SHOWN < number <= len(steps) - SHOWN:
            if number == SHOWN + 1:
                click.echo(f"     …  {len(steps) - 2 * SHOWN:,} steps that are the same")
            continue
        mine, other = (_act(action) for action in (step.left, step.right))
        both = mine if mine == other else f"{mine:<14} but {right}: {other}"
        click.echo(f"  {number:>4}  read {step.read}  {both}")


def _act(action: tuple[str, str] | None) -> str:
    return f"write {action[0]}, {action[1]}" if action else "stuck"


def checked_data(checked: Checked) -> dict[str, Any]:
    return {
        "valid": checked.valid,
        "claim": checked.claim,
        "problems": [problem._asdict() for problem in checked.problems],
        "left": checked.left,
        "right": checked.right,
    }


def print_checked(file: str, checked: Checked, changed: Mapping[str, bool | None]) -> None:
    """What is claimed, and of which files; or where the certificate is wrong."""
    if not checked.valid:
        click.echo(f"not valid: {file}")
        for problem in checked.problems:
            click.echo(f"  {problem.where}: {problem.message}")
        return
    click.echo(f"valid: {(checked.claim or {})['says']}")
    for name, side in (("left", checked.left), ("right", checked.right)):
        if side:
            origin = "the table extracted from " if side["extracted"] else ""
            click.echo(f"  {name.upper():<5} {origin}{side['file']}, SHA-256 {side['source_sha256']}")
            if changed.get(name):
                click.echo(f"        {side['file']} has changed since; the claim is about what it was")
