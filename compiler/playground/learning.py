"""Learning in the playground: an agent is asked what it does; what is learned is proven to do the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gridlang.compiler.automata.behaviour_names import named_by_behaviour
from gridlang.compiler.extraction.asking import ask
from gridlang.compiler.playground.pictures import comparison_page
from gridlang.compiler.proofs.certificates import Subject, accepted
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.terminal.printing import Named, verdict_lines
from gridlang.loading import load_source
from gridlang.printer import table_to_source
from gridlang.source import Source


def learn(source: Source, tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """An agent learned from answers of another, on declared inputs where there are any, else on all worlds.

    Told on the way: the states and questions so far, and the table as a source. The answer is the verdict on
    that source: a proof that the checker accepts, or why there is none.
    """
    program, name = load_source(source), source.path
    scope = "inputs" if program.table.input else "worlds"
    found = ask(program.table, scope, lambda states, queries: tell({"states": states, "queries": queries}))
    text = table_to_source(named_by_behaviour(found.table))
    learned = load_source(Source(f"{name.removesuffix('.grid')}_learned.grid", text))
    counts = {"states": len(learned.table.states), "queries": found.queries, "steps": found.steps}
    tell({"learned": {"source": text, "of": len(program.table.states), **counts}})
    verdict = prove(program.table, learned.table, scope, progress=lambda done: tell({"proving": done}))
    verdict, proof = accepted(Subject.of(program), Subject.of(learned), verdict)
    return {
        "equivalent": verdict.equivalent,
        "words": list(verdict_lines(Named(name, program), Named(learned.file, learned), verdict)),
        "certificate": proof if verdict.equivalent else None,
        "page": comparison_page(program, name, learned, learned.file, verdict),
    }
