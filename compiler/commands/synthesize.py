"""`gridlang synthesize`: an agent from a specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from gridlang.compiler.api.synthesis import MOVES, Synthesis, synthesize
from gridlang.compiler.synthesis.limits import LIMITS
from gridlang.compiler.terminal.printing import claim_words
from gridlang.diagnostics import counted
from gridlang.files import write_whole
from gridlang.terminal.console import emit, say, say_source, show_progress
from gridlang.terminal.options import answering, defines, refuse_unwritable


@click.command("synthesize")
@click.argument("spec", type=click.Path())
@defines
@click.option(
    "--states",
    type=click.IntRange(1, LIMITS.most_states),
    help="Most states of the agent.  [default: 8, or two more than are written]",
)
@click.option(
    "--moves", type=click.Choice(MOVES), help="Moves of the agent.  [default: LR where results have one row]"
)
@click.option(
    "--nodes",
    default=LIMITS.nodes,
    type=click.IntRange(1),
    help="Rules to try to find an agent, and again to exclude smaller and find faster ones.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True),
    help="File for the agent; `-` is stdout.  [default: shown]",
)
@answering
def command(
    spec: str, definitions: dict[str, str], output: str | None, as_json: bool, **options: Any
) -> bool:
    """Find the agent with the fewest states, then the fewest steps, that does what SPEC says, and prove it;
    or the one with the fewest states that shows the grids in a file of snapshots.

    SPEC is a `.grid` file with `alphabet`, `input` and `output`, and no states. Rules and states that SPEC
    has are kept, and missing ones are found; a state without rules is open. A counterexample from `test` or
    `prove` joins the inputs, and the search continues. The answer does not depend on the number of cores.
    Ctrl-C ends the search with the best agent so far. Exits with 1 unless an agent is found and fully proven.

    SPEC may be a `.jsonl` file of snapshots, as `gridlang trace --every` writes it: the grids after every few
    steps, or only at the end, with or without the head. The agent found shows all of them.

    \b
    gridlang synthesize spec.grid
    gridlang synthesize spec.grid -o agent.grid
    gridlang synthesize sketch.grid --nodes 2000000000
    gridlang synthesize seen.jsonl --states 10 -o agent.grid
    """
    refuse_unwritable(output, spec)
    found = synthesize(spec, definitions, progress=show_progress, **options)
    show_progress.clear()
    if found.interrupted and found.program is None:
        raise KeyboardInterrupt
    if found.source and output not in (None, "-"):
        write_whole(str(output), found.source)
    if as_json:
        emit(_data(spec, found, output))
    else:
        say(*_lines(spec, found), err=output == "-")
        if found.source and output in (None, "-"):
            say_source(found.source if output else f"\n{found.source}")
        elif found.source:
            say(f"wrote {output}", err=True)
    return bool(found)


def _lines(spec: str, found: Synthesis) -> Iterator[str]:
    yield f"{found.name} from {spec}"
    tried = f"{found.nodes:,} rules tried"
    if found.program is None:
        yield f"  no agent was found; {tried}"
        if not found.nodes:
            yield "  every rule is written; leave out those that may be wrong"
            return
        yield "  what may help: more --states or --nodes, another symbol as a mark, a state that is written"
        return
    what = "run" if found.runs else "input"
    size = (
        f"{counted(found.states, 'state')}, {counted(found.steps, 'step')} on {counted(found.inputs, what)}"
    )
    rows = [("agent", f"{size}; {tried}")]
    rows += [(claim.says, claim_words(claim, found.claims)) for claim in found.claims]
    rows += [("shows", _shown(found))] if found.runs else []
    rows += [("smallest", _smallest(found))]
    rows += [] if found.runs else [("fewest steps", _fewest(found))]
    if found.interrupted:
        rows.append(("interrupted", "the best agent so far"))
    width = max(len(name) for name, _ in rows)
    yield from (f"  {name:<{width}}  {text}" for name, text in rows)


def _shown(found: Synthesis) -> str:
    if found.inputs < found.runs:
        return f"every grid of the {found.inputs:,} shortest of {counted(found.runs, 'run')}"
    return f"every grid of all {counted(found.runs, 'run')}"


def _smallest(found: Synthesis) -> str:
    if found.smallest:
        return f"proven among agents that {found.about_others}"
    known = f"only those of up to {counted(found.excluded, 'state')} are" if found.excluded else "none are"
    return f"not shown: {known} ruled out, of agents that {found.about_others}; --nodes allows more"


def _fewest(found: Synthesis) -> str:
    if found.fewest_steps:
        return f"proven among such agents of {counted(found.states, 'state')}, on all inputs together"
    tried = f"{counted(found.for_faster, 'rule')} tried for a faster one"
    return f"not shown: some agents of this size were not tried, or not proven ({tried}); --nodes allows more"


def _data(spec: str, found: Synthesis, output: str | None) -> dict[str, Any]:
    return {
        "file": spec,
        "name": found.name,
        "found": found.program is not None,
        "proven": found.proven,
        "states": found.states,
        "steps": found.steps,
        "inputs": found.inputs,
        "runs": found.runs or None,
        "smallest": found.smallest,
        "excluded": found.excluded,
        "fewest_steps": found.fewest_steps,
        "claims": [claim.as_json() for claim in found.claims],
        "moves": found.moves,
        "nodes": found.nodes,
        "counterexamples": list(found.counterexamples),
        "interrupted": found.interrupted,
        "source": found.source,
        "output": output,
    }
