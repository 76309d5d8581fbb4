"""`smallest_machine`: the fewest states that do what all traces show; why fewer cannot, as a certificate.

The certificate binds the traces by their digest. `learners/minimality` reads it, and shares no code with what
is here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np

from gridlang.compiler.traces.dataset import Traces, digest
from gridlang.diagnostics import counted
from gridlang.display import Shown
from gridlang.files import write_whole
from gridlang.learners.methods.method import Found
from gridlang.learners.methods.prefix_tree import Numbers, PrefixTree, prefix_tree
from gridlang.learners.methods.smallest.clique import Comparison, distinguishing_suffix, large_clique
from gridlang.learners.methods.smallest.coloring import (
    Coloring,
    Machine,
    can_be_met,
    contradicted,
    new_solver,
    table_of,
)
from gridlang.learners.methods.smallest.limits import LIMITS, OutOfWork, Work
from gridlang.learners.training.train import TrainingPlan
from gridlang.table import Table
from gridlang.table_json import table_to_json

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
    """The evidence of the clique alone: its nodes are pairwise told apart."""
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
    """The claim in words and numbers; the checker derives the words again."""
    none = f"no machine with {counted(excluded, 'state')} or fewer does what the traces show"
    if table is None:
        return {"says": none, "states": None, "excluded": excluded}
    states = len(table.states)
    says = f"this machine of {counted(states, 'state')} does what the traces show, and {none}"
    return {"says": says, "states": states, "excluded": excluded}


Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Smallest(Shown):
    """The result of a search for the smallest machine that does what the traces show.

    `table` was run on every trace. No machine has fewer states than `lower_bound`; a `minimal` table has as
    many. The `evidence` shows that bound, for a certificate; without it, `uncertified` says why.
    """

    table: Table | None
    minimal: bool
    lower_bound: int
    seconds: float
    steps_used: int  # different steps that the solver has seen; the rest agreed
    evidence: Evidence | None = None
    uncertified: str = ""

    @property
    def states(self) -> int | None:
        """The states of the table."""
        return None if self.table is None else len(self.table.states)

    @property
    def excluded(self) -> tuple[int, ...]:
        """The sizes that no consistent machine has."""
        return tuple(range(1, self.lower_bound))

    def __repr__(self) -> str:
        if self.table is None:
            return f"Smallest(not found; it has at least {counted(self.lower_bound, 'state')})"
        least = "no machine has fewer" if self.minimal else f"none has fewer than {self.lower_bound}"
        return f"Smallest({self.table.name}: {counted(len(self.table.states), 'state')}, {least})"


def find_smallest(plan: TrainingPlan, folder: str | None, tell: Tell) -> Found:
    """The machine; with a folder, the traces go into it, and a certificate beside it."""
    result = smallest_machine(plan.traces, progress=tell, **plan.method.settings)
    about = {"minimal": result.minimal, "lower_bound": result.lower_bound}
    if result.evidence is None:
        return Found(result.table, {**about, "uncertified": result.uncertified})
    if folder is None:
        return Found(result.table, about)
    path, kept = f"{folder.removesuffix('.run')}{ENDING}", os.path.join(folder, "traces.npz")
    plan.traces.save(kept)
    named = os.path.relpath(kept, os.path.dirname(path) or ".")
    write_whole(path, certificate(plan.traces, result.table, result.evidence, named))
    return Found(result.table, {**about, "certificate": os.path.basename(path)})


def smallest_machine(
    traces: Traces,
    *,
    most_states: int = LIMITS.most_states,
    seconds: float = LIMITS.seconds,
    progress: Tell = lambda _: None,
) -> Smallest:
    """The smallest deterministic machine of at most `most_states` that does what every trace shows.

    Where a size is neither excluded nor met with a third of the work left, larger ones are tried, so that
    there may be a table that is not minimal. `seconds` are those of a usual core, counted in work: the same
    traces give the same answer everywhere. GridError if the traces contradict each other.
    """
    begun = time.monotonic()
    search = _Search(traces, Work(seconds), progress)
    table = search.smallest(most_states)
    evidence, uncertified = search.certified()
    minimal = table is not None and len(table.states) == search.lower_bound
    spent = time.monotonic() - begun
    return Smallest(table, minimal, search.lower_bound, spent, len(search.edges), evidence, uncertified)


class _Search:
    """Sizes tried on one tree; each begins with all edges that earlier ones have needed."""

    def __init__(self, traces: Traces, work: Work, tell: Tell) -> None:
        new_solver().delete()  # an error about python-sat comes before the work
        self.traces, self.work, self.tell = traces, work, tell
        self.tree = prefix_tree(traces)
        tell(f"{self.tree.nodes:,} different prefixes; looking for some that cannot be one state")
        self.comparison = Comparison(self.tree)
        self.clique = large_clique(self.comparison)
        self.lower_bound = len(self.clique)
        self.edges: dict[int, None] = dict.fromkeys(_clique_edges(self.tree, self.clique))

    def smallest(self, most_states: int) -> Table | None:
        """Goes up to a size that is met, then down as far as the remaining work allows."""
        states, table = self.lower_bound, None
        while table is None and states <= most_states and self.work.is_left:
            table, states = self._tried(states, self.work.after(LIMITS.share)), states + 1
        while table is not None and self.lower_bound < len(table.states) and self.work.is_left:
            table = self._tried(len(table.states) - 1, self.work.end) or table
        return table

    def _tried(self, states: int, until: float) -> Table | None:
        """A table of at most `states` states; None if there is none, or if that is not decided."""
        try:
            machine = self._machine(states, until)
        except OutOfWork:
            return None
        if machine is None:
            self.lower_bound = states + 1
            return None
        return table_of(machine, self.tree, self.traces)

    def _machine(self, states: int, until: float) -> Machine | None:
        """A machine of `states` states that does what all traces show; None if there is none."""
        with new_solver() as solver:
            coloring = Coloring(self.comparison, states, self.clique, solver, self.work, until)
            coloring.add(self.edges)
            while (is_met := can_be_met(solver, self.work, until, LIMITS.hard)) is not False:
                machine = coloring.machine() if is_met else None
                more = self._next(coloring.edges)
                if machine is not None:
                    self.work.spend(len(self.tree.read) // LIMITS.steps_looked_at, until)
                    more = self._nearest(contradicted(machine, self.tree))
                    if not more:
                        return machine
                self.edges |= dict.fromkeys(more)
                coloring.add(more)
                seen = f"{len(coloring.edges):,} of {len(self.tree.read):,} steps"
                self.tell(f"{counted(states, 'state')}: {seen} in the formula")
        return None

    def _next(self, edges: set[int]) -> list[int]:
        """More edges, the nearest to the start: what is hard to solve is easier with more of the traces."""
        if len(edges) > LIMITS.edges:
            return []
        others = (edge for edge in range(len(self.tree.read)) if edge not in edges)
        return list(islice(others, max(LIMITS.added_at_once, len(edges) // 8)))

    def _nearest(self, wrong: Numbers) -> list[int]:
        """Of contradictions with one read and act, the one nearest to the start; of these the nearest few."""
        sorts = np.stack((self.tree.read[wrong], self.tree.act[wrong]))
        first = np.sort(np.unique(sorts, axis=1, return_index=True)[1])
        nearest: list[int] = wrong[first[: LIMITS.added_at_once]].tolist()
        return nearest

    def certified(self) -> tuple[Evidence | None, str]:
        """The evidence of the lower bound; or why there is none."""
        symbols = self.traces.symbols
        if self.lower_bound == len(self.clique):
            return clique_evidence(self.tree, self.clique, symbols), ""
        states = self.lower_bound - 1
        self.tell(f"{counted(states, 'state')}: deriving the refutation for a certificate")
        try:
            derived = refutation(self.comparison, states, self.clique, self.edges, symbols, self.work)
        except OutOfWork:
            return None, "deriving the refutation again takes more work than is left"
        return (None, derived) if isinstance(derived, str) else (derived, "")


def _clique_edges(tree: PrefixTree, clique: list[int]) -> list[int]:
    """The edges to the nodes of a clique, and the last ones of what tells them apart."""
    edges = [int(tree.begins[node]) for node in clique]
    for number, node in enumerate(clique):
        for other in clique[:number]:
            for at in (node, other):
                for read in distinguishing_suffix(tree, node, other) or ():
                    edge = tree.edge(at, read)
                    assert edge is not None, "a suffix is read after both nodes"
                    edges.append(edge)
                    at = int(tree.child[edge])
    return edges
