"""`gridlang learn`: rounds of training and proof, until every seed is proven."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import click

from gridlang.compiler.targets import refuse_compiled
from gridlang.diagnostics import counted
from gridlang.files import make_folder
from gridlang.learners.api.learning import learn
from gridlang.learners.train.method import refuse_training
from gridlang.options import Definitions, File, output_option
from gridlang.terminal.console import progress_line, say, show_progress
from gridlang.terminal.options import Answer, as_command, refuse_unwritable

if TYPE_CHECKING:
    from gridlang.learners.learning.expert_questions import StuckShare
    from gridlang.learners.learning.settings import Event, LearnConfig


@as_command("learn", learn)
def command(
    expert: File,
    *,
    output: Annotated[
        File | None, output_option("NAME.learned.safetensors", "File of the best model.")
    ] = None,
    certificate: str | None,
    definitions: Definitions,
    as_json: bool,
    **options: Any,
) -> Answer:
    """Exits with 1 if some seed is not proven at the chosen scope.

    \b
    gridlang learn increment.grid
    gridlang learn add2.grid --seeds 32 --certificate add2.proof.json
    gridlang learn mult10.grid --scope inputs --any
    gridlang learn acceptor.grid --scope inputs --strict
    gridlang learn add2.grid --method merge
    gridlang learn add2.grid --seeds 32 --resume
    """
    try:
        refuse_training(options["method"], options["seeds"])
    except ValueError as error:
        raise click.UsageError(f"--method {error}") from None
    from gridlang.compiler.given import load_program
    from gridlang.learners.learning.learn_text import claim_line, learned_data, unproven_lines, written_lines
    from gridlang.learners.learning.proven_learning import prove_learned

    program = load_program(expert, definitions)
    given, output = output, output or f"{program.name}.learned.safetensors"
    folder = f"{given.removesuffix('.safetensors') if given else program.name}.learn"
    refuse_compiled(output)
    if certificate and os.path.realpath(certificate) == os.path.realpath(output):
        raise click.UsageError(f"{output} is named twice; write the certificate to another file")
    make_folder(os.path.dirname(output) or ".")  # where that fails, nothing was announced yet
    refuse_unwritable(output, expert)
    refuse_unwritable(certificate, expert)
    printer = _Printer(as_json)
    try:
        learned = learn(
            program, output=output, certificate=certificate, run=folder, on_event=printer, **options
        )
    except KeyboardInterrupt:
        say(f"interrupted; the rounds are in {folder}, continue with --resume", err=True)
        raise
    proven = prove_learned(program, learned, progress_line)
    data = learned_data(printer.config, learned, output, certificate, printer.shares, proven)
    lines = [*unproven_lines(learned), claim_line(printer.config, learned, printer.shares)]
    lines += written_lines(printer.config, learned, output, certificate)
    if proven is not None:
        lines.append(proven.weights_line())
        lines += [f"its proof is {proven.certificate}"] if proven.certificate else []
    more = "; more --iterations, or a recipe with more `rounds`, may help" if learned.unfinished else ""
    notes = [f"nothing was proven, so no model was written{more}"] if learned.best is None else []
    holds = bool(learned.proven) if printer.config.any else learned.proven == learned.seeds
    return Answer(lines, data, holds, notes)


class _Printer:
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
        from gridlang.learners.train.run import TrainingProgress

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
            case SeedResult():
                self.judged, self.proven = self.judged + 1, self.proven + (event.verdict == "proven")
                show_progress(f"proving {self.judged} judged, {self.proven} proven")
            case RoundResult() if not self.as_json:
                say(round_line(event, len(self.config.seeds)))

    def _announce(self, config: LearnConfig) -> None:
        """Prints the plan, and how often the expert is stuck: a warning without --strict."""
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
        how = trained if config.method.trained else config.method.name
        proof = f"to be proven on all {config.scope}{', strictly' if config.strict else ''}"
        size = f"{counted(len(table.states), 'state')}, {counted(table.transitions, 'rule')}"
        line = f"{config.program.name}: {size}; {how}; {proof}"
        say(f"{line}; {stuck}" if stuck else line, err=True)
