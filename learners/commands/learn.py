"""`gridlang learn`: rounds of training and proof, until every seed is proven."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

import gridlang as gl
from gridlang.compiler.targets import refuse_compiled
from gridlang.diagnostics import counted
from gridlang.learners.commands.learning_options import MethodName, ray_option
from gridlang.learners.methods.registry import AUTO, method_named, refuse_training
from gridlang.terminal.console import emit, progress_line, say, show_progress
from gridlang.terminal.options import (
    answering,
    command_line,
    defines,
    refuse_folder,
    refuse_unwritable,
    training_device_option,
)

if TYPE_CHECKING:
    from gridlang.learners.learning.expert_questions import StuckShare
    from gridlang.learners.learning.settings import Event, LearnConfig


@click.command("learn")
@click.argument("file", metavar="EXPERT", type=click.Path())
@click.option("--until-proven", is_flag=True, hidden=True, expose_value=False)  # accepted for old scripts
@click.option(
    "-o", "--output", type=click.Path(), help="File of the best model.  [default: NAME.learned.safetensors]"
)
@click.option(
    "--scope",
    default="worlds",
    type=click.Choice(("worlds", "inputs")),
    help="Prove it on all worlds, or on all declared inputs.",
)
@click.option(
    "--method",
    default=AUTO,
    type=MethodName(auto=True),
    help="auto asks the expert, or trains a dfst if you say how to train.",
)
@click.option("--strict", is_flag=True, help="Also learn and prove where the expert is stuck.")
@click.option(
    "--seeds",
    type=click.IntRange(1, 4096),
    help="Seeds to train at once.  [default: 4; 1 if nothing is random]",
)
@click.option("--seed", default=0, type=click.IntRange(0, 2**31 - 1), help="First seed.")
@click.option("--any", "one", is_flag=True, help="Stop when one seed is proven, not all.")
@click.option("--rounds", default=8, type=click.IntRange(1, 1000), help="Maximum number of rounds.")
@click.option(
    "--recipe",
    help="proof, fast, paper, network, or a file NAME.toml.  [default: proof; network for networks]",
)
@click.option("--iterations", type=click.IntRange(1), help="Override the recipe's iterations per round.")
@click.option("--dim", type=click.IntRange(1), help="States of the models.  [default: the expert's]")
@click.option(
    "--worlds", type=click.IntRange(0), help="Random worlds in the first round.  [default: fits the agent]"
)
@click.option(
    "--radius", type=click.IntRange(0, 8), help="Radius of a proof's windows.  [default: as needed]"
)
@click.option(
    "--length",
    default=12,
    type=click.IntRange(1, 300),
    help="Length of inputs on which the model itself must follow the program; 300 rules out drift there.",
)
@training_device_option("Where to train; proofs run on the CPU.")
@ray_option
@click.option(
    "--certificate", type=click.Path(), help="Write the proof of the best model here, for `verify`."
)
@click.option(
    "--run", "folder", type=click.Path(), help="Folder that keeps the rounds.  [default: NAME.learn]"
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run, or one with more --rounds.")
@defines
@answering
def command(file: str, definitions: dict[str, str], as_json: bool, **options: Any) -> bool:
    """Learn EXPERT until the result is proven to do the same.

    It queries EXPERT on sequences of reads, without looking at its states, until the prover finds no
    difference, which takes seconds. With --seeds, --recipe or any other option of training it learns from
    traces: each round records some, trains all seeds together, extracts a program from each, and proves it;
    the next round teaches what any model got wrong. Rules that no run on any world shows are left to a proof
    on declared inputs. Exits with 1 if some seed is not proven at the chosen scope.

    \b
    gridlang learn increment.grid
    gridlang learn add2.grid --seeds 32 --certificate add2.proof.json
    gridlang learn mult10.grid --scope inputs --any
    gridlang learn acceptor.grid --scope inputs --strict
    gridlang learn add2.grid --method merge
    gridlang learn add2.grid --seeds 32 --resume
    gridlang learn add2.grid --seeds 32 --ray 10.0.0.1:6379
    """
    try:
        refuse_training(options["method"], options["seeds"], options["ray"])
    except ValueError as error:
        raise click.UsageError(f"--method {error}") from None
    from gridlang.compiler.api.proven_weights import weights_line
    from gridlang.compiler.program_files import load_program
    from gridlang.learners.learning.learn_text import learned_data
    from gridlang.learners.learning.proven_learning import prove_learned

    program = load_program(file, definitions)
    output, folder = _places(program.name, options.pop("output"), options.pop("folder"))
    _writable(output, file)
    certificate = options["certificate"]
    if certificate:
        refuse_unwritable(_writable(certificate, file, output))
    shown = _Shown(as_json)
    options |= {"any": options.pop("one"), "command": command_line("--resume", "--json")}
    try:
        learned = gl.learn(program, output=output, run=folder, on_event=shown, **options)
    except KeyboardInterrupt:
        say(f"interrupted; the rounds are in {folder}, continue with --resume", err=True)
        raise
    proven = prove_learned(program, learned, progress_line)
    if as_json:
        emit(learned_data(shown.config, learned, output, certificate, shown.shares, proven))
    else:
        _report(shown, learned, output, certificate)
        if proven is not None:
            say(weights_line(proven))
            say(*([f"its proof is {proven.certificate}"] if proven.certificate else []))
    return bool(learned.proven) if shown.config.any else learned.proven == learned.seeds


def _places(name: str, output: str | None, folder: str | None) -> tuple[str, str]:
    """The model's file and the run's folder; what `compile` wrote is refused."""
    model = output or f"{name}.learned.safetensors"
    refuse_compiled(model)
    return model, folder or f"{output.removesuffix('.safetensors') if output else name}.learn"


def _writable(path: str, *others: str) -> str:
    """A place for an output: not a folder, and none of the other files."""
    refuse_folder(path, "name a file")
    for other in others:
        if os.path.realpath(path) == os.path.realpath(other):
            raise click.UsageError(f"{path} is named twice; write to another file")
    return path


class _Shown:
    """Announces a run, prints its rounds, and shows the progress on one line of a terminal."""

    config: LearnConfig
    shares: tuple[StuckShare, ...] = ()

    def __init__(self, as_json: bool) -> None:
        self.as_json, self.judged, self.proven = as_json, 0, 0

    def __call__(self, event: Event) -> None:
        from gridlang.learners.learning.expert_questions import UnseenRules
        from gridlang.learners.learning.learn_text import round_line
        from gridlang.learners.learning.rounds import RoundResult
        from gridlang.learners.learning.seed_verdicts import SeedResult
        from gridlang.learners.learning.settings import LearnConfig
        from gridlang.learners.learning.training_further import Unconverged
        from gridlang.learners.training.train import TrainingProgress

        match event:
            case LearnConfig():
                self._announce(event)
            case str():
                show_progress(event)
            case UnseenRules():
                narrower = self.config.scope == "worlds" and self.config.declares_inputs
                instead = "; declared inputs are asked about instead" if narrower else ""
                say(f"note: {event.reason}{instead}", err=True)
            case TrainingProgress():
                self.judged = self.proven = 0
                how = f"{event.iteration:,}/{event.iterations:,}  {event.loss_text}"
                training = f"training {how}  {event.rate:,.0f} it/s"
                is_done = event.iteration == event.iterations
                show_progress("extracting and proving" if is_done else training)
            case Unconverged():
                say(f"note: {event}", err=True)
            case SeedResult():
                self.judged, self.proven = self.judged + 1, self.proven + (event.verdict == "proven")
                show_progress(f"proving {self.judged} judged, {self.proven} proven")
            case RoundResult() if not self.as_json:
                say(round_line(event, len(self.config.seeds)))

    def _announce(self, config: LearnConfig) -> None:
        """What is learned, and how often the expert is stuck: a warning unless --strict asks about it."""
        from gridlang.learners.learning.expert_questions import DECLARED, asks_for_stuck, stuck_shares
        from gridlang.learners.learning.learn_text import stuck_line

        show_progress("running the expert on random inputs and worlds")
        self.config, table, seeds = config, config.program.table, len(config.seeds)
        self.shares = stuck_shares(table, config.scope, config.seeds[0])
        stuck = stuck_line(config.program.name, self.shares, config.strict)
        if not config.strict and any(share.stuck for share in self.shares if share.what == DECLARED):
            asked = ", which its output clause asks for" if asks_for_stuck(table) else ""
            taught = f"--strict teaches a model to be stuck as well{asked}, and proves it"
            say(f"warning: {stuck}; {taught}", err=True)
            stuck = ""
        if self.as_json:
            return
        iterations = config.recipe.iterations
        long = f"{iterations:,} iterations a round" if iterations else "as many iterations as fit"
        trained = (
            f"{counted(seeds, 'seed') if seeds > 1 else 'one seed'}, recipe {config.recipe.name}, {long}"
        )
        how = trained if method_named(config.method.name).trained else config.method.name
        proof = f"to be proven on all {config.scope}{', strictly' if config.strict else ''}"
        size = f"{counted(len(table.states), 'state')}, {counted(table.transitions, 'rule')}"
        where = f", on {config.cluster.training.about}" if config.cluster else ""
        told = f"{config.program.name}: {size}; {how}{where}; {proof}"
        say(f"{told}; {stuck}" if stuck else told, err=True)


def _report(shown: _Shown, learned: gl.Learned, output: str, certificate: str | None) -> None:
    """Which seeds are proven, which are not, and why."""
    from gridlang.learners.learning.learn_text import claim_line, unproven_lines

    say(*unproven_lines(learned), claim_line(shown.config, learned, shown.shares))
    best = learned.best
    if best is None:
        say("nothing was proven, so no model was written; more --rounds or --iterations may help", err=True)
        return
    result = learned.judged(best)
    by = counted(result.states or 0, "state")
    if method_named(learned.method).trained:
        by = f"seed {best}, {by} from {counted(result.clusters or 0, 'cluster')}"
    say(f"wrote {output} ({by})")
    if result.followed_up_to:
        say(f"its float weights do the same, tested on inputs of up to {result.followed_up_to}")
    say(f"wrote {certificate}" if certificate else f"its proof is {learned.file(best, 'certificate.json')}")
