"""A certificate with what its checker computes listed: the form that `gridcheck` and Rocq's kernel read.

    python -m gridlang.compiler.proven.listing CERTIFICATE > LISTED

Nothing of a listing need be believed: the proven checker checks that it is closed under every step. What is
claimed, and of which tables, is copied.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from gridlang.compiler.verifier.claims import WRONG, Claim, claims_of, ending_otherwise, without_unused
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.folds.folds import FOLD_KINDS, FOLD_PARTS, Neighbours, bits, fold_of
from gridlang.compiler.verifier.results import RESULT_PARTS, results_strip
from gridlang.compiler.verifier.strips import FRESH, Strip, check_strips
from gridlang.compiler.verifier.tables import Rules, Wrong, rules_of
from gridlang.compiler.verifier.verify import FORMAT, read_json
from gridlang.compiler.verifier.windows import Windows

LISTED = "gridlang-certificate/6, listed"
Part = dict[str, Any]


def listed(certificate: bytes) -> bytes:
    """Lists all elements of a certificate; any other text stays as it is."""
    try:
        data = read_json(certificate)
        if data["format"] != FORMAT:
            return certificate
        left = rules_of(data["left"]["table"], "left", None)
        right = rules_of(data["right"]["table"], "right", left.symbols)
        left = without_unused(left, data["claims"])
        scope, claims = data["claim"]["scope"], claims_of(left, data["claims"])
        data["evidence"] = _both(left, right, scope, data["evidence"])
        for part, claim in zip(data["claims"], claims, strict=True):
            part["evidence"] = _claimed(claim)
    except (Wrong, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return certificate
    data["format"] = LISTED
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _both(left: Rules, right: Rules, scope: str, part: Part) -> Part:
    """Evidence that RIGHT does what LEFT does."""
    if scope == "inputs":
        InputClause(left)
    if part["kind"] == "strips":
        return _strip(check_strips(left, right, scope, part, "unasked"))
    if part["kind"] != "windows":
        return part
    if set(part) != {"kind", "radius"}:
        raise ValueError
    found = Windows(left, right, part["radius"], "unasked", observed=scope == "observed").elements
    flat = [[p, q, *(number for cell in cells for number in cell)] for p, q, cells in found]
    return {**part, "elements": flat}


def _claimed(claim: Claim) -> Part:
    """Evidence of LEFT alone."""
    left, _, ends, part = claim
    kind = part["kind"]
    if kind == "results" and set(part) == {"kind", *RESULT_PARTS}:
        return _results(part, results_strip(left, part))
    if kind in FOLD_KINDS and set(part) == {"kind", *FOLD_PARTS}:
        return _fold(left, part)
    if kind == "ranking":
        return _ranking(left, part)
    if WRONG in ends and left.output["value"] == ["stuck"]:
        left = ending_otherwise(left)
    return _both(left, left, "inputs", part)


def _ranking(left: Rules, part: Part) -> Part:
    strip, ranking = check_strips(left, left, "inputs", part["strip"], "unasked"), part["ranking"]
    labels, elements = strip.ordered()
    rank = dict(zip(elements, ranking["elements"], strict=True))
    weights = [[k, side, labels[label], weight] for k, side, label, weight in ranking["weights"]]
    ranks = {**ranking, "elements": [rank[element] for element in strip.elements], "weights": weights}
    return {**part, "strip": _strip(strip), "ranking": ranks}


def _strip(strip: Strip) -> Part:
    grain, places = strip.grain, _numbers(strip)
    marks = sorted({label.mark for label in strip.labels} - {FRESH})
    number = {mark: index if grain.remembers else mark for index, mark in enumerate(marks)}
    left = [
        [number.get(strip.mark(before, p), 0) for before in (FRESH, *marks)] if grain.remembers else mark
        for p, mark in enumerate(grain.marks)
    ]
    left_grams, right_grams = (
        [
            [[x, *word[1:], last] for word, known in kept.items() for x, last in known]
            for kept in (strip.grams.get((side, kind), {}) for kind in range(max(grain.kinds) + 1))
        ]
        for side in (-1, 1)
    )
    return {
        "kind": "strips",
        "rows": [grain.low, grain.high],
        "depth": grain.depth,
        "dim": grain.dim,
        "columns": None if strip.places.sides[0] == (-1, 1) else _columns(strip, places),
        "classes": grain.classes,
        "marks": left,
        "kinds": grain.kinds,
        "labels": [[*cells, places[at], number.get(mark, FRESH)] for cells, at, mark in strip.labels],
        "coarse": strip.coarse,
        "left": left_grams,
        "right": right_grams,
        "elements": [[p, q, y, *lefts, c, *rights] for p, q, y, lefts, c, rights in strip.elements],
        "descents": [[*descent, leg.steps] for descent, leg in strip.descents.items()],
    }


def _numbers(strip: Strip) -> list[int]:
    """Places as columns: those to the left of the input are -1, -2 …"""
    columns, lefts, numbers = 0, 0, list[int]()
    for sides in strip.places.sides:
        lefts += sides == (-1,)
        numbers.append(-lefts if sides == (-1,) else columns)
        columns += sides != (-1,)
    return numbers


def _columns(strip: Strip, numbers: list[int]) -> Part:
    symbols = range(len(strip.left.symbols))
    steps = [
        [[numbers[to] for symbol, to in onward if symbol == each] for each in symbols]
        for onward, number in zip(strip.places.onward, numbers, strict=True)
        if number >= 0
    ]
    starts = list(dict.fromkeys(numbers[place] for place, _ in strip.places.starts))
    if not steps:  # No input meets its condition.
        return {"starts": [0], "steps": [[[] for _ in symbols]]}
    return {"starts": starts, "steps": steps}


def _results(part: Part, strip: Strip) -> Part:
    numbers, places = _numbers(strip), strip.places
    beside: dict[int, list[int]] = {}
    for place, before in places.starts:
        beside.setdefault(place, []).append(-1 - numbers[before])
    lefts = [place for place, number in enumerate(numbers) if number < 0]
    result = {
        "row": part["row"],
        "anchor": part["anchor"],
        "before": [[-1 - numbers[to] for _, to in places.onward[place]] for place in lefts],
        "beside": list(beside.values()),
        "expects": [told for told, number in zip(places.told, numbers, strict=True) if number >= 0],
        "expects_before": [places.told[place] for place in lefts],
    }
    return {**_strip(strip), "kind": "results", "result": result}


def _fold(left: Rules, part: Part) -> Part:
    fold = fold_of(left, part)

    def grams(of: list[tuple[Neighbours, Neighbours]], side: int) -> list[list[list[int]]]:
        return [[[label, *bits(near)] for label, near in sorted(each[side].items())] for each in of]

    return {
        **{name: part[name] for name in ("kind", "rows", "row", "stands")},
        "shifts": [list(fold.tape.blank)] * part["shifts"],
        "controls": fold.controls,
        "labels": fold.labels,
        "coarse": fold.coarse,
        "head_left": grams(fold.heads, 0),
        "head_right": grams(fold.heads, 1),
        "left": grams(fold.grams, 0),
        "right": grams(fold.grams, 1),
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(listed(Path(sys.argv[1]).read_bytes()))
