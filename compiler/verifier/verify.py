"""`verify`: checks a certificate, one pass over its evidence, using no code of what found it.

To believe a certificate, read this folder, and trust Python with its `json` and `hashlib`, and nothing else.
A certificate is plain JSON: two tables, a claim about them, and evidence. It is valid if the theorem of its
kind of evidence gives the claim. Clauses of input and output are trees: `clauses`.

(V1) Runs. A world has a symbol in each cell of the plane. An agent in a state reads the symbol under its
     head; its table has an entry (write, move, next state) for that pair, or none: then it is stuck. An
     entry that writes what it reads and stays is idle: with it the agent has halted. It starts in state 0.
(V2) Claim. RIGHT does what LEFT does on a run, if at every step until LEFT is stuck or has halted, the step
     with which it halts included, RIGHT writes and moves as LEFT does. Where LEFT is stuck, nothing is asked
     (`unasked`), or RIGHT must be stuck too (`same`), or the claim is wrong (`never`). A claim says so of
     every run of its scope, or says that there is a run of which it is not so. Of LEFT alone it may say which
     ends no run on a declared input comes to: `claims`.
(V3) and (V4) `windows`, (V6) `differences`, (V7) `places`, (V8) `strips`, (V9) `results`, with `readings` and
     `verdicts`, (V10) `folds`, with `folded_tape` and `folded_readings`, (V11) `rankings`, (V12) and (V13)
     `values`, (V14), (V17) and (V18) `claims`, (V16) `inequalities`, (V19) `runs`.

Of a snapped model, only that the tables do the same is checked here; that its weights, with snapped
inference, do what RIGHT does is for `compiler/tensors/snapping`, which needs the weights.

The claim is about the two tables in the certificate. Its digests tell that nothing was changed by accident;
which files the tables were made from, and how, is only said in it. No theorem needs any of that.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from typing import Any, NamedTuple

from gridlang.compiler.verifier.claims import (
    ENDLESS,
    STUCK,
    WRONG,
    accepts,
    check_claim,
    claims_of,
    covered,
    without_unused,
)
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.differences import check_difference
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.runs import RUNS_PARTS, check_runs
from gridlang.compiler.verifier.strips import STRIP_PARTS, check_strips
from gridlang.compiler.verifier.tables import (
    WHERE_STUCK,
    Problem,
    Rules,
    Wrong,
    are_numbers,
    check,
    rules_of,
)
from gridlang.compiler.verifier.windows import Windows

FORMAT = "gridlang-certificate/6"
OLDER = tuple(f"gridlang-certificate/{version}" for version in (1, 2, 3, 4, 5))
ANEW = "make it again with what wrote it: `gridlang equiv`, `prove` or `learn`, with `--certificate FILE`"
SIDE_PARTS = (
    *("file", "arguments", "source_sha256", "table_sha256", "table"),
    *("extracted", "extraction", "snapping"),
)
EXTRACTION_COUNTS = ("seed", "worlds", "inputs", "longest", "steps", "guessed", "states", "clusters")
EXTRACTION_PARTS = {"weights_sha256", "scope", "merging", *EXTRACTION_COUNTS}
MERGING = ("none", "folded")  # how the states of what was extracted were merged
EVIDENCE_PARTS = {  # of each kind of evidence
    "windows": {"radius"},
    "strips": STRIP_PARTS,
    "runs": {*RUNS_PARTS},
    "difference": {"input", "start", "cells", "reads", "left", "right"},
}
PARTS = ("claim", "left", "right", "evidence", "claims")
COUNTS = ("radius", "product_states", "stuck_branches", "unobserved_branches")  # of the claim, checked too
LISTED = 10_000  # items of a list that are written in one piece
NO_RUNS = "does not run agents"
Counts = tuple[int | None, int | None, int | None, int | None]
SAYS = {  # each scope in words, as the claim must say it
    "worlds": "on every world, from every start cell",
    "inputs": "on every declared input of LEFT",
    "observed": "on every sequence of reads that RIGHT was observed on",
    "table": "on every sequence of reads",
}
SUBJECTS = "table", "snapped model"  # The second is one whose RIGHT has a codebook of its weights.
SAYS_OF_HALTING = ", and every run of LEFT ends", ", and LEFT halts"  # The second where it is never stuck.
SAYS_OF_OUTPUT = (  # The second where LEFT halts.
    ", and where LEFT halts it leaves what its output clause says",
    " and leaves what its output clause says",
)
SAYS_OF_ENDS = " as its output clause says"  # of an acceptor
SAYS_OF_STUCK = {  # the end of what a proof says, and of what a difference says
    "unasked": ("", ""),
    "same": (", and is stuck wherever LEFT is", ", or is not stuck where LEFT is"),
    "never": (", and LEFT is never stuck", ", or LEFT is stuck"),
}


class Checked(NamedTuple):
    """A certificate is valid if nothing is wrong with it; the claim is what it says, of which files.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "proof.json")
    >>> agent = gl.load("examples/increment.grid")
    >>> _ = gl.equiv(agent, agent, certificate=path)
    >>> gl.verify(path)
    Checked(valid: RIGHT does what LEFT does on every world, from every start cell)
    >>> bool(gl.verify("examples/increment.grid"))
    False
    """

    valid: bool
    claim: dict[str, Any] | None
    problems: tuple[Problem, ...]
    left: dict[str, Any] | None = None  # what is said of this side
    right: dict[str, Any] | None = None
    stray: dict[str, Any] | None = None  # of RIGHT's weights, where they were given and are snapped
    proven: bool = False  # whether the checker that is proven in Rocq found it valid too
    unanswered: str = ""  # why that one does not say, if it was asked in vain

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        if self.valid and self.claim:
            return f"Checked(valid: {self.claim['says']})"
        wrong = "; ".join(f"{problem.where}: {problem.message}" for problem in self.problems)
        return f"Checked(not valid: {wrong})"


def verify(text: str) -> Checked:
    """Checks the text of a certificate: valid only if the evidence shows the claim of (V2)."""
    collects = gc.isenabled()
    gc.disable()  # It would search all that is read again and again, seconds in which Ctrl-C is not seen.
    try:
        data = read_json(text)
        stated = data.get("format") if isinstance(data, dict) else None
        check(stated not in OLDER, "format", f"this certificate is of the older format {stated!r}: {ANEW}")
        check(stated == FORMAT, "format", f"this is not a certificate: its format is not {FORMAT!r}")
        check(set(data) == {"format", "digests", *PARTS}, "certificate", "a part is missing or unknown")
    except Wrong as wrong:
        return Checked(False, None, (wrong.problem,))
    except (ValueError, RecursionError) as error:
        return Checked(False, None, (Problem("certificate", f"this is not JSON: {str(error)[:100]}"),))
    finally:
        if collects:
            gc.enable()
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
    left, right = (
        {name: data[side][name] for name in SIDE_PARTS if name != "table"} for side in ("left", "right")
    )
    parts = (data["evidence"], *(part["evidence"] for part in data["claims"]))
    ran = any(part["kind"] == "runs" for part in parts)
    return Checked(True, claim, (), left, right, unanswered=NO_RUNS if ran else "")


def read_json(text: str | bytes) -> Any:
    """What every reader reads alike; ValueError for anything else."""
    return json.loads(
        text,
        object_pairs_hook=_without_repeated_keys,
        parse_int=_whole,
        parse_float=_no_number,
        parse_constant=_no_number,
    )


def said(equal: bool, scope: str, stuck: str, *, halts: bool, output: bool, accepts: bool) -> str:
    """A claim in words."""
    does = "RIGHT does what LEFT does" if equal else "RIGHT does not do what LEFT does"
    leaves = SAYS_OF_ENDS if accepts else SAYS_OF_OUTPUT[halts]
    also = SAYS_OF_HALTING[stuck == "never"] * halts + leaves * output
    return f"{does} {SAYS[scope]}{SAYS_OF_STUCK[stuck][not equal]}{also}"


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; one whose key stands twice could be read in two ways."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return read


def _whole(text: str) -> int:
    number = int(text)
    if abs(number) >= LIMITS.number or text == "-0":
        raise ValueError(f"{text[:20]} is not a number that every reader reads alike")
    return number


def _no_number(text: str) -> None:
    raise ValueError(f"{text[:20]} is not a whole number")


@contextmanager
def _reading(where: str) -> Iterator[None]:
    """Whatever fails while a part is read makes the certificate invalid: nothing is valid by accident."""
    try:
        yield
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise Wrong(where, f"it is not built as it must be: {type(error).__name__} {error}"[:120]) from None


def digest(part: object) -> str:
    """SHA-256 of a part, written in one way only."""
    return hashlib.sha256("".join(canonical(part)).encode()).hexdigest()


def canonical(part: object) -> Iterator[str]:
    """The text of a part in pieces, so that Ctrl-C is answered between them."""
    if isinstance(part, dict) and part:
        for before, key in zip(chain("{", repeat(",")), sorted(part), strict=False):
            yield f"{before}{_json(key)}:"
            yield from canonical(part[key])
        yield "}"
    elif isinstance(part, list | tuple) and len(part) > LISTED:
        for start in range(0, len(part), LISTED):
            yield ("," if start else "[") + _json(part[start : start + LISTED])[1:-1]
        yield "]"
    else:
        yield _json(part)


def _json(part: object) -> str:
    return json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=list)


def _changed_parts(data: dict[str, Any]) -> Iterator[Problem]:
    """Parts that are not as they were written."""
    given = data["digests"] if isinstance(data["digests"], dict) else {}
    if set(given) != set(PARTS):
        yield Problem("digests", "there must be one for each part")
    for name in PARTS:
        if given.get(name) != digest(data[name]):
            yield Problem(name, "it was changed: its digest is another")
    for side in ("left", "right"):
        part = data[side]
        if not isinstance(part, dict) or set(part) != set(SIDE_PARTS):
            yield Problem(side, "something is missing or unknown")
        elif part["table_sha256"] != digest(part["table"]):
            yield Problem(side, "its table was changed: the table's digest is another")
        elif [type(part[name]) for name in ("file", "source_sha256")] != [str, str]:
            yield Problem(side, "it does not say which file it was made from")
        elif not _are_texts(part["arguments"]):
            yield Problem(side, "its arguments are not values by name")
        elif not _is_extraction(part):
            yield Problem(side, "it does not say how its table was extracted, if it was")


def _are_texts(part: object) -> bool:
    return isinstance(part, dict) and all(isinstance(value, str) for value in part.values())


def _is_extraction(side: dict[str, Any]) -> bool:
    """Whether a side says of which weights it was extracted and how, or that it was not."""
    extraction = side["extraction"]
    if extraction is None:
        return side["extracted"] is False
    return (
        side["extracted"] is True
        and isinstance(extraction, dict)
        and set(extraction) == EXTRACTION_PARTS
        and extraction["weights_sha256"] == side["source_sha256"]
        and isinstance(extraction["scope"], str)
        and extraction["merging"] in MERGING
        and are_numbers([extraction[name] for name in EXTRACTION_COUNTS if name != "seed"], 0)
        and type(extraction["seed"]) is int
        and (extraction["merging"] != "none" or extraction["guessed"] == 0)
    )


def _check_claim(data: dict[str, Any]) -> None:
    """Reads the tables, and checks that the evidence shows the claim, and that the claim says no more."""
    with _reading("left"):
        left = rules_of(data["left"]["table"], "left", None)
    with _reading("right"):
        right = rules_of(data["right"]["table"], "right", left.symbols)
    claim, evidence = data["claim"], data["evidence"]
    with _reading("claim"):
        scope, equal, stuck = claim["scope"], claim["equivalent"], claim["stuck"]
        halts, output = claim["halts"], claim["output"]
        parts = {"says", "equivalent", "scope", "subject", "stuck", "halts", "output", *COUNTS}
        check(set(claim) == parts, "claim", "something is missing or unknown")
        possible = scope in SAYS and {type(equal), type(halts), type(output)} == {bool}
        check(possible and stuck in WHERE_STUCK, "claim", "it is none that a certificate can make")
        ends = output and accepts(left)
        says = said(equal, scope, stuck, halts=halts, output=output, accepts=ends)
        check(claim["says"] == says, "claim", "what it says is not what it claims")
        check(data["left"]["snapping"] is None, "left", "only RIGHT can be snapped weights")
        snapped = data["right"]["snapping"] is not None
        check(claim["subject"] == SUBJECTS[snapped], "claim", "its subject is not what RIGHT is made of")
        extraction = data["right"]["extraction"]
        raw = isinstance(data["right"]["snapping"], dict) and extraction and extraction["merging"] == "none"
        check(not snapped or raw, "right", "the table of snapped weights must be the raw one")
        shown = equal and scope == "inputs" and (halts if ends else stuck == "never")
        check(
            not output or shown,
            "claim",
            "a result can be claimed only of inputs on which LEFT is never stuck",
        )
        check(equal or left.where is None, "left", "a difference needs no condition")
        declared = scope != "inputs" or left.input is not None
        check(declared, "claim", "LEFT declares no inputs")
        unseen = scope == "observed" and stuck != "unasked"
        check(not unseen, "claim", "where RIGHT was not observed nothing is known")
    with _reading("left"):
        if scope == "inputs":
            InputClause(left)  # Evidence on all worlds does not read it.
    with _reading("claims"):
        fewer = without_unused(left, data["claims"])
        claims = claims_of(fewer, data["claims"])
        check(
            not claims or (equal and scope == "inputs"), "claims", "they are of what is so on declared inputs"
        )
        check(fewer is left or not ends, "claims", "an acceptor has no unused rules")
        for end, claimed in ((STUCK, stuck == "never"), (ENDLESS, halts), (WRONG, output)):
            choices = [each.assume for each in claims if end in each.ends]
            shown = claimed if choices else end == STUCK or not claimed
            every = covered(choices) if end == WRONG else () in choices
            check(shown and (not choices or every), "claim", f"its `claims` do not show it: {end!r}")
    with _reading("evidence"):
        kind = evidence["kind"]
        check(kind in EVIDENCE_PARTS, "evidence", f"there is no evidence of the kind {kind!r}")
        whole = set(evidence) == {"kind", *EVIDENCE_PARTS[kind]}
        check(whole, "evidence", "something is missing or unknown")
        asked = "unasked" if any(STUCK in each.ends for each in claims) else stuck
        counts = _check_evidence(fewer, right, scope, asked, equal, evidence)
    for number, each in enumerate(claims):
        with _reading("claims"):
            try:
                check_claim(each)
            except Wrong as wrong:
                where, message = wrong.problem
                raise Wrong(where if where == "left" else f"claims, {number}, {where}", message) from None
    for name, value in zip(COUNTS, counts, strict=True):
        same = claim[name] == value and type(claim[name]) is type(value)
        check(same, "claim", f"its {name} is {claim[name]!r}, but the evidence has {value!r}")


def _check_evidence(
    left: Rules, right: Rules, scope: str, stuck: str, equal: bool, evidence: dict[str, Any]
) -> Counts:
    """What was counted, by the theorem for this kind of evidence; Wrong if it does not give the claim."""
    kind = evidence["kind"]
    if not equal:
        check(kind == "difference", "evidence", "a difference is shown by two traces")
        check_difference(left, right, scope, evidence, stuck)
        return None, None, None, None
    on_worlds, radius = scope in ("worlds", "inputs"), evidence.get("radius")
    if kind == "windows":
        known = are_numbers([radius], 0) if on_worlds else radius is None
        check(known, "evidence, radius", "it is none, or not of this scope")
        windows = Windows(left, right, radius, stuck, observed=scope == "observed")
        return radius, len(windows.elements), windows.stuck, windows.unobserved
    check(on_worlds, "evidence", "it speaks of worlds, not of sequences of reads")
    if kind == "strips":
        strip = check_strips(left, right, scope, evidence, stuck)
        return strip.grain.depth, len(strip.elements), strip.stuck, 0
    check(kind == "runs", "evidence", "it shows a difference, not that there is none")
    check(scope == "inputs", "evidence", "it speaks of declared inputs")
    return None, *check_runs(left, right, evidence, stuck), 0
