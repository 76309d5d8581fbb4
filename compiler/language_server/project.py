"""The files of an editor, open texts before the disk, and what names mean across them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gridlang.compiler.language_server.names import FILE_WIDE, Block, FileNames, Occurrence, names_of
from gridlang.diagnostics import GridError
from gridlang.files import read_source
from gridlang.imported import MOST_IMPORTS
from gridlang.source import Source, Span

MOST_FILES = 2_000  # of a workspace, searched for names
MOST_KEPT = 200  # files that are read and not open
LARGEST = 1_000_000  # characters: parsing more takes many seconds, so such a file is only checked
SKIPPED = {"node_modules", "__pycache__", "site-packages"}


class Entity(NamedTuple):
    """What a name means: one declaration in one file."""

    path: str
    kind: str
    name: str
    scope: int = FILE_WIDE


class Project:
    """Open documents by real path, and the folders that files are searched in."""

    def __init__(self, folders: Iterable[str] = ()) -> None:
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.open: dict[str, str] = {}
        self._sources: dict[str, Source] = {}  # Of open texts: each knows where its lines begin.
        self._read: dict[str, tuple[object, FileNames]] = {}

    def source(self, path: str) -> Source | None:
        """The text of a file as its editor has it, else as it is on the disk."""
        held = self.open.get(path)
        if held is not None:
            source = self._sources.get(path)
            if source is None or source.text is not held:
                source = self._sources[path] = Source(path, held)
            return source
        try:
            return read_source(path)
        except GridError:
            return None

    def names(self, path: str) -> FileNames | None:
        """The names of a file; None if it cannot be read or is too large."""
        held = self.open.get(path)
        try:
            version: object = held if held is not None else os.stat(path).st_mtime_ns
        except (OSError, ValueError):
            return None
        known = self._read.get(path)
        if known and known[0] == version:
            return known[1]
        source = self.source(path)
        if source is None or len(source.text) > LARGEST or source.text.lstrip()[:1] == "{":
            return None
        names = names_of(source)
        while len(self._read) >= MOST_KEPT:
            self._read.pop(next(iter(self._read)))
        self._read[path] = (version, names)
        return names

    def imported(self, path: str, named: str) -> str:
        """The real path of a file that another one names."""
        try:
            return os.path.realpath(os.path.join(os.path.dirname(path), named))
        except (OSError, ValueError):
            return ""

    def imports(self, path: str) -> list[str]:
        """The files that a file uses."""
        names = self.names(path)
        named = [o.name for o in names.occurrences if o.kind == "file"] if names else []
        return [self.imported(path, name) for name in named]

    def depends_on(self, path: str, other: str) -> bool:
        """Whether a file uses another, perhaps through others."""
        seen, waiting = {path}, [path]
        while waiting and len(seen) <= MOST_IMPORTS:
            for imported in self.imports(waiting.pop()):
                if imported == other:
                    return True
                if imported not in seen:
                    seen.add(imported)
                    waiting.append(imported)
        return False

    def visible_states(self, path: str, depth: int = 0) -> Iterator[tuple[str, str, Block]]:
        """Name, path and declaration of all states that a file can name, its own first."""
        names = self.names(path)
        if names is None or depth > MOST_IMPORTS:
            return
        for name, block in names.states.items():
            yield name, path, block
        for imported in self._state_files(path, names):
            yield from self.visible_states(imported, depth + 1)

    def _state_files(self, path: str, names: FileNames) -> Iterable[str]:
        files = [use.path.value for use in names.uses]
        if names.header and names.header.origin:
            files.append(names.header.origin.path.value)
        return [self.imported(path, named) for named in dict.fromkeys(files)]

    def state(self, path: str, name: str) -> tuple[str, Block] | None:
        """The file and the declaration of a state that a file names."""
        visible = self.visible_states(path)
        return next(((file, block) for known, file, block in visible if known == name), None)

    def entity(self, path: str, occurrence: Occurrence) -> Entity | None:
        """What a name in a file means; None if nothing declares it."""
        names = self.names(path)
        header = names.header if names else None
        kind, name = occurrence.kind, occurrence.name
        if kind == "state":
            declared = self.state(path, name)
            return Entity(declared[0], "state", name) if declared else None
        if kind == "file":
            return Entity(self.imported(path, name), "file", "")
        if kind in ("agent", "argument") and not occurrence.declares:
            if header is None or header.origin is None:
                return None
            other = self.imported(path, header.origin.path.value)
            return Entity(other, "agent" if kind == "agent" else "parameter", name)
        return Entity(path, kind, name, occurrence.scope)

    def entity_at(self, path: str, offset: int) -> tuple[Occurrence | None, Entity | None]:
        """The name at a place, and its meaning."""
        names = self.names(path)
        occurrence = names.at(offset) if names else None
        return occurrence, self.entity(path, occurrence) if occurrence else None

    def definitions(self, entity: Entity | None) -> list[Span]:
        """Where a thing is declared."""
        names = self.names(entity.path) if entity else None
        if names is None or entity is None:
            return []
        if entity.kind == "file":
            return [Span(names.source, 0, 0)]
        return [o.span for o in names.occurrences if o.declares and (o.kind, o.name, o.scope) == entity[1:]]

    def references(self, entity: Entity) -> list[tuple[str, Occurrence]]:
        """All names of a thing with their files, its declaration among them, in the order of files."""
        local = entity.scope != FILE_WIDE or entity.kind in ("class", "constant", "part", "variable")
        return [
            (path, occurrence)
            for path in ([entity.path] if local else self.files(entity))
            if (names := self.names(path))
            for occurrence in names.occurrences
            if occurrence.name == entity.name or entity.kind == "file"
            if self.entity(path, occurrence) == entity
        ]

    def files(self, entity: Entity) -> list[str]:
        """The files that may name a thing: those whose text holds its name, or that of its file."""
        word = entity.name or os.path.basename(entity.path)
        folders = self.folders or [os.path.dirname(entity.path)]
        candidates = dict.fromkeys([entity.path, *list(self.open), *grid_files(folders)])
        return [path for path in candidates if path == entity.path or self._holds(path, word)]

    def _holds(self, path: str, word: str) -> bool:
        source = self.source(path)
        return source is not None and word in source.text and "from" in source.text


def grid_files(folders: Iterable[str]) -> list[str]:
    """The `.grid` files in folders and below, but for hidden ones."""
    files: list[str] = []
    for folder in folders:
        for here, below, names in os.walk(folder):
            below[:] = sorted(name for name in below if not name.startswith(".") and name not in SKIPPED)
            files += [os.path.join(here, name) for name in sorted(names) if name.endswith(".grid")]
            if len(files) > MOST_FILES:
                return files[:MOST_FILES]
    return files
