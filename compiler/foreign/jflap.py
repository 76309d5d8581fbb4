"""JFLAP's `.jff` files: finite automata, Mealy machines, and Turing machines with one tape.

A Turing machine of JFLAP accepts as soon as it is in a final state, so such a state halts; without a rule it
rejects, which is being stuck.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from gridlang.compiler.foreign.imported import Imported, inexpressible, misread, refuse_second, unfit
from gridlang.compiler.foreign.machines import (
    RowTransducer,
    TapeMachine,
    TapeRule,
    machine_to_table,
    table_to_machine,
    table_to_transducer,
    transducer_to_table,
)
from gridlang.diagnostics import GridError
from gridlang.program import Program
from gridlang.source import Source, Span
from gridlang.table import BLANK

TYPES = {"fa": "a finite automaton", "mealy": "a Mealy machine", "turing": "a Turing machine"}
BLANKS = ("", "□")  # an empty element, or the square that JFLAP shows for it
SHORTHANDS = "!~}"  # in JFLAP 7 they begin or end what stands for several symbols
DEEPEST = 50  # elements: files nest five deep, with building blocks a few more
GAP = 120  # pixels between two states: circles are 40 wide, and labels take room


class States(NamedTuple):
    """The states of a file, by their ids: their labels, the start, and those that are final."""

    labels: dict[str, str]
    start: str
    final: frozenset[str]


@dataclass(slots=True)
class Element:
    """An XML element with its place, which xml.etree does not keep; its text is stripped."""

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


def _root(source: Source) -> Element:
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


def read(source: Source) -> Imported:
    """The machine in a file; GridError where it is not a deterministic machine on one row."""
    root = _root(source)
    kind = root.first("type")
    if root.name != "structure" or kind is None:
        raise misread("this is not a JFLAP file", root.span, "", "it begins with <structure><type>…</type>")
    if kind.text not in TYPES:
        hint = f"{', '.join(TYPES)} can be imported"
        raise unfit(f"gridlang has no agents of JFLAP's type `{kind.text}`", kind.span, "", hint)
    tapes = root.first("tapes")
    if tapes is not None and tapes.text not in ("", "1"):
        raise unfit(f"this machine has {tapes.text} tapes", tapes.span, "an agent has one head")
    automaton = root.first("automaton") or root  # older versions have the states in the structure itself
    states = _states(automaton)
    if kind.text == "turing":
        return _turing(automaton, states, source.path)
    rules: dict[str, dict[str, TapeRule]] = {state: {} for state in states.labels}
    for element, start, target in _transitions(automaton, states):
        letter = _text(element, "read")
        if not letter:
            raise unfit("this transition reads nothing", element.span, "an agent reads a cell at each step")
        if kind.text == "fa" and len(letter) > 1:
            raise unfit(f"this transition reads {len(letter)} symbols", element.span, "an agent reads one")
        output = letter if kind.text == "fa" else _text(element, "transout")
        if not output:
            raise unfit(
                "this transition has no output", element.span, "an agent leaves a symbol in each cell"
            )
        refuse_second(rules[start], states.labels[start], letter, element.span)
        rules[start][letter] = TapeRule(output, "R", target)
    final = states.final if kind.text == "fa" else None
    return transducer_to_table(RowTransducer(states.start, rules, final, states.labels), source.path)


def _turing(automaton: Element, states: States, file: str) -> Imported:
    rules: dict[str, dict[str, TapeRule]] = {state: {} for state in states.labels}
    for element, start, target in _transitions(automaton, states):
        letter, written = _symbol(element, "read"), _symbol(element, "write")
        move = _text(element, "move").upper()
        if move not in ("L", "R", "S"):
            raise misread(f"`{move}` is not a move", element.span, "", "the moves are L, R and S")
        if start in states.final:
            label = states.labels[start]
            hint = "JFLAP accepts as soon as it is there: remove the rule"
            raise unfit(f"state `{label}` is final, and has a rule", element.span, "", hint)
        refuse_second(rules[start], states.labels[start], letter, element.span)
        rules[start][letter] = TapeRule(written, move, target, element.span)
    return machine_to_table(
        TapeMachine(BLANKS[1], states.start, rules, states.final, labels=states.labels), file
    )


def _states(automaton: Element) -> States:
    labels: dict[str, str] = {}
    starts, final = [], set()
    for element in (*automaton.all("state"), *automaton.all("block")):
        key = element.attributes.get("id", "")
        if key in labels:
            raise misread(f"two states have the id `{key}`", element.span)
        tag = _text(element, "tag")
        if tag and any(child.children for child in automaton.all(tag)):
            raise unfit("this state is a machine itself", element.span, "building blocks cannot be imported")
        labels[key] = element.attributes.get("name") or f"q{key}"
        if element.first("initial"):
            starts.append(key)
        if element.first("final"):
            final.add(key)
    if len(starts) != 1:
        many = "no state" if not starts else f"{len(starts)} states"
        raise unfit(f"{many} are initial", automaton.span, "an agent starts in one")
    return States(labels, starts[0], frozenset(final))


def _transitions(automaton: Element, states: States) -> Iterator[tuple[Element, str, str]]:
    """Each transition with the ids of its two states."""
    for element in automaton.all("transition"):
        ends = _text(element, "from"), _text(element, "to")
        for key in ends:
            if key not in states.labels:
                raise misread(f"there is no state with the id `{key}`", element.span)
        others = [child for child in element.children if child.attributes.get("tape", "1") != "1"]
        if others:
            raise unfit("this transition is about a second tape", others[0].span, "an agent has one head")
        yield element, *ends


def _text(element: Element, name: str) -> str:
    inner = element.first(name)
    return inner.text if inner else ""


def _symbol(element: Element, name: str) -> str:
    """A symbol of a tape; the blank is the square."""
    text = _text(element, name)
    if text in BLANKS:
        return BLANKS[1]
    if len(text) > 1:
        reason = "a shorthand for several symbols" if set(text) & set(SHORTHANDS) else "more than one symbol"
        raise unfit(f"`{text}` is {reason}", element.span, "an agent has a rule for each symbol")
    if text == "~":
        raise unfit("`~` is a shorthand for any symbol", element.span, "an agent has a rule for each symbol")
    return text


def render(program: Program) -> bytes:
    """The simplest that the agent is: a finite automaton, a Mealy machine, or a Turing machine."""
    table = program.table
    transducer = table_to_transducer(table)
    if isinstance(transducer, RowTransducer):
        kind = "mealy" if transducer.final is None else "fa"
        final = transducer.final or frozenset()
        written = "transout" if kind == "mealy" else ""
        transitions = (
            (state, step.next, {"read": letter, **({written: step.write} if written else {})})
            for state, rules in transducer.rules.items()
            for letter, step in rules.items()
        )
        return _file(kind, transducer.rules, transducer.start, final, transitions)
    for symbol in (BLANKS[1], "~"):
        if symbol in table.symbols:
            raise inexpressible(table, f"JFLAP takes `{symbol}` for something else than a symbol")
    machine = table_to_machine(table, stays=True)
    steps = (
        (state, rule.next, {"read": _shown(letter), "write": _shown(rule.write), "move": rule.move})
        for state, rules in machine.rules.items()
        for letter, rule in rules.items()
    )
    return _file("turing", machine.rules, machine.start, machine.halting, steps)


def _shown(symbol: str) -> str:
    return "" if symbol == BLANK else symbol


def _file(
    kind: str,
    states: Iterable[str],
    start: str,
    final: frozenset[str],
    transitions: Iterable[tuple[str, str, dict[str, str]]],
) -> bytes:
    """The states on a square of circles, and the transitions between them."""
    place = {state: number for number, state in enumerate(states)}
    across = ceil(sqrt(len(place)))
    lines = ['<?xml version="1.0" encoding="UTF-8" standalone="no"?>', "<structure>"]
    lines += [f"\t<type>{kind}</type>", "\t<automaton>"]
    for state, number in place.items():
        x, y = (f"{GAP * (at + 1)}.0" for at in (number % across, number // across))
        lines.append(f'\t\t<state id="{number}" name={quoteattr(state)}>')
        lines += [f"\t\t\t<x>{x}</x>", f"\t\t\t<y>{y}</y>"]
        lines += ["\t\t\t<initial/>"] * (state == start) + ["\t\t\t<final/>"] * (state in final)
        lines.append("\t\t</state>")
    for source, target, parts in transitions:
        lines.append("\t\t<transition>")
        lines += [f"\t\t\t<from>{place[source]}</from>", f"\t\t\t<to>{place[target]}</to>"]
        lines += [
            f"\t\t\t<{name}>{escape(text)}</{name}>" if text else f"\t\t\t<{name}/>"
            for name, text in parts.items()
        ]
        lines.append("\t\t</transition>")
    return "\n".join([*lines, "\t</automaton>", "</structure>", ""]).encode()
