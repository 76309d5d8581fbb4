"""`gridlang learn`: rounds of training and proof, until every seed is proven."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from gridlang.console import clear_progress, emit, show_progress
from gridlang.diagnostics import fail
from gridlang.options import defines, definitions_of, guarded, json_option

if TYPE_CHECKING:
    from learners.learning.learn import LearnCallbacks, LearnConfig
    from learners.learning.rounds import Learned, RoundResult
    from learners.learning.seed_verdicts import SeedResult
    from learners.training.train import TrainingProgress


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
@click.option("--seeds", default=4, show_default=True, type=click.IntRange(1, 4096), help="How many at once.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, 2**31 - 1), help="The first seed."
)
@click.option("--any", "one", is_flag=True, help="Stop when one seed is proven; else when all are.")
@click.option("--rounds", default=8, show_default=True, type=click.IntRange(1, 1000), help="At most.")
@click.option("--recipe", default="proof", show_default=True, help="proof, fast, paper, or a file NAME.toml.")
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
@click.option(
    "--device",
    default="auto",
    show_default=True,
    type=click.Choice(("auto", "cuda", "cpu", "torch")),
    help="For training; proofs are found on the CPU.",
)
@click.option(
    "--certificate", type=click.Path(), help="Write the proof of the best model here, for `verify`."
)
@click.option(
    "--run", "folder", type=click.Path(), help="Where the rounds are kept; NAME.learn unless given."
)
@click.option("--resume", is_flag=True, help="Go on with an interrupted run, or with more --rounds.")
@defines
@json_option
@guarded
def command(file: str, definitions: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Learn EXPERT from its traces until the extracted program is proven to do the same.

    Each round records traces, trains all seeds together, extracts a program from each, and proves it. What a
    model gets wrong is taught to all in the next round. Exits with 1 if some seed is not proven at the end.

    \b
    gridlang learn increment.grid --until-proven
    gridlang learn add2.grid --until-proven --seeds 32 --certificate add2.proof.json
    gridlang learn mult10.grid --until-proven --scope inputs --any
    gridlang learn add2.grid --until-proven --seeds 32 --resume
    """
    from compiler.program_files import load_program
    from learners.learning.learn import LearnConfig, learn
    from learners.training.recipes import changed, load_recipe

    del given["until_proven"]
    program = load_program(file, definitions_of(definitions))
    recipe = load_recipe(given["recipe"], program.name)
    config = LearnConfig(
        program=program,
        recipe=changed(recipe, iterations=given["iterations"], dim=given["dim"]),
        seeds=tuple(range(given["seed"], given["seed"] + given["seeds"])),
        scope=given["scope"],
        rounds=given["rounds"],
        worlds=given["worlds"],
        device=given["device"],
        any=given["one"],
        radius=given["radius"],
        length=given["length"],
    )
    output = _writable(given["output"] or f"{program.name}.safetensors", file)
    certificate = given["certificate"] and _writable(given["certificate"], file, output)
    folder = given["folder"] or f"{output.removesuffix('.safetensors')}.learn"
    if not as_json:
        _announce(config)
    try:
        learned = learn(config, folder, resume=given["resume"], callbacks=_callbacks(config, as_json))
    except KeyboardInterrupt:
        clear_progress()
        click.echo(f"interrupted; the rounds are in {folder}, go on with --resume", err=True)
        raise
    clear_progress()
    _write(learned, output, certificate)
    if as_json:
        emit(_data(config, learned, output, certificate))
    else:
        _report(config, learned, output, certificate)
    if not (learned.proven if config.any else len(learned.proven) == len(config.seeds)):
        raise click.exceptions.Exit(1)


def _writable(path: str, *others: str) -> str:
    """A place for an output: no folder, and none of the other files."""
    if os.path.isdir(path) or path.endswith(os.path.sep):
        raise fail("G009", "cannot write here: this is a folder", "name a file", path)
    for other in others:
        if os.path.realpath(path) == os.path.realpath(other):
            raise click.UsageError(f"{path} is named twice; write to another file")
    return path


def _announce(config: LearnConfig) -> None:
    table, seeds = config.program.table, len(config.seeds)
    click.echo(
        f"{config.program.name}: {len(table.states)} states, {table.transitions} rules; "
        f"{'one seed' if seeds == 1 else f'{seeds} seeds'}, recipe {config.recipe.name}, "
        f"{config.recipe.iterations:,} iterations a round; to be proven on all {config.scope}",
        err=True,
    )


def _callbacks(config: LearnConfig, as_json: bool) -> LearnCallbacks:
    from learners.learning.learn import LearnCallbacks

    judged: list[SeedResult] = []

    def training(at: TrainingProgress) -> None:
        judged.clear()
        alive = at.losses[~np.isnan(at.losses)]
        loss = f"loss {np.median(alive):.2e}" if len(alive) else "all diverged"
        show_progress(f"training {at.iteration:,}/{at.iterations:,}  {loss}  {at.rate:,.0f} it/s")

    def told(result: SeedResult) -> None:
        judged.append(result)
        proven = sum(each.verdict == "proven" for each in judged)
        show_progress(f"proving {len(judged)} judged, {proven} proven")

    def ended(done: RoundResult) -> None:
        clear_progress()
        if not as_json:
            click.echo(round_line(done, len(config.seeds)))

    return LearnCallbacks(training=training, judged=told, round=ended)


def round_line(done: RoundResult, seeds: int) -> str:
    """A round in a line; seeds proven in earlier rounds count as proven."""
    from learners.learning.seed_verdicts import PROVEN, VERDICTS

    proven = seeds - len(done.results) + done.count(PROVEN)
    others = [f"{done.count(word)} {word}" for word in VERDICTS if word != PROVEN and done.count(word)]
    loss = "" if done.loss is None else f"  loss {done.loss:.1e}"
    seconds = f"{done.training_seconds:.1f} s training, {done.judging_seconds:.1f} s proving"
    return (
        f"round {done.number}: {proven} of {seeds} proven{''.join(f', {each}' for each in others)};  "
        f"{done.traces:,} traces, {done.hard:,} hard cases{loss}  {seconds}"
    )


def _write(learned: Learned, output: str, certificate: str | None) -> None:
    from gridlang.files import read_bytes, write_whole

    if learned.best is None:
        return
    copies = [("safetensors", output), *([("certificate.json", certificate)] if certificate else [])]
    for ending, path in copies:
        source = learned.file(learned.best, ending)
        write_whole(path, read_bytes(source, 2_000_000_000, source))


def _data(config: LearnConfig, learned: Learned, output: str, certificate: str | None) -> dict[str, Any]:
    best, last = learned.best, learned.rounds[-1]
    wanted = 1 if config.any else len(config.seeds)
    return {
        "proven": len(learned.proven) >= wanted,
        "scope": config.scope,
        "rounds": len(learned.rounds),
        "traces": last.traces,
        "certificate": None if best is None else certificate or learned.file(best, "certificate.json"),
        "output": None if best is None else output,
        "run": learned.folder,
        "best": best,
        "seeds_proven": len(learned.proven),
        "seeds": [_seed_data(learned, seed) for seed in config.seeds],
        "history": [
            {key: value for key, value in each.as_json().items() if key != "results"}
            for each in learned.rounds
        ],
    }


def _seed_data(learned: Learned, seed: int) -> dict[str, Any]:
    number, result = learned.last[seed]
    data = {key: value for key, value in result.as_json().items() if key != "hard"}
    return {**data, "round": number, "hard": len(result.hard)}


def _report(config: LearnConfig, learned: Learned, output: str, certificate: str | None) -> None:
    """What is proven of whom, what is not, and why."""
    proven, seeds = learned.proven, len(config.seeds)
    where = "on every world" if config.scope == "worlds" else "on every declared input"
    for seed, (number, result) in learned.last.items():
        if result.verdict != "proven" and seeds <= 40:
            why = result.reason or (
                f"it fails on {_shown(result.counterexample)}" if result.counterexample else ""
            )
            click.echo(f"seed {seed}: {result.verdict} in round {number}{f': {why}' if why else ''}")
    click.echo(f"{len(proven)} of {seeds} proven: the extracted program does what the expert does {where}")
    best = learned.best
    if best is None:
        click.echo(
            "nothing was proven, so no model was written; more --rounds or --iterations may help", err=True
        )
        return
    result = learned.last[best][1]
    click.echo(f"wrote {output} (seed {best}, {result.states} states from {result.clusters} clusters)")
    if result.followed_up_to:
        click.echo(f"the model itself was seen to follow it on inputs of up to {result.followed_up_to}")
    click.echo(
        f"wrote {certificate}" if certificate else f"its proof is {learned.file(best, 'certificate.json')}"
    )


def _shown(text: str) -> str:
    return repr(text) if not text.endswith("\n") else repr(text.rstrip("\n"))
