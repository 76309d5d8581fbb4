"""What shows that no smaller machine does what the traces show, and its certificate.

The certificate binds the traces by their digest. `learners/minimality` reads it, and shares no code with what
is here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from gridlang.diagnostics import counted
from gridlang.table import Table
from gridlang.table_json import table_to_json
from learners.methods.prefix_tree import PrefixTree
from learners.methods.smallest.clique import Comparison, distinguishing_suffix
from learners.methods.smallest.coloring import Coloring, can_be_met, new_solver
from learners.methods.smallest.limits import LIMITS, Work
from learners.traces.dataset import Traces, digest

FORMAT = "gridlang-minimality/1"
ENDING = ".minimality.json"

Prefix = tuple[int, int]  # a trace, and how many of its steps


class Evidence(NamedTuple):
    """Why no machine has `excluded` states or fewer: a clique is larger, or clauses cannot be met.

    The nodes of the clique are prefixes, and each pair has reads after which the two do different things. A
    derivation is in the binary DRAT format, over the clauses that the `prefixes` give.
    """

    excluded: int
    clique: tuple[Prefix, ...]
    suffixes: tuple[str, ...]  # of the pairs 0 1, 0 2, …, 1 2, …
    prefixes: tuple[Prefix, ...] = ()
    apart: tuple[tuple[int, int, str], ...] = ()  # a node of the prefixes, one of the clique, and a suffix
    derivation: bytes | None = None


def clique_evidence(tree: PrefixTree, clique: Sequence[int], symbols: Sequence[str]) -> Evidence:
    """The clique itself, of which every two are told apart."""
    suffixes = (distinguishing_suffix(tree, *pair) or () for pair in combinations(clique, 2))
    return Evidence(
        len(clique) - 1,
        tuple(tree.prefix(int(tree.entry[node])) if node else (0, 0) for node in clique),
        tuple(_text(suffix, symbols) for suffix in suffixes),
    )


def refutation(
    comparison: Comparison,
    states: int,
    clique: Sequence[int],
    edges: Iterable[int],
    symbols: Sequence[str],
    work: Work,
) -> Evidence | str:
    """The derivation that `states` are too few for these edges; or why it is in no file.

    OutOfWork if it takes more than is left.
    """
    with new_solver(with_proof=True) as solver:
        coloring = Coloring(comparison, states, clique, solver, work, work.end)
        listed = list(edges)
        coloring.add(listed)
        if can_be_met(solver, work, work.end, LIMITS.refutation_conflicts) is None:
            return f"the derivation takes more than {LIMITS.refutation_conflicts:,} conflicts"
        place = _places(coloring.tree, listed)
        derivation = _binary(solver.get_proof(), _canonical_numbers(coloring, place))
    if len(derivation) > LIMITS.refutation_bytes:
        return f"the derivation has {len(derivation):,} bytes, more than a certificate holds"
    tree = comparison.tree
    suffixes = (
        (place[node], state, distinguishing_suffix(tree, node, clique[state]) or ())
        for node, state in coloring.apart
    )
    shown = clique_evidence(tree, clique, symbols)
    return shown._replace(
        excluded=states,
        prefixes=tuple(dict.fromkeys(tree.prefix(edge) for edge in listed)),
        apart=tuple((node, state, _text(suffix, symbols)) for node, state, suffix in suffixes),
        derivation=derivation,
    )


def _text(reads: Iterable[int], symbols: Sequence[str]) -> str:
    return "".join(symbols[read] for read in reads)


def _places(tree: PrefixTree, edges: Iterable[int]) -> dict[int, int]:
    """The numbers that nodes have for the checker: as the prefixes come to them."""
    place: dict[int, int] = {0: 0}
    for edge in edges:
        for passed in (*tree.path(int(tree.parent[edge])), edge):
            child = int(tree.child[passed])
            if child >= 0:
                place.setdefault(child, len(place))
    return place


def _canonical_numbers(coloring: Coloring, place: Mapping[int, int]) -> list[int]:
    """The number that the checker has for each variable: blocks of x by node, of y, of z, then of u."""
    tree, k, free = coloring.tree, coloring.states, coloring.states - len(coloring.clique)
    reads = sorted({int(tree.read[edge]) for edge in coloring.edges})
    acts = sorted((read, act) for kind, read, act in coloring.blocks if kind == "z")
    y = len(place) * k
    z = y + len(reads) * k * k
    u = z + len(acts) * k
    numbers = [0]  # No variable has the number 0.
    for kind, what, which in coloring.blocks:
        if kind == "x":
            first = place[what] * k
        elif kind == "y":
            first = y + (reads.index(what) * k + which) * k
        else:
            first = z + acts.index((what, which)) * k if kind == "z" else u + place[what] * free
        numbers += range(first + 1, first + 1 + (free if kind == "u" else k))
    return numbers


def _binary(lines: Iterable[str], number: Sequence[int]) -> bytes:
    """A DRUP derivation in text, its variables renumbered, in the binary DRAT format."""
    packed = bytearray()
    for line in lines:
        words = line.split()
        deletes = words[:1] == ["d"]
        packed += b"d" if deletes else b"a"
        for word in words[deletes:]:
            literal = int(word)
            code = 2 * number[abs(literal)] + (literal < 0) if literal else 0
            while code > 127:
                packed.append(128 | code & 127)
                code >>= 7
            packed.append(code)
    return bytes(packed)


def certificate(traces: Traces, table: Table | None, evidence: Evidence, file: str = "") -> str:
    """The text of a certificate: the machine, that no smaller one does what the traces show, and why."""
    claim = _claim(table, evidence.excluded)
    kind = "clique" if evidence.derivation is None else "refutation"
    shown: dict[str, Any] = {"kind": kind, "clique": evidence.clique, "suffixes": evidence.suffixes}
    if evidence.derivation is not None:
        packed = base64.b64encode(zlib.compress(evidence.derivation, 9)).decode()
        shown |= {"prefixes": evidence.prefixes, "apart": evidence.apart, "derivation": packed}
    named = {
        "file": os.fspath(file).encode("utf-8", "backslashreplace").decode(),
        "name": traces.name,
        "traces": len(traces),
        "steps": traces.steps,
        "sha256": digest(traces),
    }
    learned = None if table is None else json.loads(table_to_json(table, families=False))
    parts = {"claim": claim, "traces": named, "table": learned, "evidence": shown}
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    sha = hashlib.sha256(text.encode()).hexdigest()
    lines = [f'"format": {json.dumps(FORMAT)}', f'"sha256": "{sha}"']
    lines += [f'"{name}": {json.dumps(part, ensure_ascii=False)}' for name, part in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _claim(table: Table | None, excluded: int) -> dict[str, Any]:
    """What is said, in words and in numbers; the checker makes the words anew."""
    none = f"no machine with {counted(excluded, 'state')} or fewer does what the traces show"
    if table is None:
        return {"says": none, "states": None, "excluded": excluded}
    states = len(table.states)
    says = f"this machine of {counted(states, 'state')} does what the traces show, and {none}"
    return {"says": says, "states": states, "excluded": excluded}
