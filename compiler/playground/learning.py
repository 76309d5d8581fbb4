"""Learning in the playground: runs of an agent are recorded, their states merged, and the table is proven."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from random import Random
from typing import Any

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.automata.state_merger import STUCK as NO_RULE
from gridlang.compiler.automata.state_merger import Seen, merged_table
from gridlang.compiler.drawing.page import start_of_counterexample
from gridlang.compiler.given import as_world
from gridlang.compiler.playground.pictures import comparison_page
from gridlang.compiler.proofs.certificates import Subject, accepted
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.simulation.random_worlds import random_worlds
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.terminal.printing import Named, verdict_lines
from gridlang.compiler.testing.drawn_inputs import InputDrawer
from gridlang.loading import load_source
from gridlang.outcomes import Outcome
from gridlang.printer import table_to_source
from gridlang.source import Source
from gridlang.table import MOVES, Table
from gridlang.world import World, string_world

Tell = Callable[[dict[str, Any]], None]
LENGTHS = 8  # of the longest repetition of an input that is drawn
LONGEST = 60  # symbols of such an input
DRAWS = 50  # tries per input: a condition may be rarely met
INPUT_STEPS, WORLD_STEPS = 1_000, 60  # a trace is cut there, as `gridlang learn` does
SHOWN = 5  # traces in full
STEPS_SHOWN = 40


def learn(source: Source, count: int, more: list[str], tell: Tell, anywhere: bool = False) -> dict[str, Any]:
    """An agent learned from `count` runs of another, and from those on `more` worlds as they are typed.

    They run on declared inputs, or `anywhere`, which is also where both have to do the same; without declared
    inputs that is so in any case. Told on the way: the traces, how many states there are so far, and the
    table as a source. The answer is the verdict on that source: a proof that the checker accepts, or a world
    on which both differ, `again` as it is typed.
    """
    program, name = load_source(source), source.path
    table = program.table
    language = None if anywhere else language_of(table)
    worlds = [*_drawn(table, language, count), *(as_world(text, table.symbols, None) for text in more)]
    traces = [_trace(table, world, WORLD_STEPS if language is None else INPUT_STEPS) for world in worlds]
    tell({"traces": _traces_data(table, language, worlds, traces)})
    found = merged_table(table, traces, lambda states: tell({"merging": states}))
    text = table_to_source(found)
    learned = load_source(Source(f"{name.removesuffix('.grid')}_learned.grid", text))
    tell({"learned": {"source": text, "states": len(found.states), "of": len(table.states)}})
    scope = "worlds" if language is None else "inputs"
    verdict = prove(table, learned.table, scope, progress=lambda done: tell({"proving": done}))
    verdict, proof = accepted(Subject.of(program), Subject.of(learned), verdict)
    words = verdict_lines(Named(name, program), Named(learned.file, learned), verdict)
    differs = verdict.world if verdict.equivalent is False else None
    return {
        "equivalent": verdict.equivalent,
        "words": list(words),
        "certificate": proof if verdict.equivalent else None,
        "page": comparison_page(program, name, learned, learned.file, verdict),
        "again": differs and start_of_counterexample(differs, table).text,
    }


def _drawn(table: Table, language: InputLanguage | None, count: int) -> Iterator[World]:
    """Random worlds, declared inputs where there are any; the same number gives the same worlds."""
    random = Random(0)
    if language is None:
        return islice(random_worlds(table, random, WORLD_STEPS), count)
    return map(string_world, islice(_inputs(language, random, DRAWS * count), count))


def _inputs(language: InputLanguage, random: Random, tries: int) -> Iterator[str]:
    """Different inputs, with repetitions of each length by turns."""
    drawer, drawn = InputDrawer(language, LONGEST, random), set[str]()
    lengths = cycle(range(1, LENGTHS + 1))
    plans = (plan for length in lengths for plan in drawer.plans(length))
    for plan in islice(plans, tries):
        text = drawer.draw(plan)
        if text is not None and text not in drawn and language.allows(text):
            drawn.add(text)
            yield text


def _trace(table: Table, world: World, steps: int) -> list[Seen]:
    """What an observer sees of a run; it sees that the agent is stuck, too."""
    number = {symbol: place for place, symbol in enumerate(table.symbols)}
    seen = run(table, world, steps, trace=True)
    trace = [
        Seen(number[read], number[write] * len(MOVES) + MOVES.index(move))
        for read, write, move in seen.trace or ()
    ]
    return [*trace, Seen(number[seen.symbol], NO_RULE)] if seen.outcome == Outcome.STUCK else trace


def _traces_data(
    table: Table, language: InputLanguage | None, worlds: Sequence[World], traces: Sequence[Sequence[Seen]]
) -> dict[str, Any]:
    """How many traces there are, and some of them; the last is shown too, which may be a new one."""
    places = sorted({*range(min(SHOWN, len(traces))), len(traces) - 1} - {-1})
    shown = [
        {"given": start_of_counterexample(worlds[place], table).text, "steps": _steps(table, traces[place])}
        for place in places
    ]
    return {
        "count": len(traces),
        "steps": sum(map(len, traces)),
        "inputs": language is not None,
        "shown": shown,
    }


def _steps(table: Table, trace: Sequence[Seen]) -> str:
    """The steps in a line: what is read, written where it changes, and the move."""
    words = [_step(table, step) for step in trace[:STEPS_SHOWN]]
    return " ".join(words + ["…"] * (len(trace) > STEPS_SHOWN))


def _step(table: Table, step: Seen) -> str:
    read = table.symbols[step.read]
    if step.act == NO_RULE:
        return f"{read}:stuck"
    write, move = divmod(step.act, len(MOVES))
    written = "" if write == step.read else table.symbols[write]
    return f"{read}:{written}{MOVES[move]}"
