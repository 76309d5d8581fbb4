"""`check_minimality`: whether a certificate shows that no smaller machine does what the traces show.

To believe a certificate, read `formula` (M1 to M3), `derivation` and this file, and trust how
traces and tables are read from their files. A machine of fewer states than pairwise different nodes does not
exist; nor does one whose formula cannot be met, which a derivation shows: each of its clauses follows from
those before it by unit propagation, and the last one is empty. A machine with fewer states than k is also one
with k states, of which some are never come to; so all smaller sizes are excluded too.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from itertools import combinations
from typing import Any, NamedTuple

from gridlang.compiler.traces.dataset import Traces, digest
from gridlang.compiler.verifier.tables import MOVES, Problem, Wrong, check, rules_of
from gridlang.learners.methods.minimality.derivation import NotDerived, check_derivation
from gridlang.learners.methods.minimality.formula import Contradiction, Formula, Tree, steps_of, tree_of

FORMAT = "gridlang-minimality/1"
PARTS = ("claim", "traces", "table", "evidence")
MOST_BYTES = 64 * 2**20  # unpacked bytes: no honest derivation needs more
MOST_STATES = 1_000  # The formula grows with the square of the states.
# Whatever fails while a part is read makes the certificate invalid: nothing is valid by accident.
FAULTS = ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError, zlib.error


class CheckedMinimality(NamedTuple):
    """A certificate is valid if nothing is wrong with it; the claim is what it says of the traces."""

    valid: bool
    claim: dict[str, Any] | None
    traces: dict[str, Any] | None
    problems: tuple[Problem, ...]


def is_minimality(text: str) -> bool:
    """Whether a text is a certificate of this kind, valid or not."""
    return f'"{FORMAT}"' in text[:100]


def traces_file(text: str) -> str:
    """The file of traces that a certificate names; "" if it names none."""
    try:
        return str(json.loads(text)["traces"]["file"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def check_minimality(text: str, traces: Traces) -> CheckedMinimality:
    """Checks the text of a certificate: valid only if these traces and the evidence show the claim."""
    claim = about = None
    try:
        data = json.loads(text)
        check(isinstance(data, dict) and data.get("format") == FORMAT, "format", f"it is not {FORMAT!r}")
        check(set(data) == {"format", "sha256", *PARTS}, "certificate", "a part is missing or unknown")
        claim, about = data["claim"], data["traces"]
        _check(data, traces)
    except Wrong as wrong:
        return CheckedMinimality(False, claim, about, (wrong.problem,))
    except FAULTS as error:
        message = f"it is not built as it must be: {type(error).__name__} {error}"[:120]
        return CheckedMinimality(False, claim, about, (Problem("certificate", message),))
    return CheckedMinimality(True, claim, about, ())


def _check(data: dict[str, Any], traces: Traces) -> None:
    parts = {name: data[name] for name in PARTS}
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    same = data["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    check(same, "certificate", "it was changed: its digest is another")
    bound = data["traces"]["sha256"] == digest(traces)
    check(bound, "traces", "these are not the traces of the certificate: their digest is another")
    counted = data["traces"]["traces"] == len(traces) and data["traces"]["steps"] == traces.steps
    check(counted, "traces", "it counts other traces or steps")
    _check_claim(data["claim"], data["table"])
    if data["table"] is not None:
        _check_table(data["table"], traces)
    try:
        tree = tree_of(traces)
    except Contradiction:
        raise Wrong("traces", "no machine does what they show: they contradict each other") from None
    _check_evidence(data["evidence"], data["claim"]["excluded"], tree, traces)


def _check_claim(claim: dict[str, Any], table: dict[str, Any] | None) -> None:
    check(set(claim) == {"says", "states", "excluded"}, "claim", "something is missing or unknown")
    excluded, states = claim["excluded"], claim["states"]
    check(type(excluded) is int and 0 <= excluded <= MOST_STATES, "claim", "it excludes no size")
    none = f"no machine with {_states(excluded)} or fewer does what the traces show"
    says = (
        none if table is None else f"this machine of {_states(states)} does what the traces show, and {none}"
    )
    check(claim["says"] == says, "claim", "what it says is not what it claims")
    fits = states is None if table is None else states == len(table["states"])
    check(fits, "claim", "the table has another number of states")


def _states(count: int) -> str:
    return f"{count:,} state{'' if count == 1 else 's'}"


def _check_table(table: dict[str, Any], traces: Traces) -> None:
    """The table does what every trace shows, and is stuck where one is."""
    check(table["format"] == "gridlang-table/1", "table", "its table has another format")
    parts = {name: part for name, part in table.items() if name != "format"}
    rules = rules_of(parts, "table", tuple(traces.symbols))
    moves = list(MOVES)
    for row in range(len(traces)):
        state = 0
        for number, (read, act) in enumerate(steps_of(traces, row)):
            entry = rules.does.get((state, read))
            does = None if entry is None else (entry[0], moves.index(entry[1]))
            check(does == act, "table", f"it does not do what trace {row} shows at step {number + 1}")
            state = state if entry is None else entry[2]


def _check_evidence(evidence: dict[str, Any], excluded: int, tree: Tree, traces: Traces) -> None:
    kind = evidence["kind"]
    wanted = {"clique": {"kind", "clique", "suffixes"}}
    wanted["refutation"] = wanted["clique"] | {"prefixes", "apart", "derivation"}
    check(set(evidence) == wanted.get(kind), "evidence", "something is missing or unknown")
    reads, nodes = read_clique(evidence, tree, traces)
    pairs = list(combinations(nodes, 2))
    check(len(pairs) == len(evidence["suffixes"]), "evidence", "there must be a suffix for each pair")
    for (u, v), suffix in zip(pairs, evidence["suffixes"], strict=True):
        differ = tree.tells_apart(u, v, _numbers(suffix, traces))
        check(differ, "evidence", f"`{suffix[:40]}` does not tell a pair of the clique apart")
    if kind == "clique":
        check(len(nodes) == excluded + 1, "evidence", "the clique has another size than the claim")
    else:
        check(len(nodes) <= excluded, "evidence", "the clique alone has more states")
        _check_refutation(read_refutation(evidence, excluded, tree, nodes, reads, traces))


def read_clique(evidence: dict[str, Any], tree: Tree, traces: Traces) -> tuple[list[list[int]], list[int]]:
    """The reads to the nodes of a clique, and these nodes."""
    reads = [_reads(prefix, traces) for prefix in evidence["clique"]]
    return reads, [_known(tree.node(read), "a prefix of the clique ends in no node") for read in reads]


def _numbers(suffix: str, traces: Traces) -> list[int]:
    number = {symbol: place for place, symbol in enumerate(traces.symbols)}
    return [number[symbol] for symbol in suffix]


def _reads(prefix: list[int], traces: Traces) -> list[int]:
    row, count = prefix
    inside = type(row) is type(count) is int and 0 <= row < len(traces) and 0 <= count <= traces.length[row]
    check(inside, "evidence", "a prefix is of no trace")
    return [read for read, _ in steps_of(traces, row, count)]


def _known(node: int | None, message: str) -> int:
    if node is None:
        raise Wrong("evidence", message)
    return node


class Refutation(NamedTuple):
    """The clauses of the prefixes that are listed, and a derivation of the empty one."""

    tree: Tree
    named: list[int]  # nodes of the clique
    apart: list[tuple[int, int, list[int]]]  # a node, a state of the clique, and reads that tell them apart
    formula: Formula
    derivation: bytes


def read_refutation(
    evidence: dict[str, Any],
    states: int,
    whole: Tree,
    clique: list[int],
    reads: list[list[int]],
    traces: Traces,
) -> Refutation:
    """The tree of the prefixes that are listed, and its clauses; `reads` lead to the nodes of the clique."""
    part, in_whole = Tree(), dict[int, int]()
    for prefix in evidence["prefixes"]:
        _reads(prefix, traces)
        steps = steps_of(traces, *prefix)
        in_whole.update(zip(part.add(steps), whole.add(steps), strict=True))
    named = [_known(part.node(read), "the clique is not among the prefixes") for read in reads]
    apart: list[tuple[int, int, list[int]]] = []
    for node, state, suffix in evidence["apart"]:
        check(type(state) is int and 0 <= state < len(named), "evidence", "there is no such state")
        after = _numbers(suffix, traces)
        differ = whole.tells_apart(in_whole[node], clique[state], after)
        check(differ, "evidence", f"`{suffix[:40]}` tells no nodes apart")
        apart.append((node, state, after))
    unpacking = zlib.decompressobj()
    lines = unpacking.decompress(base64.b64decode(evidence["derivation"], validate=True), MOST_BYTES)
    check(unpacking.eof, "evidence", "the derivation is too long, or cut short")
    formula = Formula(part, states, named, [(node, state) for node, state, _ in apart])
    return Refutation(part, named, apart, formula, lines)


def _check_refutation(refutation: Refutation) -> None:
    formula = refutation.formula
    try:
        check_derivation(formula.clauses, refutation.derivation, formula.variables)
    except NotDerived as problem:
        raise Wrong("evidence", f"the derivation shows nothing: {problem}") from None
