"""The part of YAML that turingmachine.io's files are written in, read with places for diagnostics.

Mappings by indentation or in braces, lists in brackets, plain and quoted words, comments. Words stay text as
they are written. Anchors, aliases and tags are refused, so a file means no more than it shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from compiler.foreign.imported import misread
from gridlang.source import Source, Span

DEEPEST = 20  # A machine nests four deep.
LITERAL = re.compile(r"\|[-+0-9]*[ \t]*(#[^\n]*)?(?=\n|$)")  # The text below, line by line.
NULLS = ("", "~", "null", "Null", "NULL")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b", " ": " ", '"': '"', "\\": "\\", "/": "/"}
CODES = {"x": 2, "u": 4, "U": 8}  # So many hexadecimal digits follow.


class Word(NamedTuple):
    """A scalar; one without quotes that says nothing is None."""

    text: str | None
    span: Span


class Items(NamedTuple):
    """A list in brackets."""

    items: list[Node]
    span: Span


class Entries(NamedTuple):
    """A mapping, in the order of the file; no key comes twice."""

    entries: list[tuple[Word | Items, Node]]
    span: Span

    def get(self, name: str) -> Node | None:
        return next((node for key, node in self.entries if isinstance(key, Word) and key.text == name), None)


Node: TypeAlias = Word | Items | Entries


def yaml_document(source: Source) -> Node:
    """All of a text; GridError where it is not in this part of YAML."""
    reader = _Reader(source)
    reader.to_content()
    if source.text.startswith("---", reader.at) and reader.column() == 0:
        reader.at = reader.line_end()
        reader.to_content()
    node = reader.block(-1, 0)
    reader.to_content()
    if reader.at < len(source.text):
        raise misread("this line is not indented like those above", reader.here())
    return node


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.text, self.at = source, source.text, 0

    def here(self, length: int = 1) -> Span:
        return Span(self.source, self.at, min(self.at + length, len(self.text)))

    def column(self) -> int:
        return self.at - (self.text.rfind("\n", 0, self.at) + 1)

    def line_end(self) -> int:
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def to_content(self) -> None:
        """On to the next word, over white space, comments and line ends."""
        match = re.compile(r"(?:\s|(?:^|(?<=\s))#[^\n]*)*", re.MULTILINE).match(self.text, self.at)
        assert match
        self.at = match.end()
        lead = self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at]
        if "\t" in lead and not lead.strip():
            raise misread("a tab indents this line", self.here(), "", "YAML is indented with spaces")

    def spaces(self) -> None:
        match = re.compile(r"[ \t]*").match(self.text, self.at)
        assert match
        self.at = match.end()

    def is_line_over(self) -> bool:
        """Whether nothing but a comment is left of the line."""
        rest = self.text[self.at : self.line_end()]
        bare = rest.lstrip(" \t")
        return not bare or (bare[0] == "#" and (bare != rest or self.text[self.at - 1 : self.at].isspace()))

    def block(self, outer: int, depth: int) -> Node:
        """What is indented more than `outer`: a mapping, or one value; nothing is None."""
        self.to_content()
        start, indent = self.at, self.column()
        if self.at >= len(self.text) or indent <= outer:
            return Word(None, Span(self.source, start, start))
        if depth > DEEPEST:
            raise misread(f"this is nested more than {DEEPEST} deep", self.here())
        entries = dict[str, tuple[Word | Items, Node]]()
        while self.at < len(self.text) and self.column() == indent:
            key = self.value(False, depth)
            self.spaces()
            if not self.text.startswith(":", self.at) or isinstance(key, Entries):
                if not entries and self.is_line_over():
                    return key
                raise misread("there is no `:` behind this", self._since(key.span.start))
            self.at += 1
            self._add(entries, key, self._behind_colon(indent, depth))
            self.to_content()
        if self.at < len(self.text) and self.column() > indent:
            raise misread("this line is indented more than those above", self.here())
        return Entries(list(entries.values()), self._since(start))

    def _since(self, start: int) -> Span:
        return Span(self.source, start, max(self.at, start + 1))

    def _behind_colon(self, indent: int, depth: int) -> Node:
        if self.is_line_over():
            return self.block(indent, depth + 1)
        self.spaces()
        literal = LITERAL.match(self.text, self.at)
        if literal:  # Its lines are read as what they say, so that they keep their places.
            self.at = literal.end()
            return self.block(indent, depth + 1)
        node = self.value(False, depth)
        if not self.is_line_over():
            raise misread("this cannot stand here", Span(self.source, self.at, self.line_end()))
        return node

    def _add(self, entries: dict[str, tuple[Word | Items, Node]], key: Node, node: Node) -> None:
        assert not isinstance(key, Entries)
        if _text(key) in entries:
            raise misread(f"`{key.span.text}` is here twice", key.span)
        entries[_text(key)] = key, node

    def value(self, inside: bool, depth: int) -> Node:
        """A word, a list or a mapping in braces; `inside` of these, marks end a plain word."""
        if depth > DEEPEST:
            raise misread(f"this is nested more than {DEEPEST} deep", self.here())
        first = self.text[self.at : self.at + 1]
        if first == "{":
            return self._braces(depth)
        if first == "[":
            return self._brackets(depth)
        if first in ("'", '"'):
            return self._quoted(first)
        return self._plain(inside)

    def _plain(self, inside: bool) -> Word:
        start = self.at
        first = self.text[start : start + 1]
        if (first and first in "&*!|>%@`") or re.match(r"[-?](?=\s|$)", self.text[start : start + 2]):
            hint = "put quotes around it if it is a symbol or a state"
            raise misread(f"`{first}` begins what cannot be imported", self.here(), "", hint)
        ends = r"[,\[\]{}\n]|:(?=[\s,\[\]{}]|$)|(?<=\s)#" if inside else r"\n|:(?=\s|$)|(?<=\s)#"
        match = re.compile(ends).search(self.text, start)
        end = match.start() if match else len(self.text)
        text = self.text[start:end].rstrip()
        self.at = start + len(text)
        return Word(None if text in NULLS else text, Span(self.source, start, max(self.at, start + 1)))

    def _quoted(self, mark: str) -> Word:
        start = self.at
        body = r"'((?:[^'\n]|'')*)'" if mark == "'" else r'"((?:[^"\\\n]|\\.)*)"'
        match = re.compile(body).match(self.text, start)
        if match is None:
            raise misread("this quote is not closed on its line", self.here())
        self.at = match.end()
        span = self._since(start)
        text = match[1].replace("''", "'") if mark == "'" else _unescaped(match[1], span)
        return Word(text, span)

    def _brackets(self, depth: int) -> Items:
        start, items = self.at, list[Node]()
        for _ in self._parts("]"):
            items.append(self.value(True, depth + 1))
        return Items(items, self._since(start))

    def _braces(self, depth: int) -> Entries:
        start, entries = self.at, dict[str, tuple[Word | Items, Node]]()
        for _ in self._parts("}"):
            key = self.value(True, depth + 1)
            if isinstance(key, Entries):
                raise misread("a mapping cannot be a key", key.span)
            node: Node = Word(None, key.span)
            self.to_content()
            if self.text.startswith(":", self.at):
                self.at += 1
                self.to_content()
                if self.text[self.at : self.at + 1] not in (",", "}"):
                    node = self.value(True, depth + 1)
            self._add(entries, key, node)
        return Entries(list(entries.values()), self._since(start))

    def _parts(self, end: str) -> Iterator[None]:
        """Stops at each part of a list or mapping in `end`, commas between them."""
        opening = self.here()
        self.at += 1
        while True:
            self.to_content()
            if self.text.startswith(end, self.at):
                self.at += 1
                return
            if self.at >= len(self.text):
                raise misread(f"there is no `{end}` for this", opening)
            before = self.at
            yield
            self.to_content()
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith(end, self.at) or self.at == before:
                raise misread(f"there is no `,` or `{end}` before this", self.here())


def _text(key: Word | Items) -> str:
    """A key as JavaScript sees it: a list is the text of its parts."""
    if isinstance(key, Word):
        return str(key.text)
    return ",".join(_text(item) for item in key.items if not isinstance(item, Entries))


def _unescaped(text: str, span: Span) -> str:
    """The text in double quotes."""

    def character(match: re.Match[str]) -> str:
        if match[2]:
            code = int(match[2], 16)
            if code <= 0x10FFFF:
                return chr(code)
        elif match[1] in ESCAPES:
            return ESCAPES[match[1]]
        raise misread(f"`{match[0]}` is no character", span)

    digits = "|".join(f"(?<={letter})[0-9A-Fa-f]{{{count}}}" for letter, count in CODES.items())
    return re.sub(rf"\\(.)({digits})?", character, text)
