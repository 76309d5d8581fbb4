"""XML as a tree of elements with places, which xml.etree does not keep; entities are refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from compiler.foreign.imported import misread
from gridlang.diagnostics import GridError
from gridlang.source import Source, Span

DEEPEST = 50  # JFLAP files nest five deep, with building blocks a few more


@dataclass(slots=True)
class Element:
    """A name, its attributes, the elements in it, and its own text without white space at the ends."""

    name: str
    attributes: dict[str, str]
    span: Span
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()

    def all(self, name: str) -> list[Element]:
        return [child for child in self.children if child.name == name]

    def first(self, name: str) -> Element | None:
        return next(iter(self.all(name)), None)


def xml_root(source: Source) -> Element:
    """The outermost element; GridError where the text is not XML, declares entities or nests very deep."""
    parser = expat.ParserCreate()
    top = Element("", {}, Span(source, 0, 0))
    open_elements = [top]

    def here(length: int = 1) -> Span:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber
        starts = source.starts
        start = min(starts[min(line, len(starts)) - 1] + column, len(source.text))
        return Span(source, start, min(start + length, len(source.text)))

    def start(name: str, attributes: dict[str, str]) -> None:
        element = Element(name, attributes, here(len(name) + 1))
        if len(open_elements) > DEEPEST:
            raise misread(f"elements are nested more than {DEEPEST} deep", element.span)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def refuse_doctype(*_: object) -> None:
        raise misread("a document type is declared here", here(9), "", "JFLAP writes none: take the line out")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.CharacterDataHandler = lambda text: open_elements[-1].pieces.append(text)
    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.EntityDeclHandler = refuse_doctype
    try:
        parser.Parse(source.text, True)
    except GridError:
        raise
    except expat.ExpatError as error:
        raise misread(f"this is not XML: {expat.errors.messages.get(error.code, error)}", here()) from None
    return top.children[0]
