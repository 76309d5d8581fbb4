"""A new name for a thing, in all files that name it; refused if any name would change its meaning."""

from __future__ import annotations

from collections.abc import Mapping

from gridlang.compiler.language_server.names import FileNames, Occurrence
from gridlang.compiler.language_server.project import Entity, Project
from gridlang.diagnostics import Edit, edited
from gridlang.syntax.unparse import state_name
from gridlang.vocabulary import HALT, RESERVED, is_name, is_state_name, unescape


class Refused(Exception):
    """Why a thing cannot have this name."""


def renamed_at(project: Project, path: str, offset: int) -> tuple[Occurrence, Entity]:
    """The name at a place that can be changed; Refused where there is none."""
    occurrence, entity = project.entity_at(path, offset)
    if occurrence is None:
        raise Refused("there is no name to change here")
    if occurrence.kind == "file":
        raise Refused("files are renamed on the disk, not in the text")
    if entity is None or not project.definitions(entity):
        raise Refused(f"nothing declares `{occurrence.name}`")
    return occurrence, entity


def rename(project: Project, path: str, offset: int, wanted: str) -> dict[str, list[Edit]]:
    """The edits that give the thing at a place another name, by the real path of each file."""
    _, entity = renamed_at(project, path, offset)
    references = project.references(entity)
    name = _checked(project, entity, wanted, references)
    spelt = state_name(name) if entity.kind == "state" else name
    edits: dict[str, list[Edit]] = {}
    for file, occurrence in references:
        edits.setdefault(file, []).append(Edit(occurrence.span, spelt))
    _check_meaning(project, entity, name, edits)
    return edits


def _checked(project: Project, entity: Entity, wanted: str, places: list[tuple[str, Occurrence]]) -> str:
    """The name without quotes, if this kind of thing can have it."""
    name = wanted.strip()
    quoted = len(name) > 1 and name[0] == name[-1] == '"'
    name = unescape(name[1:-1]) if quoted else name
    if not name:
        raise Refused("a name has at least one letter")
    if entity.kind == "state" and name == HALT:
        raise Refused("`halt` is the end of a run, not the name of a state")
    if name in RESERVED and not (quoted and entity.kind == "state"):
        raise Refused(f"`{name}` is a word of the language")
    if entity.kind != "state" and not is_name(name):
        raise Refused(f"`{wanted}` is not a name: use letters, digits and _, and no digit first")
    if entity.kind == "state" and not is_state_name(name):
        if not name.isprintable():
            raise Refused("a state needs a name that can be printed")
        if any(each.span.source.text.startswith("(", each.span.end) for _, each in places):
            raise Refused(f"`{wanted}` would need quotes, which a state with arguments cannot have")
    for other in sorted({file for file, _ in places}):
        _check_free(project, project.names(other), other, entity, name)
    return name


def _check_free(project: Project, names: FileNames | None, path: str, entity: Entity, name: str) -> None:
    """Refuses a name that another visible thing has."""
    if names is None or name == entity.name:
        return
    if entity.kind == "state":
        if any(other == name for other, _, _ in project.visible_states(path)):
            raise Refused(f"there is a state named `{name}` already")
        return
    for other in names.occurrences:
        seen = other.scope == entity.scope or -1 in (other.scope, entity.scope)
        apart = {other.kind, entity.kind} & {"agent", "state", "file", "argument"}
        if other.declares and other.name == name and seen and not apart:
            raise Refused(f"there is a {other.kind} named `{name}` already")


def _check_meaning(project: Project, entity: Entity, name: str, edits: Mapping[str, list[Edit]]) -> None:
    """Refuses a name that would change the meaning of any name in a changed file."""
    after = Project(project.folders)
    after.open = dict(project.open)
    for path, changes in edits.items():
        source = project.source(path)
        if source is not None:
            after.open[path] = edited(source.text, changes)
    for path in edits:
        before_names, after_names = project.names(path), after.names(path)
        if before_names is None or after_names is None:
            raise Refused("a file that names it cannot be read")
        before = _meanings(project, path, before_names, {entity: name})
        now = _meanings(after, path, after_names, {})
        if before != now or _errors(before_names) != _errors(after_names):
            raise Refused(f"with `{name}` something else would mean another thing")


def _meanings(
    project: Project, path: str, names: FileNames, called: Mapping[Entity, str]
) -> list[Entity | None]:
    """The meaning of each name of a file; scopes are numbered, since edits shift their offsets."""
    scopes = sorted({occurrence.scope for occurrence in names.occurrences})
    number = {scope: place for place, scope in enumerate(scopes)}
    entities = [project.entity(path, occurrence) for occurrence in names.occurrences]
    return [
        each._replace(name=called.get(each, each.name), scope=number.get(each.scope, each.scope))
        if each
        else None
        for each in entities
    ]


def _errors(names: FileNames) -> int:
    """How many lines cannot be read."""
    return sum(line.node is None and bool(line.line.tokens) for line in names.lines)
