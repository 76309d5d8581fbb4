"""`gridlang learn`: rounds of training and proof, until every seed is proven."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from gridlang.terminal.console import clear_progress, emit, say, show_progress
from gridlang.terminal.options import (
    command_line,
    defines,
    definitions_of,
    guarded,
    json_option,
    refuse_folder,
    training_device_option,
)
from learners.commands.method_options import MethodName
from learners.commands.noise_options import noise_options
from learners.methods.registry import AUTO, method_named

if TYPE_CHECKING:
    from learners.learning.expert_questions import StuckShare, UnseenRules
    from learners.learning.rounds import Learned, RoundResult
    from learners.learning.seed_verdicts import SeedResult
    from learners.learning.settings import LearnCallbacks, LearnConfig
    from learners.learning.training_on import Unconverged
    from learners.traces.dataset import Traces
    from learners.training.train import TrainingProgress

# The options that say what is learned and how; the others say where it is kept.
SETTINGS = (
    *("recipe", "iterations", "dim", "seed", "seeds"),
    *("scope", "strict", "rounds", "worlds", "device", "radius", "length", "method"),
)


@click.command("learn")
@click.argument("file", metavar="EXPERT", type=click.Path())
@click.option("--until-proven", is_flag=True, required=True, help="The one way there is; say it.")
@click.option("-o", "--output", type=click.Path(), help="The best model; NAME.safetensors unless given.")
@click.option(
    "--scope",
    default="worlds",
    show_default=True,
    type=click.Choice(("worlds", "inputs")),
    help="Prove it on all worlds, or on all declared inputs.",
)
@click.option(
    "--method",
    default=AUTO,
    show_default=True,
    type=MethodName(auto=True),
    help="auto merges states, then trains a dfst if need be; a dfst at once if you say how to train.",
)
@click.option("--strict", is_flag=True, help="Teach and prove also where the expert is stuck.")
@click.option(
    "--seeds", type=click.IntRange(1, 4096), help="How many to train at once; 4, or one without chance."
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, 2**31 - 1), help="The first seed."
)
@click.option("--any", "one", is_flag=True, help="Stop when one seed is proven; else when all are.")
@click.option("--rounds", default=8, show_default=True, type=click.IntRange(1, 1000), help="At most.")
@click.option("--recipe", help="proof unless given, or network for one; fast; paper; or a file NAME.toml.")
@click.option("--iterations", type=click.IntRange(1), help="Of each round, instead of what the recipe says.")
@click.option("--dim", type=click.IntRange(1), help="States of the models; else as the expert has.")
@click.option("--worlds", type=click.IntRange(0), help="Random worlds to begin with; else what fits.")
@click.option("--radius", type=click.IntRange(0, 8), help="Of the windows of a proof; else as needed.")
@click.option(
    "--length",
    default=12,
    show_default=True,
    type=click.IntRange(1, 300),
    help="Of inputs on which a model itself must follow the program; 300 for no drift there.",
)
@training_device_option("For training; proofs are found on the CPU.")
@click.option(
    "--certificate", type=click.Path(), help="Write the proof of the best model here, for `verify`."
)
@click.option(
    "--run", "folder", type=click.Path(), help="Where the rounds are kept; NAME.learn unless given."
)
@click.option("--resume", is_flag=True, help="Go on with an interrupted run, or with more --rounds.")
@click.option(
    "--noisy", is_flag=True, help="From traces partly wrong: EXPERT with --noise, NAME.npz, or a log."
)
@noise_options
@click.option("--against", type=click.Path(), help="With --noisy: who measures what traces of a file taught.")
@defines
@json_option
@guarded
def command(file: str, definitions: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Learn EXPERT from its traces until the extracted program is proven to do the same.

    States are merged first, which takes seconds, and is enough where short traces show an agent whole. Else
    each round records traces, trains all seeds together, extracts a program from each, and proves it. What a
    model gets wrong is taught to all in the next round. What no training can settle on all worlds is asked
    about on declared inputs. Exits with 1 if some seed is not proven at the end, at the scope asked for.

    \b
    gridlang learn increment.grid --until-proven
    gridlang learn add2.grid --until-proven --seeds 32 --certificate add2.proof.json
    gridlang learn mult10.grid --until-proven --scope inputs --any
    gridlang learn acceptor.grid --until-proven --scope inputs --strict
    gridlang learn add2.grid --until-proven --method merge
    gridlang learn add2.grid --until-proven --seeds 32 --resume
    gridlang learn add2.grid --until-proven --noisy --noise 5%
    gridlang learn traces.npz --until-proven --noisy
    gridlang learn log.csv --until-proven --noisy
    """
    if given["noisy"]:
        from learners.commands.learn_noisy import learn_noisy_command

        learn_noisy_command(file, definitions_of(definitions), as_json, given)
        return
    if given["noise"] is not None or given["against"]:
        raise click.UsageError("--noise and --against go with --noisy")
    from compiler.program_files import load_program
    from learners.learning.expert_questions import stuck_shares
    from learners.learning.learn import learn
    from learners.learning.learn_text import learned_data
    from learners.learning.settings import learn_config

    program = load_program(file, definitions_of(definitions))
    settings = {name: given[name] for name in SETTINGS}
    _check_seeds(given["seeds"], given["method"])
    config = learn_config(program, any=given["one"], command=command_line("--resume", "--json"), **settings)
    output = _writable(given["output"] or f"{program.name}.safetensors", file)
    certificate = given["certificate"] and _writable(given["certificate"], file, output)
    folder = given["folder"] or f"{output.removesuffix('.safetensors')}.learn"
    show_progress("running the expert on random inputs and worlds")
    shares = stuck_shares(program.table, config.scope, config.seeds[0])
    clear_progress()
    _announce(config, shares, as_json)
    try:
        learned = learn(config, folder, resume=given["resume"], callbacks=_callbacks(config, as_json))
    except KeyboardInterrupt:
        clear_progress()
        say(f"interrupted; the rounds are in {folder}, go on with --resume", err=True)
        raise
    clear_progress()
    _write(learned, output, certificate)
    if as_json:
        emit(learned_data(config, learned, output, certificate, shares))
    else:
        _report(config, learned, output, certificate, shares)
    if not (learned.proven if config.any else learned.proven == learned.seeds):
        raise click.exceptions.Exit(1)


def _check_seeds(given: int | None, method: str) -> None:
    """A method without chance has one answer."""
    if method != AUTO and not method_named(method).trained and given not in (None, 1):
        raise click.UsageError(f"--method {method} draws nothing at random: it has one answer, not {given}")


def _writable(path: str, *others: str) -> str:
    """A place for an output: no folder, and none of the other files."""
    refuse_folder(path, "name a file")
    for other in others:
        if os.path.realpath(path) == os.path.realpath(other):
            raise click.UsageError(f"{path} is named twice; write to another file")
    return path


def _announce(config: LearnConfig, shares: tuple[StuckShare, ...], as_json: bool) -> None:
    """What is to be learned, and on what share of it the expert is stuck; a warning unless that is asked."""
    from learners.learning.expert_questions import DECLARED, asks_for_stuck
    from learners.learning.learn_text import stuck_line

    table, seeds = config.program.table, len(config.seeds)
    stuck = stuck_line(config.program.name, shares, config.strict)
    if not config.strict and any(share.stuck for share in shares if share.what == DECLARED):
        asked = ", which its output clause asks for" if asks_for_stuck(table) else ""
        say(f"warning: {stuck}; --strict teaches a model to be stuck as well{asked}, and proves it", err=True)
        stuck = ""
    if as_json:
        return
    many = "one seed" if seeds == 1 else f"{seeds} seeds"
    iterations = config.recipe.iterations
    long = f"{iterations:,} iterations a round" if iterations else "as many iterations as fit"
    trained = f"{many}, recipe {config.recipe.name}, {long}"
    how = trained if method_named(config.method.name).trained else config.method.name
    if config.merging_first:
        how = f"states are merged first, then {how}"
    say(
        f"{config.program.name}: {len(table.states)} states, {table.transitions} rules; "
        f"{how}; to be proven on all {config.scope}"
        f"{', strictly' if config.strict else ''}{f'; {stuck}' if stuck else ''}",
        err=True,
    )


def _callbacks(config: LearnConfig, as_json: bool) -> LearnCallbacks:
    from learners.learning.learn_text import merged_line, round_line
    from learners.learning.settings import LearnCallbacks
    from learners.training.train_text import loss_text

    judged: list[SeedResult] = []

    def training(at: TrainingProgress) -> None:
        judged.clear()
        if at.iteration == at.iterations:
            show_progress("extracting and proving")
            return
        how = f"{loss_text(at.losses)}  {at.rate:,.0f} it/s"
        show_progress(f"training {at.iteration:,}/{at.iterations:,}  {how}")

    def judged_one(result: SeedResult) -> None:
        judged.append(result)
        proven = sum(each.verdict == "proven" for each in judged)
        show_progress(f"proving {len(judged)} judged, {proven} proven")

    def ended(done: RoundResult) -> None:
        clear_progress()
        if not as_json:
            say(round_line(done, len(config.seeds)))

    def merged(done: RoundResult) -> None:
        clear_progress()
        if not as_json:
            say(merged_line(done))

    def traced(traces: Traces) -> None:
        show_progress(f"training on {len(traces):,} traces")

    def unsettled(unseen: UnseenRules) -> None:
        clear_progress()
        narrower = config.scope == "worlds" and config.declares_inputs
        instead = "; declared inputs are asked about instead" if narrower else ""
        say(f"note: {unseen.reason}{instead}", err=True)

    def unconverged(model: Unconverged) -> None:
        clear_progress()
        say(f"note: {model}", err=True)

    return LearnCallbacks(show_progress, unsettled, traced, training, judged_one, ended, merged, unconverged)


def _write(learned: Learned, output: str, certificate: str | None) -> None:
    from compiler.program_files import read_file
    from gridlang.files import write_whole

    if learned.best is None:
        return
    copies = [("safetensors", output), *([("certificate.json", certificate)] if certificate else [])]
    for ending, path in copies:
        write_whole(path, read_file(learned.file(learned.best, ending)))


def _report(
    config: LearnConfig,
    learned: Learned,
    output: str,
    certificate: str | None,
    shares: tuple[StuckShare, ...],
) -> None:
    """What is proven of whom, what is not, and why."""
    from learners.learning.learn_text import claim_line, unproven_lines

    for line in unproven_lines(learned):
        say(line)
    say(claim_line(config, learned, shares))
    best = learned.best
    if best is None:
        say("nothing was proven, so no model was written; more --rounds or --iterations may help", err=True)
        return
    result = learned.judged(best)
    trained = f"seed {best}, {result.states} states from {result.clusters} clusters"
    by = trained if method_named(learned.method).trained else f"{result.states} states"
    say(f"wrote {output} ({by})")
    if result.followed_up_to:
        say(f"the model itself was seen to follow it on inputs of up to {result.followed_up_to}")
    say(f"wrote {certificate}" if certificate else f"its proof is {learned.file(best, 'certificate.json')}")
