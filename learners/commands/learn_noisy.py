"""`gridlang learn --noisy`: learning from traces whose reads, writes and moves are partly wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gridlang.terminal.console import clear_progress, emit, say, show_progress
from gridlang.terminal.options import command_line, refuse_folder

if TYPE_CHECKING:
    from gridlang.table import Table
    from learners.methods.noise.cleaning import RoundOfCleaning
    from learners.traces.dataset import Traces

# These say how rounds with an expert go; nobody answers questions about noisy traces.
WITHOUT = ("strict", "one", "certificate", "radius", "length", "method")
# Records around a rule that show it: the more of them are wrong, the more traces it takes.
RECORDS_AROUND_A_RULE = 6


def learn_noisy_command(
    file: str, definitions: Mapping[str, str], as_json: bool, given: dict[str, Any]
) -> None:
    """Cleans the traces, learns from what is left, says what was judged wrong, and measures it at the end."""
    from compiler.tensors.dfst import dfst_to_bytes
    from gridlang.files import write_whole
    from learners.learning.noise_text import cleaning_line, learned_lines, noisy_data
    from learners.learning.noisy_rounds import learn_noisy
    from learners.learning.noisy_run_folder import run_folder
    from learners.methods.noise.cleaning import CleaningPlan
    from learners.training.recipes import changed, load_recipe

    _refuse_others()
    seen, expert = _noisy_traces(file, definitions, given)
    output = given["output"] or f"{seen.name}.safetensors"
    refuse_folder(output, "name a file")
    recipe = changed(
        load_recipe(given["recipe"] or "proof", seen.name), iterations=given["iterations"], dim=given["dim"]
    )
    plan = CleaningPlan(recipe, given["rounds"], given["seed"], given["device"])

    def on_round(done: RoundOfCleaning) -> None:
        clear_progress()
        if not as_json:
            say(cleaning_line(done))

    seeds = tuple(range(given["seed"], given["seed"] + (given["seeds"] or 4)))
    folder = given["folder"] or f"{output.removesuffix('.safetensors')}.learn"
    command, measured = command_line("--resume", "--json"), expert is not None
    try:
        with run_folder(folder, seen, plan, measured, given["resume"], command) as kept:
            learned = learn_noisy(seen, plan, seeds, expert, kept, on_round=on_round, progress=show_progress)
    except KeyboardInterrupt:
        clear_progress()
        say(f"interrupted; the rounds are in {folder}, go on with --resume", err=True)
        raise
    clear_progress()
    write_whole(output, dfst_to_bytes(learned.model))
    scope = given["scope"] if given["scope"] in learned.verdicts else "worlds"
    data = {**noisy_data(learned, output, scope), "cleaned": kept.cleaned}
    if as_json:
        emit(data)
    else:
        say(*learned_lines(learned), f"wrote {output}", f"the cleaned traces are {kept.cleaned}")
    if data["proven"] is False:
        raise click.exceptions.Exit(1)


def _refuse_others() -> None:
    """What goes with rounds of questions to an expert does not go with --noisy."""
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") == ParameterSource.COMMANDLINE
        if given and option.name in WITHOUT:
            raise click.UsageError(f"{option.opts[-1]} does not go with --noisy")


def _noisy_traces(
    file: str, definitions: Mapping[str, str], given: Mapping[str, Any]
) -> tuple[Traces, Table | None]:
    """What to learn from, and who measures it: traces of a file, or of an expert, corrupted here."""
    from compiler.program_files import load_program
    from learners.methods.noise.corruption import corrupted
    from learners.traces.collection import collected, plans_of
    from learners.traces.dataset import read_traces
    from learners.traces.logs.reading import is_log, read_log

    against = load_program(given["against"], definitions).table if given["against"] else None
    if file.endswith(".npz") or is_log(file):
        if given["noise"] is not None:
            raise click.UsageError("--noise corrupts the traces of an expert; those of a file have their own")
        return read_traces(file) if file.endswith(".npz") else read_log(file, noisy=True).traces, against
    if given["noise"] is None:
        raise click.UsageError("--noise says how much of an expert's traces is corrupted, as in --noise 5%")
    program = load_program(file, definitions)
    rate = given["noise"]
    many = given["worlds"] or round(
        min(20_000, max(400, 10 * program.table.transitions)) / (1 - rate) ** RECORDS_AROUND_A_RULE
    )
    show_progress("recording")
    traces = collected(program, plans_of(program.table, [f"worlds:{many}"]), seed=given["seed"])
    noisy = corrupted(traces, rate, given["noise_in"], given["seed"])
    return noisy, against or program.table
