"""What may be typed at a place: found from the tokens before it, so that the line need not be right."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from compiler.language_server import words
from compiler.language_server.calls import call_at, opened_by, tokens_of
from compiler.language_server.limits import LIMITS
from compiler.language_server.names import FileNames, wants
from compiler.language_server.project import Project, grid_files
from gridlang.syntax import tree as s
from gridlang.syntax.scanner import Token
from gridlang.syntax.unparse import parameters, state_name
from gridlang.vocabulary import HALT, HEADERS

_FILE = re.compile(r"""\bfrom\s+"([^"\n]*)$""")
_VALUE_BEFORE = {"if", "and", "or", "not", "write", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "^"}
_VALUE_BEFORE |= {"div", "mod", "(", "["}


class Item(NamedTuple):
    """Something that can be typed; `arguments` follow it in parentheses, to be filled in."""

    text: str
    kind: str
    detail: str = ""
    arguments: tuple[str, ...] = ()


class _Place(NamedTuple):
    """Where something is typed: the tokens before it on its line, and the block that the line stands in."""

    project: Project
    path: str
    names: FileNames
    offset: int
    tokens: tuple[Token, ...]
    rest: tuple[Token, ...]
    block: str
    flush: bool

    @property
    def last(self) -> str:
        return self.tokens[-1].value if self.tokens else ""


def completions(project: Project, path: str, offset: int) -> tuple[list[Item], int]:
    """All that may stand at an offset, as the tokens before it tell, and where its first letter stands."""
    names = project.names(path)
    if names is None:
        return [], offset
    text = names.source.text
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    file = _FILE.search(before)
    if file:
        return list(_files(path)), offset - len(file[1])
    if before.count('"') % 2 or re.match(r"[^\"']*#", before):
        return [], offset
    items = dict.fromkeys(_items(_place(project, path, names, offset)))
    typed = re.search(r"\w*$", before)
    return list(items)[: LIMITS.most_items], offset - len(typed[0] if typed else "")


def _place(project: Project, path: str, names: FileNames, offset: int) -> _Place:
    at = names.line_at(offset)
    start, end = (at[1].line.span.start, at[1].line.span.end) if at else (offset, offset)
    text = names.source.text
    begin = text.rfind("\n", 0, offset) + 1
    number = at[0] if at else len(names.lines)
    if start < begin and ":" in text[begin:offset] and opened_by(at[1].line.tokens if at else ()) == "state":
        # The line above has swallowed a rule: its parenthesis is open.
        start, number = begin, number + 1
    tokens, rest = tokens_of(text[start:offset]), tokens_of(text[offset:end])
    typing = bool(tokens) and tokens[-1].span.end == offset - start and tokens[-1].type in ("word", "MOVE")
    tokens = tokens[:-1] if typing else tokens
    block = next((b for line in reversed(names.lines[:number]) if (b := opened_by(line.line.tokens))), "")
    return _Place(project, path, names, offset, tokens, rest, block, not text[begin : begin + 1].isspace())


def _items(place: _Place) -> Iterator[Item]:
    header = opened_by(place.tokens)
    if not place.tokens:
        yield from _line_start(place)
    elif header:
        yield from _header(place, header)
    elif place.block == "alphabet":
        yield from _named(place, ("class", "parameter", "constant"))
        yield from (*_function("marked"), *_words("except"))
    elif place.block == "state":
        yield from _rule(place)


def _line_start(place: _Place) -> Iterator[Item]:
    if place.block == "state":
        yield from _pattern(place)
    if place.flush or place.block not in ("state", "alphabet"):
        yield from _words(*HEADERS)


def _header(place: _Place, header: str) -> Iterator[Item]:
    last = place.last
    if header == "start":
        yield from _states(place) if last == "start" else _arguments(place)
    elif header == "use":
        yield from _library_states(place)
        yield from _words("from")
    elif header in ("agent", "state"):
        yield from _declared_parameters(place, header)
    elif header == "input":
        clause = any(token.value == "where" for token in place.tokens)
        yield from _named(place, ("part",)) if clause else _named(place, ("class",))
        yield from _named(place, ("parameter", "constant"))
        yield from _output_functions() if clause else _words("where", "any", "except")
    elif header == "output":
        yield from _named(place, ("part", "parameter", "constant"))
        yield from (*_output_functions(), *_words("accept", "stuck", "if", "else", "and", "or", "not"))
    elif header == "let":
        yield from (*_named(place, ("parameter", "constant")), *_moves(place))
    elif header == "test":
        in_state = len(place.tokens) > 2 and last == "state" and place.tokens[-2].value == "in"
        tests = ("halts", "stuck", "loops", "after", "in", "within", "steps", "state")
        yield from _states(place) if in_state else _words(*tests)


def _declared_parameters(place: _Place, header: str) -> Iterator[Item]:
    """What stands in the parentheses of an `agent` or `state` line."""
    file = next((token.value for token in place.rest if token.type == "STRING"), "")
    if place.last == ":":
        kinds = ("move", "class", "state") if header == "state" else ("move",)
        yield from (*_words(*kinds), *_move_letters())
    elif header == "agent" and file and place.last in ("(", ","):
        other = place.project.names(place.project.imported(place.path, file))
        params = other.header.params if other and other.header else ()
        yield from (Item(p.name.name, "parameter", p.span.text) for p in params)
    elif header == "agent" and place.last not in ("agent", "=", "(", ","):
        yield from _words("in", "from", "except")
    elif place.last in ("in", "<", "<=", "..", "except", "|"):
        yield from _named(place, ("class", "parameter", "constant"))
        yield from _local_parameters(place)
    elif header == "state" and len(place.tokens) > 2:
        yield from _words("in", "except")


def _rule(place: _Place) -> Iterator[Item]:
    values = [token.value for token in place.tokens]
    if ":" not in values:
        yield from _pattern(place)
        if values[-1] in _VALUE_BEFORE:
            yield from _values(place)
        else:
            yield from _words("in", "if", "except", "and", "or", "not")
        return
    last = values[-1]
    if last in ("->", "as"):
        yield from _states(place)
    elif call_at(place.tokens):
        yield from _arguments(place)
    elif last in (":", ","):
        yield from _moves(place)
        if last == ":":
            yield from _words("write", "halt", "as")
    elif last in _VALUE_BEFORE or last == "else":
        yield from _values(place)
    else:
        yield from _words("if", "else", "div", "mod")


def _pattern(place: _Place) -> Iterator[Item]:
    yield from _named(place, ("class", "parameter", "constant"))
    yield from (*_local_parameters(place), *_words("any", "else"))


def _values(place: _Place) -> Iterator[Item]:
    line = place.names.line_at(place.offset)
    first = line[1].line.tokens[:2] if line else ()
    if len(first) == 2 and first[1].value == "in":
        yield Item(first[0].value, "variable", "the symbol that was read")
    yield from _local_parameters(place)
    yield from _named(place, ("parameter", "constant", "class"))
    yield from (*_function("min", "max", "length"), *_words("not", "if", "else"))


def _arguments(place: _Place) -> Iterator[Item]:
    """What the argument of a family may be, by the kind of its parameter."""
    call = call_at(place.tokens)
    declared = place.project.state(place.path, call.name) if call else None
    header = declared[1].node if declared else None
    params = header.params if isinstance(header, s.StateLine) else ()
    kind = wants(params[call.argument]) if call and call.argument < len(params) else "value"
    if kind == "state":
        yield from _states(place)
    elif kind == "move":
        yield from _moves(place)
    elif kind == "class":
        yield from _pattern(place)
    else:
        yield from _values(place)


def _states(place: _Place) -> Iterator[Item]:
    for name, file, block in place.project.visible_states(place.path):
        params = block.node.params if isinstance(block.node, s.StateLine) else ()
        where = "" if file == place.path else f" from {os.path.basename(file)}"
        detail = (parameters(params) if params else "") + where
        yield Item(state_name(name), "state", detail.strip(), tuple(p.name.name for p in params))
    yield from (item for item in _local_parameters(place) if item.detail.endswith(": state"))
    yield Item(HALT, "keyword", words.WORDS[HALT][1])


def _library_states(place: _Place) -> Iterator[Item]:
    file = next((token.value for token in place.rest if token.type == "STRING"), "")
    other = place.project.names(place.project.imported(place.path, file)) if file else None
    for name, block in other.states.items() if other else ():
        params = block.node.params if isinstance(block.node, s.StateLine) else ()
        yield Item(state_name(name), "state", parameters(params) if params else "")


def _named(place: _Place, kinds: Iterable[str]) -> Iterator[Item]:
    header = place.names.header
    for kind in kinds:
        for name, block in place.names.declared(kind).items():
            yield Item(name, kind, " ".join(block.span.text.split())[:80])
        if kind == "parameter" and header:
            yield from (Item(p.name.name, kind, p.span.text) for p in header.params)


def _local_parameters(place: _Place) -> Iterator[Item]:
    state = place.names.state_at(place.offset)
    params = state.node.params if state and isinstance(state.node, s.StateLine) else ()
    yield from (Item(p.name.name, "parameter", p.span.text) for p in params)


def _moves(place: _Place) -> Iterator[Item]:
    yield from _move_letters()
    local = (item for item in _local_parameters(place) if ":" in item.detail)
    yield from (*local, *_function("left", "right", "back"))
    yield from (item for item in _named(place, ("parameter", "constant")) if "in" not in item.detail.split())


def _move_letters() -> Iterator[Item]:
    yield from (Item(letter, "move", meaning) for letter, meaning in words.MOVES.items())


def _words(*names: str) -> Iterator[Item]:
    yield from (Item(name, "keyword", words.WORDS[name][1] if name in words.WORDS else "") for name in names)


def _function(*names: str) -> Iterator[Item]:
    for name in names:
        arguments, meaning = words.RULE_FUNCTIONS[name]
        yield Item(name, "function", meaning, arguments[:1])


def _output_functions() -> Iterator[Item]:
    for name, (arguments, meaning) in words.OUTPUT_FUNCTIONS.items():
        yield Item(name, "function", meaning, arguments[:1])


def _files(path: str) -> Iterator[Item]:
    """The `.grid` files that a file may take something from: in its folder, or below."""
    here = os.path.dirname(path)
    for file in grid_files([here]):
        if file != path:
            yield Item(os.path.relpath(file, here), "file")
