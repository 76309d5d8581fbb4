"""Edits of a forger: something is put somewhere, taken away, or claimed; and all digests are made anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.forgeries.genuine import Certificate

Edit = Callable[[Certificate], object]
PARTS = ("claim", "left", "right", "evidence", "claims")
SHOWN = ("claims", 0, "evidence")  # of what is shown of LEFT alone
SAYS = {
    "worlds": "on every world, from every start cell",
    "inputs": "on every declared input of LEFT",
    "table": "on every sequence of reads",
}
ALSO = {"unasked": "", "same": ", and is stuck wherever LEFT is", "never": ", and LEFT is never stuck"}


class Forgery(NamedTuple):
    """A text that is no valid certificate; `where` begins the name of the part that a checker must blame."""

    name: str
    text: str
    where: str


class Forged(NamedTuple):
    """A forgery to be made of a genuine certificate."""

    name: str
    of: str  # the genuine certificate
    edit: Edit
    where: str = "evidence"  # as in Forgery


def digest(part: object) -> str:
    text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def signed(data: Certificate) -> Certificate:
    """With all digests made anew, as a forger would."""
    for side in ("left", "right"):
        if isinstance(data.get(side), dict) and "table" in data[side]:
            data[side]["table_sha256"] = digest(data[side]["table"])
    if isinstance(data.get("digests"), dict):
        data["digests"] = {name: digest(data[name]) for name in PARTS if name in data}
    return data


def put(*path: Any, value: Any) -> Edit:
    """An edit that sets what lies at a path."""

    def edit(data: Certificate) -> None:
        part: Any = data
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value

    return edit


def drop(*path: Any) -> Edit:
    """An edit that takes away what lies at a path."""

    def edit(data: Certificate) -> None:
        part: Any = data
        for key in path[:-1]:
            part = part[key]
        del part[path[-1]]

    return edit


def both(*edits: Edit) -> Edit:
    """One edit after the other."""

    def edit(data: Certificate) -> None:
        for each in edits:
            each(data)

    return edit


def claimed(scope: str, stuck: str = "unasked") -> Edit:
    """The claim that something is proven at a scope, in the right words."""
    says = f"RIGHT does what LEFT does {SAYS[scope]}{ALSO[stuck]}"
    return both(
        put("claim", "scope", value=scope),
        put("claim", "stuck", value=stuck),
        put("claim", "says", value=says),
        put("claim", "equivalent", value=True),
    )
