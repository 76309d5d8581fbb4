"""Summaries of programs, runs and verdicts, for people and as data."""

from __future__ import annotations

import sys
from typing import Any

import click

from compiler.equivalence import Verdict
from compiler.profile import by_line, profile_rows, rule_text
from compiler.simulate import Run
from compiler.testing import describe
from gridlang.loading import Program
from gridlang.table import DELTAS, MOVES
from gridlang.world import Cell, box_of, result

DRAWABLE = 25_000_000


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
    large = text is None or (sys.stdout.isatty() and text.count("\n") > 500)
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
        "counterexample": [step._asdict() for step in steps] if steps is not None else None,
    }


def print_verdict(left: str, right: str, verdict: Verdict) -> None:
    if verdict.equivalent:
        click.echo(f"proven: {right} does what {left} does, on every sequence of reads")
        ends = f"{verdict.stuck_branches:,} end where {left} is stuck"
        click.echo(f"  {verdict.product_states:,} pairs of states; of their branches {ends}")
        return
    click.echo(f"different: {right} does not do what {left} does")
    click.echo("  the shortest sequence of reads that shows it:")
    for number, step in enumerate(verdict.counterexample or (), 1):
        mine, other = (_act(action) for action in (step.left, step.right))
        both = mine if mine == other else f"{mine:<14} but {right}: {other}"
        click.echo(f"  {number:>4}  read {step.read}  {both}")


def _act(action: tuple[str, str] | None) -> str:
    return f"write {action[0]}, {action[1]}" if action else "stuck"
