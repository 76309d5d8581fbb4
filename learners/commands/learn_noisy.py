"""`gridlang learn --noisy`: learning from traces whose reads, writes and moves are partly wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.options import command_line, refuse_folder, typed

if TYPE_CHECKING:
    from gridlang.table import Table
    from learners.methods.noise.cleaning import RoundOfCleaning
    from learners.traces.dataset import Traces

# options of rounds with an expert, which noisy traces do not have
WITHOUT = ("strict", "one", "certificate", "radius", "length", "method", "ray")
RECORDS_AROUND_A_RULE = 6  # that show it: the more of them are wrong, the more traces it takes


def learn_noisy_command(
    file: str, definitions: Mapping[str, str], as_json: bool, options: dict[str, Any]
) -> bool:
    """Cleans the traces, learns from the result, and measures it."""
    from learners.api.noise import learn_noisy
    from learners.learning.learn_text import cleaning_line, learned_lines, noisy_data
    from learners.learning.noisy_rounds import CLEANED

    for option in typed(*WITHOUT):
        raise click.UsageError(f"{option} does not go with --noisy")
    seen, expert = _noisy_traces(file, definitions, options)
    output = options["output"] or f"{seen.name}.safetensors"
    refuse_folder(output, "name a file")
    folder = options["folder"] or f"{output.removesuffix('.safetensors')}.learn"

    def shown(event: str | RoundOfCleaning) -> None:
        if isinstance(event, str):
            show_progress(event)
        elif not as_json:
            say(cleaning_line(event))

    given = {name: options[name] for name in ("rounds", "seed", "iterations", "dim", "device", "resume")}
    try:
        learned = learn_noisy(
            seen,
            against=expert,
            seeds=options["seeds"] or 4,
            recipe=options["recipe"] or "proof",
            output=output,
            run=folder,
            command=command_line("--resume", "--json"),
            on_event=shown,
            **given,
        )
    except KeyboardInterrupt:
        say(f"interrupted; the rounds are in {folder}, continue with --resume", err=True)
        raise
    scope, cleaned = options["scope"], os.path.join(folder, CLEANED)
    scope = scope if scope in learned.verdicts else "worlds"
    data = {**noisy_data(learned, output, scope), "cleaned": cleaned}
    if as_json:
        emit(data)
    else:
        say(*learned_lines(learned), f"wrote {output}", f"the cleaned traces are {cleaned}")
    return data["proven"] is not False


def _noisy_traces(
    file: str, definitions: Mapping[str, str], given: Mapping[str, Any]
) -> tuple[Traces, Table | None]:
    """The traces of a file, or of an expert, corrupted here; and the expert to measure with."""
    from compiler.program_files import load_program
    from learners.api.data import as_traces, is_traces, trace
    from learners.api.noise import corrupt

    against = load_program(given["against"], definitions).table if given["against"] else None
    if is_traces(file):
        if given["noise"] is not None:
            raise click.UsageError("--noise corrupts the traces of an expert; those of a file have their own")
        return as_traces(file, noisy=True), against
    if given["noise"] is None:
        raise click.UsageError("--noise says how much of an expert's traces is corrupted, as in --noise 5%")
    program = load_program(file, definitions)
    rate = given["noise"]
    clean = min(20_000, max(400, 10 * program.table.transitions))
    many = given["worlds"] or round(clean / (1 - rate) ** RECORDS_AROUND_A_RULE)
    show_progress("recording")
    traces = trace(program, f"peek-worlds:{many}", seed=given["seed"])
    shape = given["noise_as"]
    return corrupt(traces, rate, given["noise_in"], shape=shape, seed=given["seed"]), against or program.table
