"""A certificate of a smallest machine as the checker that is proven in Rocq reads it, with all traces.

Each clause of a derivation gets the clauses that it follows from. What is proven is about the traces, the
machine and the number of states in this text; all else in it is evidence, which need not be believed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gridlang.compiler.proven.gridcheck import is_smallest, program
from gridlang.compiler.simulation.native.build import CannotBuild
from gridlang.compiler.traces.dataset import Traces
from gridlang.learners.methods.minimality.check import Refutation, read_clique, read_refutation
from gridlang.learners.methods.minimality.derivation import hinted_lines
from gridlang.learners.methods.minimality.formula import Act, Formula, steps_of, tree_of


def is_proven_smallest(text: str, traces: Traces) -> bool | None:
    """Whether the proven checker accepts a valid certificate too; None if it is not available."""
    if program() is None:
        return None
    try:
        return is_smallest(question(json.loads(text), traces))
    except CannotBuild:
        return None


def question(data: dict[str, Any], traces: Traces) -> bytes:
    """The text that `gridcheck --smallest` reads."""
    rows = [[_flat(read, act) for read, act in steps_of(traces, row)] for row in range(len(traces))]
    asked = {"symbols": traces.symbols, "traces": rows, "table": data["table"]}
    asked |= {"excluded": data["claim"]["excluded"], "evidence": _evidence(data, traces)}
    return json.dumps(asked, ensure_ascii=False).encode()


def _flat(read: int, act: Act) -> list[int]:
    return [read, *(act or (-1, -1))]


def _evidence(data: dict[str, Any], traces: Traces) -> dict[str, Any]:
    evidence, tree = data["evidence"], tree_of(traces)
    reads, nodes = read_clique(evidence, tree, traces)
    number = {symbol: place for place, symbol in enumerate(traces.symbols)}
    shown = {"kind": evidence["kind"], "clique": reads}
    shown["suffixes"] = [[number[symbol] for symbol in suffix] for suffix in evidence["suffixes"]]
    if evidence["kind"] == "clique":
        return shown
    refutation = read_refutation(evidence, data["claim"]["excluded"], tree, nodes, reads, traces)
    return {**shown, "clique": refutation.named, **_refuted(refutation)}


def _refuted(refutation: Refutation) -> dict[str, Any]:
    tree, formula = refutation.tree, refutation.formula
    nodes = {child: [node, read] for (node, read), (_, child) in tree.edges.items() if child is not None}
    edges = [
        [node, *_flat(read, act), -1 if child is None else child]
        for (node, read), (act, child) in tree.edges.items()
    ]
    literal = _literals(formula)
    lines: list[list[Any]] = []
    for number, literals, hints in hinted_lines(formula.clauses, refutation.derivation, formula.variables):
        lines.append([number, [literal(code) for code in literals], *([] if hints is None else [hints])])
    return {
        "nodes": [nodes[node] for node in range(1, tree.nodes)],
        "inner": list(tree.inner),
        "edges": edges,
        "apart": refutation.apart,
        "reads": formula.reads,
        "acts": [_flat(read, act) for read, act in formula.acts],
        "lines": lines,
    }


def _literals(formula: Formula) -> Callable[[int], int]:
    """Literals of variables from 0 on; one of use goes by the place of its node among the inner ones."""
    place = {node: number for number, node in enumerate(formula.tree.inner)}
    first, free = formula.u(0, 0) - 1, formula.states - formula.named

    def literal(code: int) -> int:
        variable = (code >> 1) - 1
        if variable >= first:
            node, state = divmod(variable - first, free)
            variable = first + place[node] * free + state
        return 2 * variable + (code & 1)

    return literal
