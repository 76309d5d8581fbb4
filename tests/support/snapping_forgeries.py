"""Codebooks of snapped weights that are not what they say, and what the checker tells of each."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

Side = dict[str, Any]  # of a certificate, as JSON gives it back


def _rule(side: Side) -> None:
    """A rule that leads elsewhere."""
    rule = next(rule for rule in side["table"]["rules"] if rule[0] != rule[4])
    rule[4] = rule[0]


def _write(side: Side) -> None:
    rule = side["table"]["rules"][0]
    rule[2] = next(symbol for symbol in side["table"]["symbols"] if symbol != rule[2])


def _centres(side: Side, change: Callable[[np.ndarray], np.ndarray]) -> None:
    points = np.frombuffer(base64.b64decode(side["snapping"]["centres"]), "<f4").copy()
    side["snapping"]["centres"] = base64.b64encode(change(points).astype("<f4").tobytes()).decode()


def _reach(side: Side, reach: float) -> None:
    side["snapping"]["reach"] = [float(reach).hex()] * len(side["snapping"]["reach"])


FORGERIES: list[tuple[Callable[[Side], object], str]] = [
    (_rule, "does not surely snap to state"),
    (_write, "do not surely decide"),
    (lambda side: _reach(side, 0.0), "does not surely snap"),
    (lambda side: _reach(side, np.nan), "does not surely snap"),
    (lambda side: _reach(side, np.nan), "vectors may decide otherwise"),
    (lambda side: _reach(side, 0.9), "vectors may decide otherwise"),
    (lambda side: side["snapping"]["reach"].pop(), "one centre and one reach for each state"),
    (lambda side: side["snapping"]["margins"].update(lead=(2.5).hex()), "'lead' is claimed"),
    (lambda side: side["snapping"]["margins"].update(apart="nan"), "'apart' is claimed"),
    (lambda side: side["snapping"].update(dimensions=13), "weights of another size"),
    (lambda side: side["snapping"].update(format="gridlang-snapping/1"), "another format"),
    (lambda side: side["snapping"].update(centres="AAAA"), "not built like one"),
    (lambda side: side["snapping"].update(centres="no base64!"), "not built like one"),
    (lambda side: side["snapping"].pop("reach"), "not built like one"),
    (lambda side: side.update(snapping=None), "not built like one"),
    (lambda side: _centres(side, lambda points: 2 * points), "no unit vector"),
    (lambda side: _centres(side, lambda points: points[::-1]), "snap"),
    (lambda side: side["table"]["symbols"].append("x"), "another alphabet"),
]
