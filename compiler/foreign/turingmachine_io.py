"""turingmachine.io's YAML: a blank, a start state, and a table from states to symbols to instructions.

A state without rules halts. Where a state has rules, but none for a symbol, the machine stops without having
halted in such a state, as its acceptors do to reject: an agent is stuck there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import yaml

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.foreign.machines import (
    Imported,
    TapeMachine,
    TapeRule,
    inexpressible,
    machine_to_table,
    misread,
    table_to_machine,
    unfit,
)
from gridlang.diagnostics import GridError, did_you_mean
from gridlang.program import Program
from gridlang.source import Source, Span
from gridlang.syntax import tree as s
from gridlang.table import BLANK
from gridlang.vocabulary import MOVE_WORDS

DEEPEST = 20  # a machine nests four deep
Node: TypeAlias = Any  # of yaml, which has no types


MOVES = {"L": "L", "R": "R", "N": "S"}
# without quotes, YAML readers may take these for something other than text
WORD = re.compile(
    r"(?!(?:null|true|false|yes|no|on|off|y|n|inf|nan|write)$)[A-Za-z][A-Za-z0-9_]*", re.IGNORECASE
)
INSTRUCTION = "an instruction is L, R, or a mapping such as {write: 1, R: carry}"


def read(source: Source) -> Imported:
    """The machine in a file, as one exports it there or as it stands in the editor."""
    document = _mapping(yaml_document(source))
    inner = _get(document, "source code")
    if inner is not None and _get(document, "table") is None:
        document = _mapping(_within(inner) if isinstance(inner, yaml.ScalarNode) else inner)
    blank = _symbol(_needed(document, "blank", "blank: ' '"))
    start = _word(_needed(document, "start state", "start state: q0"))
    states = {_word(key): node for key, node in _pairs(_needed(document, "table", "table:"), "the table")}
    synonyms = {
        _word(key): _instruction(node, states, {})
        for key, node in _pairs(_get(document, "synonyms"), "`synonyms`")
    }
    rules = {state: _rules(state, node, states, synonyms) for state, node in states.items()}
    if start not in rules:
        place = _needed(document, "start state", "").span
        raise misread(f"the table has no state `{start}`", place, "", did_you_mean(start, rules))
    halting = frozenset(state for state, each in rules.items() if not each)
    given = _get(document, "input")
    text = given.value if isinstance(given, yaml.ScalarNode) else None
    return machine_to_table(TapeMachine(blank, start, rules, halting), source.path, text)


def _get(document: Node, name: str) -> Node | None:
    named = (node for key, node in document.value if isinstance(key, yaml.ScalarNode) and key.value == name)
    return next(named, None)


def _needed(document: Node, name: str, example: str) -> Node:
    node = _get(document, name)
    if node is None:
        raise misread(f"there is no `{name}`", document.span, "", f"a machine has one, as in `{example}`")
    return node


def _mapping(node: Node) -> Node:
    if isinstance(node, yaml.MappingNode):
        return node
    raise _no_machine(node.span)


def _no_machine(span: Span) -> GridError:
    return misread("this is not a machine", span, "", "a machine has `blank`, `start state` and `table`")


def _pairs(node: Node | None, what: str) -> list[tuple[Node, Node]]:
    """The content of a mapping; it may be empty."""
    if isinstance(node, yaml.MappingNode):
        return list(node.value)
    if node is None or _is_null(node):
        return []
    raise misread(f"{what} is not a mapping", node.span, "", "write `name: value` in each line")


def _is_null(node: Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style is None and node.tag.endswith(":null")


def _word(node: Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise misread("this is not a name", node.span)
    return "null" if _is_null(node) else str(node.value)


def _symbol(node: Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or len(node.value) != 1:
        what, label = f"`{node.span.text}` is not a symbol", "a symbol is one character"
        raise misread(what, node.span, label, "' ' is the space")
    return str(node.value)


def _rules(
    state: str, node: Node, states: Mapping[str, Node], synonyms: Mapping[str, TapeRule]
) -> dict[str, TapeRule]:
    """The rules of a state, one a symbol; what an instruction leaves out is filled in."""
    seen: dict[str, TapeRule] = {}
    for key, value in _pairs(node, f"state `{state}`"):
        rule = _instruction(value, states, synonyms)
        for item in key.value if isinstance(key, yaml.SequenceNode) else [key]:
            symbol = _symbol(item)
            if symbol in seen:
                raise unfit(f"state `{state}` has two rules for {symbol!r}", item.span, "an agent has one")
            seen[symbol] = rule._replace(write=rule.write or symbol, next=rule.next or state)
    return seen


def _instruction(node: Node, states: Mapping[str, Node], synonyms: Mapping[str, TapeRule]) -> TapeRule:
    """The write, the move and the next state; an empty text for what is left out."""
    if isinstance(node, yaml.ScalarNode):
        word = node.value
        if word in MOVES:
            return TapeRule("", MOVES[word], "", node.span)
        if word in synonyms:
            return synonyms[word]
        near = did_you_mean(word, [*MOVES, *synonyms], INSTRUCTION)
        raise misread(f"`{node.span.text}` is not an instruction", node.span, "", near)
    if isinstance(node, yaml.SequenceNode):
        raise misread("a list is not an instruction", node.span, "", INSTRUCTION)
    write, moves = "", list[tuple[str, Node]]()
    for key, value in node.value:
        name = _word(key)
        if name == "write":
            write = _symbol(value)
        elif name in MOVES:
            moves.append((MOVES[name], value))
        else:
            meant = MOVE_WORDS.get(name.lower(), "")
            hint = f"did you mean {meant}?" if meant in ("L", "R") else INSTRUCTION
            raise misread(f"`{name}` is not part of an instruction", key.span, "", hint)
    if len(moves) != 1:
        raise misread(f"this instruction has {len(moves)} moves", node.span, "", INSTRUCTION)
    move, target = moves[0]
    following = "" if _is_null(target) else _word(target)
    if following and following not in states:
        near = did_you_mean(following, states)
        raise misread(f"the table has no state `{following}`", target.span, "", near)
    return TapeRule(write, move, following, node.span)


def render(program: Program) -> bytes:
    """A document that is imported there; its `source code` can also be pasted into the editor."""
    machine = table_to_machine(program.table)
    for state, rules in machine.rules.items():
        if not rules and state not in machine.halting:
            hint = "turingmachine.io takes a state without rules for a halt"
            raise inexpressible(program.table, f"state `{state}` is stuck on every symbol", hint)
    lines = [f"name: {_quoted(program.name)}", "source code: |"]
    lines += [f"  {line}".rstrip() for line in _source_code(machine, _first_input(program))]
    return ("\n".join(lines) + "\n").encode()


def _source_code(machine: TapeMachine, text: str) -> Iterator[str]:
    yield f"input: {_quoted(text.replace(BLANK, ' '))}"
    yield "blank: ' '"
    yield f"start state: {_name(machine.start)}"
    yield "table:"
    for state, rules in machine.rules.items():
        yield f"  {_name(state)}:"
        groups: dict[tuple[str, str, str], list[str]] = {}
        for symbol, rule in rules.items():
            write = "" if rule.write == symbol else rule.write
            groups.setdefault((write, rule.move, rule.next), []).append(symbol)
        for (write, move, following), symbols in groups.items():
            for key in _keys(symbols):
                yield f"    {key}: {_written(write, move, following if following != state else '')}"


def _keys(symbols: Iterable[str]) -> Iterator[str]:
    """One key for symbols that are treated alike; a comma stands alone, since it would end a part."""
    listed = [_quoted(_shown(symbol)) for symbol in symbols if symbol != ","]
    if listed:
        yield listed[0] if len(listed) == 1 else f"[{', '.join(listed)}]"
    if "," in symbols:
        yield "','"


def _written(write: str, move: str, following: str) -> str:
    if not write and not following:
        return move
    wrote = f"write: {_quoted(_shown(write))}, " if write else ""
    return f"{{{wrote}{move}: {_name(following)}}}" if following else f"{{{wrote}{move}}}"


def _shown(symbol: str) -> str:
    return " " if symbol == BLANK else symbol


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(state: str) -> str:
    return state if WORD.fullmatch(state) else _quoted(state)


def _first_input(program: Program) -> str:
    """The file's first test on a row, else a short input, else none."""
    for test in () if program.overridden else program.tests:
        if isinstance(test.world, s.Text):
            return test.world.value
    language = language_of(program.table)
    return next(iter(language.shortest(8)), "") if language else ""


def _within(node: Node) -> Node:
    """The YAML of a text; the lines of a block keep their places."""
    source, start, end = node.span
    if node.style != "|":
        return yaml_document(Source(f"source code of {source.path}", node.value))
    head = source.text.index("\n", start) if "\n" in source.text[start:end] else end
    return yaml_document(source, re.sub(r"[^\n]", " ", source.text[:head]) + source.text[head:end])


def yaml_document(source: Source, text: str | None = None) -> Node:
    """The one document in a source, or in `text` with the same offsets; GridError where it is not YAML.

    Each node has its `span`, and a null no text.
    """

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
            node.span = span(node.start_mark.index, node.end_mark.index)
            if _is_null(node):
                node.value = ""
            if isinstance(node, yaml.MappingNode):
                _refuse_bad_keys(node)
            return node

    try:
        root = yaml.compose(source.text if text is None else text, Loader)
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark.index if error.problem_mark else 0
        raise misread(f"this is not YAML: {error.problem}", span(at, at)) from None
    except yaml.reader.ReaderError as error:
        raise misread(f"this is not YAML: {error.reason}", span(error.position, error.position)) from None
    if root is None:
        raise _no_machine(span(0, 0))
    return root


def _refuse_bad_keys(mapping: Node) -> None:
    """GridError for a key that is a mapping, or that is here twice."""
    known = set[str]()
    for key, _ in mapping.value:
        if isinstance(key, yaml.MappingNode):
            raise misread("a mapping cannot be a key", key.span)
        if _text(key) in known:
            raise misread(f"`{key.span.text}` is here twice", key.span)
        known.add(_text(key))


def _text(key: Node) -> str:
    """A key as JavaScript sees it: a list is the text of its parts."""
    if isinstance(key, yaml.ScalarNode):
        return _word(key)
    return ",".join(_text(item) for item in key.value if not isinstance(item, yaml.MappingNode))
