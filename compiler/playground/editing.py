"""The language server's answers for the playground's editor, with offsets for places."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from gridlang.compiler.language_server.analysis import Summary, path_of, summary_of
from gridlang.compiler.language_server.features.completion import arguments_follow, completions
from gridlang.compiler.language_server.features.hovering import hover as hovered
from gridlang.compiler.language_server.features.renaming import Refused, renamed_at
from gridlang.compiler.language_server.features.renaming import rename as renamed
from gridlang.compiler.language_server.project import Project
from gridlang.compiler.playground.pictures import read
from gridlang.files import unsaved
from gridlang.source import Span
from gridlang.syntax.unparse import state_name

_project = Project()
_summary = Summary()


def hover(name: str, offset: int, agent: str) -> dict[str, Any]:
    """Markdown about the word at a place, and its range; empty if there is none. `agent` is what runs."""
    global _summary
    project, path = _opened(name)
    source = project.open[os.path.realpath(agent)]
    _summary = summary_of(read(source, agent)).after(_summary)
    shown = hovered(project, path, offset, _summary)
    return {"text": shown[0], **_range(shown[1])} if shown else {"text": ""}


def complete(name: str, offset: int) -> dict[str, Any]:
    """What may be typed at a place, and where its first letter stands."""
    project, path = _opened(name)
    items, start = completions(project, path, offset)
    source = project.source(path)
    fills = not (source and arguments_follow(source.text, offset))
    return {
        "start": start,
        "items": [{**item._asdict(), "arguments": item.arguments if fills else ()} for item in items],
    }


def definition(name: str, offset: int) -> dict[str, Any]:
    """Where the thing at a place is declared, in whichever file."""
    project, path = _opened(name)
    _, entity = project.entity_at(path, offset)
    return {"places": _places(project.definitions(entity))}


def rename(name: str, offset: int, wanted: str | None = None) -> dict[str, Any]:
    """The edits that give a thing another name; without one, the name that it has."""
    project, path = _opened(name)
    try:
        if wanted is None:
            occurrence, _ = renamed_at(project, path, offset)
            return {
                "name": state_name(occurrence.name) if occurrence.kind == "state" else occurrence.name,
                **_range(occurrence.span),
            }
        edits = renamed(project, path, offset, wanted)
    except Refused as refusal:
        return {"refused": str(refusal)}
    return {
        "edits": [
            {**place, "text": edit.replacement}
            for each in edits.values()
            for edit, place in zip(each, _places(edit.span for edit in each), strict=True)
        ]
    }


def _opened(name: str) -> tuple[Project, str]:
    """The project with the texts of this question, and the path that a name has in it."""
    path = os.path.realpath(name)
    _project.open = dict(unsaved.get())
    return _project, path


def _range(span: Span) -> dict[str, int]:
    return {"start": span.start, "end": span.end}


def _places(spans: Iterable[Span]) -> list[dict[str, Any]]:
    return [{"file": os.path.basename(path_of(span)), **_range(span)} for span in spans]
