"""YAML as text with places: words stay as written; tags, anchors and aliases are refused."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias

import yaml

from compiler.foreign.imported import misread
from gridlang.source import Source, Span

DEEPEST = 20  # a machine nests four deep


class Word(NamedTuple):
    """A scalar; None for an unquoted null."""

    text: str | None
    span: Span
    style: str | None = None

    def document(self) -> Node:
        """What this text says as YAML; the lines of a block keep their places."""
        source, start, end = self.span
        if self.style != "|":
            return yaml_document(Source(f"source code of {source.path}", self.text or ""))
        head = source.text.index("\n", start) if "\n" in source.text[start:end] else end
        return yaml_document(source, re.sub(r"[^\n]", " ", source.text[:head]) + source.text[head:end])


class Items(NamedTuple):
    """A list."""

    items: list[Node]
    span: Span


class Entries(NamedTuple):
    """A mapping in file order, without duplicate keys."""

    entries: list[tuple[Word | Items, Node]]
    span: Span

    def get(self, name: str) -> Node | None:
        return next((node for key, node in self.entries if isinstance(key, Word) and key.text == name), None)


Node: TypeAlias = Word | Items | Entries


def yaml_document(source: Source, text: str | None = None) -> Node:
    """The one document in a source, or in `text` with the same offsets; GridError where it is not YAML."""

    def span(start: int, end: int) -> Span:
        return Span(source, min(start, len(source.text)), min(max(end, start + 1), len(source.text)))

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()
            place = span(event.start_mark.index, event.end_mark.index)
            if isinstance(event, yaml.AliasEvent) or event.anchor or event.tag:
                hint = "put quotes around it if it is a symbol or a state"
                raise misread("tags, anchors and aliases cannot be imported", place, "", hint)
            if self.depth > DEEPEST:
                raise misread(f"this is nested more than {DEEPEST} deep", place)
            self.depth += 1
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    def placed(node: yaml.Node) -> Node:
        place = span(node.start_mark.index, node.end_mark.index)
        if isinstance(node, yaml.ScalarNode):
            null = node.style is None and node.tag.endswith(":null")
            return Word(None if null else node.value, place, node.style)
        if isinstance(node, yaml.SequenceNode):
            return Items([placed(item) for item in node.value], place)
        entries: dict[str, tuple[Word | Items, Node]] = {}
        for name, value in node.value:
            key = placed(name)
            if isinstance(key, Entries):
                raise misread("a mapping cannot be a key", key.span)
            if entries.setdefault(_text(key), (key, placed(value)))[0] is not key:
                raise misread(f"`{key.span.text}` is here twice", key.span)
        return Entries(list(entries.values()), place)

    try:
        root = yaml.compose(source.text if text is None else text, Loader)
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark.index if error.problem_mark else 0
        raise misread(f"this is not YAML: {error.problem}", span(at, at)) from None
    except yaml.reader.ReaderError as error:
        raise misread(f"this is not YAML: {error.reason}", span(error.position, error.position)) from None
    return placed(root) if root else Word(None, span(0, 0))


def _text(key: Word | Items) -> str:
    """A key as JavaScript sees it: a list is the text of its parts."""
    if isinstance(key, Word):
        return str(key.text)
    return ",".join(_text(item) for item in key.items if not isinstance(item, Entries))
