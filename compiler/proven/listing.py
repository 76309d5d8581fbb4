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

from gridlang.compiler.verifier.acceptance import halves
from gridlang.compiler.verifier.branches import branches
from gridlang.compiler.verifier.folds.folds import FOLD_KINDS, FOLD_PARTS, Neighbours, bits, fold_of
from gridlang.compiler.verifier.results import RESULT_PARTS, results_strip
from gridlang.compiler.verifier.strips import FRESH, Strip, check_strips
from gridlang.compiler.verifier.tables import Rules, Wrong, rules_of
from gridlang.compiler.verifier.total import without_unused
from gridlang.compiler.verifier.verify import FORMAT, read_json
from gridlang.compiler.verifier.windows import Windows

LISTED = "gridlang-certificate/4"
Part = dict[str, Any]


def listed(certificate: bytes) -> bytes:
    """The same claim with all elements; as it is, if it is no certificate, or shows nothing."""
    try:
        data = read_json(certificate)
        if data["format"] != FORMAT:
            return certificate
        left = rules_of(data["left"]["table"], "left", None)
        right = rules_of(data["right"]["table"], "right", left.symbols)
        _list(without_unused(left, data), right, data)
    except (Wrong, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return certificate
    data["format"] = LISTED
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _list(left: Rules, right: Rules, data: Part) -> None:
    claim, evidence, total = data["claim"], data["evidence"], data["total"]
    strip = None
    if evidence["kind"] == "windows":
        if set(evidence) != {"kind", "radius"}:
            raise ValueError
        observed, radius = claim["scope"] == "observed", evidence["radius"]
        found = Windows(left, right, radius, "unasked", observed=observed).elements
        flat = [[p, q, *(number for cell in cells for number in cell)] for p, q, cells in found]
        several = {"kind": "windows", "radius": radius, "elements": flat}
        data["evidence"] = several if radius is not None else {"kind": "pairs", "pairs": flat}
    elif evidence["kind"] == "strips":
        strip = check_strips(left, right, claim["scope"], evidence, "unasked")
        data["evidence"] = _strip(strip)
    else:
        data["evidence"] = _alone(left, evidence)
    if total["output"] is not None:
        total["output"] = _alone(left, total["output"])
    halting = total["halting"]
    if halting is not None and "ranking" in halting:
        if halting["strip"] is not None:
            strip = check_strips(left, left, "inputs", halting["strip"], "unasked")
            halting["strip"] = _strip(strip)
        if strip is not None:
            labels, elements = strip.ordered()
            rank = dict(zip(elements, halting["ranking"]["elements"], strict=True))
            halting["ranking"]["elements"] = [rank[element] for element in strip.elements]
            for weight in halting["ranking"]["weights"]:
                weight[2] = labels[weight[2]]


def _alone(left: Rules, part: Part) -> Part:
    """Evidence of LEFT alone."""
    kind = part["kind"]
    if kind == "results" and set(part) == {"kind", *RESULT_PARTS}:
        return _results(part, results_strip(left, part))
    if kind in FOLD_KINDS and set(part) == {"kind", *FOLD_PARTS}:
        return _fold(left, part)
    if kind == "branches":
        then, otherwise = branches(left)
        return {**part, "then": _alone(then, part["then"]), "otherwise": _alone(otherwise, part["otherwise"])}
    if kind == "acceptance":
        return {**part, **{name: _half(half, part[name]) for name, half in halves(left)}}
    return part


def _half(half: Rules, part: Part) -> Part:
    return part if part["kind"] != "strips" else _strip(check_strips(half, half, "inputs", part, "never"))


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
