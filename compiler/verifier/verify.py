"""`verify`: checks a certificate, one pass over its evidence, sharing no code with what found it.

To believe a certificate, read this folder, in the order tables, evidence, input_clauses, neighbourhoods,
strips, and this file; trust Python, its `json`, `hashlib` and `re`; and nothing else. A certificate is plain
JSON: two tables, a claim about them, and evidence. It is valid if the theorem of its kind of evidence gives
the claim.

(V1) Runs. A world has a symbol in each cell of the plane. An agent in a state reads the symbol under its
     head; its table has an entry (write, move, next state) for that pair, or none: then it is stuck. An
     entry that writes what it reads and stays is idle: with it the agent has halted. It starts in state 0.
(V2) Claim. RIGHT does what LEFT does on a run, if at every step until LEFT is stuck or has halted, the step
     with which it halts included, RIGHT writes and moves as LEFT does. A claim says so of every run of its
     scope, or says that there is a run of which it is not so.
(V3) Pairs, (V4) windows, (V6) differences: `evidence`. (V5) places: `neighbourhoods`, with (V7) in
     `input_clauses`. (V8) strips: `strips`.

The digests tell that nothing was changed by accident, and which files the tables were made from. No theorem
needs them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from compiler.verifier.evidence import check_difference, check_pairs, check_windows
from compiler.verifier.neighbourhoods import check_places
from compiler.verifier.strips import check_strips
from compiler.verifier.tables import Problem, Rules, Wrong, check, rules_of

FORMAT = "gridlang-certificate/1"
SIDE_PARTS = {"file", "extracted", "source_sha256", "table_sha256", "table"}
PARTS = ("claim", "left", "right", "evidence")
COUNTS = ("radius", "product_states", "stuck_branches", "unobserved_branches")  # of the claim, checked too
Counts = tuple[int | None, int | None, int | None, int | None]
SAYS = {  # each scope in words, as the claim must say it
    "worlds": "on every world, from every start cell",
    "inputs": "on every declared input of LEFT",
    "observed": "on every sequence of reads that RIGHT was observed on",
    "table": "on every sequence of reads",
}


class Checked(NamedTuple):
    """A certificate is valid if nothing is wrong with it; the claim is what it says, of which files.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "proof.json")
    >>> agent = gl.load("examples/increment.grid")
    >>> _ = gl.prove(agent, agent, certificate=path)
    >>> gl.verify(path)
    Checked(valid: RIGHT does what LEFT does on every world, from every start cell)
    >>> bool(gl.verify("examples/increment.grid"))
    False
    """

    valid: bool
    claim: dict[str, Any] | None
    problems: tuple[Problem, ...]
    left: dict[str, Any] | None = None  # file, extracted, source_sha256, table_sha256
    right: dict[str, Any] | None = None

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        if self.valid and self.claim:
            return f"Checked(valid: {self.claim['says']})"
        wrong = "; ".join(f"{problem.where}: {problem.message}" for problem in self.problems)
        return f"Checked(not valid: {wrong})"


def verify(text: str) -> Checked:
    """Checks the text of a certificate: valid only if the evidence shows the claim of (V2)."""
    try:
        data = json.loads(text, object_pairs_hook=_without_repeated_keys)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise Wrong("format", f"this is no certificate: its format is not {FORMAT!r}")
        check(set(data) == {"format", "digests", *PARTS}, "certificate", "a part is missing or unknown")
    except Wrong as wrong:
        return Checked(False, None, (wrong.problem,))
    except (ValueError, RecursionError) as error:
        return Checked(False, None, (Problem("certificate", f"this is not JSON: {str(error)[:100]}"),))
    problems: list[Problem] = []
    try:
        with _reading("certificate"):
            problems += _changed_parts(data)
        _check_claim(data)
    except Wrong as wrong:
        problems.append(wrong.problem)
    claim = data["claim"] if isinstance(data["claim"], dict) else None
    if problems:
        return Checked(False, claim, tuple(problems))
    left, right = ({name: data[side][name] for name in SIDE_PARTS - {"table"}} for side in ("left", "right"))
    return Checked(True, claim, (), left, right)


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; one whose key stands twice could be read in two ways."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return read


@contextmanager
def _reading(where: str) -> Iterator[None]:
    """Whatever fails while a part is read makes the certificate invalid: nothing is valid by accident."""
    try:
        yield
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise Wrong(where, f"it is not built as it must be: {type(error).__name__} {error}"[:120]) from None


def _digest(part: object) -> str:
    """SHA-256 of a part, written in one way only."""
    text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _changed_parts(data: dict[str, Any]) -> Iterator[Problem]:
    """Parts that are not as they were written."""
    given = data["digests"] if isinstance(data["digests"], dict) else {}
    if set(given) != set(PARTS):
        yield Problem("digests", "there must be one for each part")
    for name in PARTS:
        if given.get(name) != _digest(data[name]):
            yield Problem(name, "it was changed: its digest is another")
    for side in ("left", "right"):
        part = data[side]
        if not isinstance(part, dict) or set(part) != SIDE_PARTS:
            yield Problem(side, "something is missing or unknown")
        elif part["table_sha256"] != _digest(part["table"]):
            yield Problem(side, "its table was changed: the table's digest is another")
        elif [type(part[name]) for name in ("file", "extracted", "source_sha256")] != [str, bool, str]:
            yield Problem(side, "it does not say which file it was made from")


def _check_claim(data: dict[str, Any]) -> None:
    """Reads the tables, and checks that the evidence shows the claim, and that the claim says no more."""
    with _reading("left"):
        left = rules_of(data["left"]["table"], "left", None)
    with _reading("right"):
        right = rules_of(data["right"]["table"], "right", left.symbols)
    claim, evidence = data["claim"], data["evidence"]
    with _reading("claim"):
        scope, equal = claim["scope"], claim["equivalent"]
        parts = {"says", "equivalent", "scope", "subject", *COUNTS}
        check(set(claim) == parts, "claim", "something is missing or unknown")
        check(scope in SAYS and isinstance(equal, bool), "claim", "it is none that a certificate can make")
        does = "RIGHT does what LEFT does" if equal else "RIGHT does not do what LEFT does"
        check(claim["says"] == f"{does} {SAYS[scope]}", "claim", "what it says is not what it claims")
        check(claim["subject"] == "table", "claim", "its subject must be the tables")
        check(scope != "inputs" or left.clause, "claim", "LEFT declares no inputs")
    with _reading("evidence"):
        counts = _check_evidence(left, right, scope, equal, evidence)
    for name, value in zip(COUNTS, counts, strict=True):
        same = claim[name] == value and type(claim[name]) is type(value)
        check(same, "claim", f"its {name} is {claim[name]!r}, but the evidence has {value!r}")


def _check_evidence(left: Rules, right: Rules, scope: str, equal: bool, evidence: dict[str, Any]) -> Counts:
    """What was counted, by the theorem for this kind of evidence; Wrong if it does not give the claim."""
    kind = evidence["kind"]
    if not equal:
        check(kind == "difference", "evidence", "a difference is shown by two traces")
        check_difference(left, right, scope, evidence)
        return None, None, None, None
    if kind == "pairs":
        check(scope in ("table", "observed"), "evidence", "pairs say nothing about worlds")
        return (None, *check_pairs(left, right, evidence["pairs"], scope == "observed"))
    check(scope in ("worlds", "inputs"), "evidence", "it speaks of worlds, not of sequences of reads")
    if kind == "windows":
        return (*check_windows(left, right, evidence), 0)
    if kind == "strips":
        return (*check_strips(left, right, scope, evidence), 0)
    check(kind == "places", "evidence", f"there is no evidence of the kind {kind!r}")
    return (*check_places(left, right, scope, evidence), 0)
