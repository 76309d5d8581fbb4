"""`gridlang view`: the state graph of an agent or a model, and a replay beside it."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import Any, NamedTuple

import click

from compiler.drawing.differences import Difference, compare, difference_graph, in_words
from compiler.drawing.graphs import DIFFERS, StateGraph
from compiler.drawing.layout import Drawing
from compiler.drawing.page import STEPS, Comparison, Scene, Vectors
from compiler.drawing.replay_start import Start, first_start, given_start, start_of_counterexample
from compiler.drawing.views import KINDS, Graphs, drawings_of, graphs_of, page, picture, with_source
from compiler.program_files import is_model, load_program
from compiler.proofs.equivalence import Verdict
from compiler.terminal.printing import verdict_data
from gridlang.console import clear_progress, emit, progress_line, report
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.files import write_whole
from gridlang.loading import Program
from gridlang.options import defines, definitions_of, guarded, json_option


class Subject(NamedTuple):
    """What is viewed: an agent, and where it was extracted from a model its vectors and facts."""

    program: Program
    label: str
    vectors: Vectors | None = None
    facts: tuple[tuple[str, str], ...] = ()
    verdict: Verdict | None = None


@click.command("view")
@click.argument("file", metavar="FILE|MODEL", type=click.Path())
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Where to write: .html (graph and replay), .svg, .png or .dot.  [default: NAME.html]",
)
@click.option("--input", help="The input that is replayed.  [default: the file's first test]")
@click.option(
    "--world", type=click.Path(allow_dash=True), help="A picture of the world, its start cell in brackets."
)
@click.option("--against", type=click.Path(), help="Mark where FILE differs from this agent, its expert.")
@click.option(
    "--scope",
    type=click.Choice(("worlds", "inputs", "table")),
    help="Also prove it there, as `equiv` does, which takes longer.",
)
@click.option(
    "--fold/--no-fold",
    default=None,
    help="A family of states as one box.  [default: when there are many edges]",
)
@click.option(
    "--steps", default=STEPS, show_default=True, type=click.IntRange(0), help="Replay so many at most."
)
@click.option("--open", "open_it", is_flag=True, help="Show it in the browser.")
@defines
@json_option
@guarded
def command(
    file: str,
    output: str | None,
    input: str | None,
    world: str | None,
    against: str | None,
    scope: str | None,
    fold: bool | None,
    steps: int,
    open_it: bool,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the state graph of FILE, and a replay beside it in a page that needs no network.

    FILE is a `.grid` file, a table, or a model (`.safetensors`), from which what is shown is extracted first.
    States that are instances of one declaration are a family; rules that do alike share a line, which says
    what is read, what is written, and where the head goes. With --against, states and rules are marked by
    whether they do what the expert does, and the page replays a world on which they differ.

    \b
    gridlang view add10.grid --input 47+85 --open
    gridlang view mult10.grid -o mult10.svg
    gridlang view mult10.grid --no-fold -o every-state.svg
    gridlang view add10.safetensors --against add10.grid -o learned.html
    """
    if input is not None and world is not None:
        raise click.UsageError("give an --input or a --world, not both")
    kind = _kind(output)
    given = definitions_of(definitions)
    expert = _expert(against) if against else None
    subject = _model(file, expert, scope, given) if is_model(file) else _agent(file, expert, scope, given)
    if subject is None:
        raise click.exceptions.Exit(1)
    path = output or f"{subject.program.name}.html"
    _refuse_own_files(path, file, against)
    start = given_start(subject.program.table, input, world)
    difference = _difference(subject, expert, start) if expert else None
    graphs = _graphs(subject, expert, difference)
    try:
        if kind == "html":
            drawings = drawings_of(subject.program, graphs, fold)
            write_whole(path, page(_scene(subject, expert, difference, drawings, start, steps)))
        else:
            write_whole(path, picture(kind, graphs(fold)))
    except GridError as error:
        if error.diagnostics[0].code == "G171":
            _as_text(f"{os.path.splitext(path)[0]}.dot", graphs(fold))
        raise
    _told(subject, expert, difference, path, as_json)
    if open_it:
        webbrowser.open(Path(path).resolve().as_uri())


def _as_text(path: str, graph: StateGraph) -> None:
    """What no layout could draw in time, for a layout program of the user's choice."""
    if not os.path.exists(path):
        write_whole(path, picture("dot", graph))
        click.echo(f"wrote {path} instead", err=True)


def _kind(output: str | None) -> str:
    kind = os.path.splitext(output)[1].removeprefix(".").lower() if output else "html"
    if kind not in KINDS:
        raise click.UsageError(f"-o takes a file that ends in .html, .svg, .png or .dot, not {output!r}")
    return kind


def _refuse_own_files(path: str, *sources: str | None) -> None:
    for source in sources:
        if source and os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
            raise click.UsageError(f"{path} is read by this command; write to another file with -o")


def _expert(against: str) -> Subject:
    return Subject(with_source(load_program(against, {})), os.path.basename(against))


def _agent(file: str, expert: Subject | None, scope: str | None, definitions: dict[str, str]) -> Subject:
    """A source or a table, with a verdict where there is an expert."""
    program = with_source(load_program(file, definitions))
    label = os.path.basename(file) if expert else program.name
    verdict = None
    if expert and scope:
        from compiler.proofs.prove import prove

        progress = progress_line("product states")
        verdict = prove(expert.program.table, program.table, scope, progress=progress)
        clear_progress()
    return Subject(program, label, verdict=verdict)


def _model(
    file: str, expert: Subject | None, scope: str | None, definitions: dict[str, str]
) -> Subject | None:
    """What was extracted from a model; None if it was refused, which is told."""
    from compiler.dfst import read_dfst
    from gridlang.loading import load_source
    from gridlang.source import Source
    from learners.extraction.extract import extract
    from learners.extraction.summaries import explored, source_of, summary
    from learners.learning.equivalence_query import judge
    from learners.reports.vector_projection import vectors_of

    for name in definitions:
        raise GridError([Diagnostic("G026", f"a model has no parameter `{name}`", None, file=file)])
    dfst = read_dfst(file)
    progress = progress_line("steps explored")
    verdict = None
    if expert and scope:
        judged = judge(dfst, expert.program.table, scope, progress=progress)
        found, verdict = judged.extraction, judged.verdict
    else:
        found = extract(dfst, expert=expert.program.table if expert else None, progress=progress)
    clear_progress()
    if found.refusal or found.table is None:
        assert found.refusal is not None
        code, reason, hint = found.refusal
        report([Diagnostic(code, f"refused: {reason}", None, hint=hint, file=file)], False)
        return None
    program = load_source(Source(f"<{os.path.basename(file)}>", source_of(found, file, raw=False)))
    assert program.table.rows == found.table.rows
    facts = (
        ("extracted from", os.path.basename(file)),
        ("found", summary(found)),
        ("rests on", explored(found)),
    )
    return Subject(program, os.path.basename(file), vectors_of(dfst, found), facts, verdict)


def _difference(subject: Subject, expert: Subject, start: Start | None) -> Difference:
    """Both on a sample of worlds, on the one that is replayed, and on the one that a proof came up with."""
    from learners.reports.comparison_worlds import sampled_worlds

    verdict = subject.verdict
    special = [start.world] if start else []
    special += [verdict.world] if verdict and verdict.world else []
    wanted = expert.program.table
    return compare(wanted, subject.program.table, [*special, *sampled_worlds(wanted)])


def _graphs(subject: Subject, expert: Subject | None, difference: Difference | None) -> Graphs:
    if expert is None or difference is None:
        return graphs_of(subject.program)

    def marked(fold: bool | None) -> StateGraph:
        assert expert is not None and difference is not None
        return difference_graph(expert.program, subject.program, difference, fold)

    return marked


def _scene(
    subject: Subject,
    expert: Subject | None,
    difference: Difference | None,
    drawings: list[Drawing],
    start: Start | None,
    steps: int,
) -> Scene:
    comparison = None
    if expert and difference:
        words = in_words(difference, subject.verdict, subject.label, expert.label)
        comparison = Comparison(expert.program, expert.label, difference, words)
        world = subject.verdict.world if subject.verdict else difference.world
        start = start or (start_of_counterexample(world, expert.program.table) if world else None)
    return Scene(
        subject.program,
        subject.label,
        drawings,
        start or first_start(expert.program if expert else subject.program),
        steps,
        subject.facts,
        subject.vectors,
        comparison,
    )


def _told(
    subject: Subject, expert: Subject | None, difference: Difference | None, path: str, as_json: bool
) -> None:
    table = subject.program.table
    if as_json:
        data: dict[str, Any] = {"output": path, "name": table.name, "states": len(table.states)}
        if difference and expert:
            differing = sum(mark == DIFFERS for mark in difference.marks.values())
            data |= {"worlds": difference.worlds, "differs": differing > 0 or bool(difference.missing)}
            data |= {"differing_rules": differing, "missing_rules": len(difference.missing)}
            data |= {"missing_states": [expert.program.table.states[p] for p in difference.lost]}
            data |= {"verdict": verdict_data(subject.verdict) if subject.verdict else None}
        emit(data)
        return
    for name, text in subject.facts:
        click.echo(f"{name} {text}", err=True)
    if difference and expert:
        click.echo(in_words(difference, subject.verdict, subject.label, expert.label), err=True)
    click.echo(f"wrote {path}", err=True)
