"""What may be typed at a place.

A place where something is typed, and the call that it stands in.

Both are found from the tokens before it, so the line may have errors.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from gridlang.compiler.language_server import words
from gridlang.compiler.language_server.names import FileNames, wants
from gridlang.compiler.language_server.project import Project, grid_files
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax.scanner import Token, scan
from gridlang.syntax.unparse import parameters, state_name
from gridlang.vocabulary import HEADERS

MOST_ITEMS = 1_000  # an editor shows a few, and asks again when more is typed
LONGEST_NAME = 200  # letters behind the cursor that are searched for a parenthesis


class Call(NamedTuple):
    """A call that is being typed: what is called, and the number of the argument."""

    name: str
    argument: int


class Place(NamedTuple):
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
    def values(self) -> list[str]:
        return [token.value for token in self.tokens]

    @property
    def header(self) -> str:
        """The block that this line opens."""
        return _opened_by(self.tokens)

    @property
    def call(self) -> Call | None:
        """The innermost call whose parenthesis is open."""
        stack: list[Call] = []
        before: Token | None = None
        for token in self.tokens:
            if token.type == "mark" and token.value in "([{":
                named = before and before.type in ("word", "MOVE") and token.value == "("
                stack.append(Call(before.value if before and named else "", 0))
            elif token.type == "mark" and token.value in ")]}" and stack:
                stack.pop()
            elif token.type == "mark" and token.value == "," and stack:
                stack[-1] = stack[-1]._replace(argument=stack[-1].argument + 1)
            before = token
        return next((call for call in reversed(stack) if call.name), None)

    @property
    def other(self) -> FileNames | None:
        """The names of the file that the rest of the line takes something from."""
        file = next((token.value for token in self.rest if token.type == "STRING"), "")
        return self.project.names(self.project.imported(self.path, file)) if file else None


def _tokens_of(text: str) -> tuple[Token, ...]:
    lines, _ = scan(Source("<line>", text))
    return tuple(token for line in lines for token in line.tokens)


def _opened_by(tokens: tuple[Token, ...]) -> str:
    """The block that a line opens."""
    first = tokens[0] if tokens else None
    return first.value if first and first.type == "word" and first.value in HEADERS else ""


def place_at(project: Project, path: str, names: FileNames, offset: int) -> Place:
    at = names.line_at(offset)
    start, end = (at[1].line.span.start, at[1].line.span.end) if at else (offset, offset)
    text = names.source.text
    begin = text.rfind("\n", 0, offset) + 1
    number = at[0] if at else len(names.lines)
    if start < begin and ":" in text[begin:offset] and _opened_by(at[1].line.tokens if at else ()) == "state":
        # an open parenthesis above has swallowed this line
        start, number = begin, number + 1
    tokens, rest = _tokens_of(text[start:offset]), _tokens_of(text[offset:end])
    typing = bool(tokens) and tokens[-1].span.end == offset - start and tokens[-1].type in ("word", "MOVE")
    tokens = tokens[:-1] if typing else tokens
    block = next((b for line in reversed(names.lines[:number]) if (b := _opened_by(line.line.tokens))), "")
    return Place(project, path, names, offset, tokens, rest, block, not text[begin : begin + 1].isspace())


_FILE = re.compile(r"""\bfrom\s+"([^"\n]*)$""")
_VALUE_BEFORE = {"if", "and", "or", "not", "write", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "^"}
_VALUE_BEFORE |= {"div", "mod", "(", "["}
# What may stand somewhere: words of the language, functions of rules, and in capitals what is declared.
_NUMBERS = "PARAMETER CONSTANT"
_PATTERN = f"CLASS {_NUMBERS} LOCAL any else"
_VALUE = f"VARIABLE LOCAL {_NUMBERS} CLASS min() max() length() not if else"
_MOVE = "LETTER MOVE left() right() back()"
_STATE = "STATE halt"
_OF_KIND = {"state": _STATE, "move": _MOVE, "class": _PATTERN}


class Item(NamedTuple):
    """Something that can be typed; `arguments` follow it in parentheses, to be filled in."""

    text: str
    kind: str
    detail: str = ""
    arguments: tuple[str, ...] = ()


def completions(project: Project, path: str, offset: int) -> tuple[list[Item], int]:
    """All that may stand at an offset, as the tokens before it tell, and where its first letter stands."""
    names = project.names(path)
    if names is None:
        return [], offset
    text = names.source.text
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    file = _FILE.search(before)
    if file:
        return list(_files(project, path)), offset - len(file[1])
    if before.count('"') % 2 or re.match(r"[^\"']*#", before):
        return [], offset
    place = place_at(project, path, names, offset)
    items = dict.fromkeys(item for what in _wanted(place).split() for item in _made(place, what))
    typed = re.search(r"\w*$", before)
    return list(items)[:MOST_ITEMS], offset - len(typed[0] if typed else "")


def arguments_follow(text: str, offset: int) -> bool:
    """Whether the word at an offset has its parenthesis already."""
    return bool(re.match(r"\w*\(", text[offset : offset + LONGEST_NAME]))


def _wanted(place: Place) -> str:
    if not place.tokens:
        pattern = _PATTERN if place.block == "state" else ""
        headers = place.flush or place.block not in ("state", "alphabet")
        return f"{pattern} {' '.join(HEADERS) if headers else ''}"
    if place.header:
        return _in_header(place, place.header, place.values)
    if place.block == "alphabet":
        return f"CLASS {_NUMBERS} marked() except"
    return _in_rule(place, place.values) if place.block == "state" else ""


def _in_header(place: Place, header: str, values: list[str]) -> str:
    last = values[-1]
    if header == "start":
        return _STATE if last == "start" else _argument(place)
    if header in ("agent", "state"):
        return _in_parameters(place, header, last, len(values))
    if header == "input" and "where" in values:
        return f"PART {_NUMBERS} OUTPUT"
    if header == "test" and last == "state" and values[-2] == "in" and len(values) > 2:
        return _STATE
    return {
        "use": "LIBRARY from",
        "input": f"CLASS {_NUMBERS} where any except",
        "output": f"PART {_NUMBERS} OUTPUT accept stuck for if else and or not",
        "let": f"{_NUMBERS} {_MOVE}",
        "test": "halts stuck loops after in within steps state",
    }.get(header, "")


def _in_parameters(place: Place, header: str, last: str, tokens: int) -> str:
    """What stands in the parentheses of an `agent` or `state` line."""
    if last == ":":
        return "move class state word LETTER" if header == "state" else "move LETTER"
    if header == "agent" and place.other and last in ("(", ","):
        return "IMPORTED"
    if header == "agent" and last not in ("agent", "=", "(", ","):
        return "in from except"
    if last in ("in", "<", "<=", "..", "except", "|"):
        return f"CLASS {_NUMBERS} LOCAL"
    return "in except" if header == "state" and tokens > 2 else ""


def _in_rule(place: Place, values: list[str]) -> str:
    last = values[-1]
    if ":" not in values:
        return f"{_PATTERN} {_VALUE if last in _VALUE_BEFORE else 'in if except and or not'}"
    if last in ("->", "as"):
        return _STATE
    if place.call:
        return _argument(place)
    if last in (":", ","):
        return f"{_MOVE} write halt as" if last == ":" else _MOVE
    return _VALUE if last in _VALUE_BEFORE or last == "else" else "if else div mod"


def _argument(place: Place) -> str:
    """What the argument of a family may be, by the kind of its parameter."""
    call = place.call
    declared = place.project.state(place.path, call.name) if call else None
    params = declared[1].params if declared else ()
    kind = wants(params[call.argument]) if call and call.argument < len(params) else "value"
    return _OF_KIND.get(kind, _VALUE)


def _made(place: Place, what: str) -> Iterable[Item]:
    if what in _MAKERS:
        return _MAKERS[what](place)
    if what.endswith("()"):
        return _functions({what[:-2]: words.RULE_FUNCTIONS[what[:-2]]})
    return [Item(what, "keyword", words.WORDS[what][1] if what in words.WORDS else "")]


def _functions(functions: dict[str, tuple[tuple[str, ...], str]]) -> list[Item]:
    return [
        Item(name, "function", meaning, arguments[:1]) for name, (arguments, meaning) in functions.items()
    ]


def _variable(place: Place) -> Iterator[Item]:
    line = place.names.line_at(place.offset)
    first = line[1].line.tokens[:2] if line else ()
    if len(first) == 2 and first[1].value == "in":
        yield Item(first[0].value, "variable", "the symbol that was read")


def _states(place: Place) -> Iterator[Item]:
    for name, file, block in place.project.visible_states(place.path):
        where = "" if file == place.path else f" from {os.path.basename(file)}"
        detail = (parameters(block.params) if block.params else "") + where
        yield Item(state_name(name), "state", detail.strip(), tuple(p.name.name for p in block.params))
    yield from (item for item in _local(place) if item.detail.endswith(": state"))


def _library_states(place: Place) -> Iterator[Item]:
    for name, block in place.other.states.items() if place.other else ():
        yield Item(state_name(name), "state", parameters(block.params) if block.params else "")


def _declared(kind: str, place: Place) -> Iterator[Item]:
    for name, block in place.names.declared(kind).items():
        yield Item(name, kind, " ".join(block.span.text.split())[:80])


def _parameters(params: Iterable[s.Param]) -> list[Item]:
    return [Item(p.name.name, "parameter", p.span.text) for p in params]


def _of_header(names: FileNames | None) -> list[Item]:
    return _parameters(names.header.params) if names and names.header else []


def _local(place: Place) -> list[Item]:
    state = place.names.state_at(place.offset)
    return _parameters(state.params) if state else []


def _named_moves(place: Place) -> Iterator[Item]:
    yield from (item for item in _local(place) if ":" in item.detail)
    fixed = (*_of_header(place.names), *_declared("constant", place))
    yield from (item for item in fixed if "in" not in item.detail.split())


_MAKERS: dict[str, Callable[[Place], Iterable[Item]]] = {
    "CLASS": partial(_declared, "class"),
    "CONSTANT": partial(_declared, "constant"),
    "PART": partial(_declared, "part"),
    "PARAMETER": lambda place: _of_header(place.names),
    "IMPORTED": lambda place: _of_header(place.other),
    "LOCAL": _local,
    "VARIABLE": _variable,
    "STATE": _states,
    "LIBRARY": _library_states,
    "LETTER": lambda _: [Item(letter, "move", meaning) for letter, meaning in words.MOVES.items()],
    "MOVE": _named_moves,
    "OUTPUT": lambda _: _functions(words.OUTPUT_FUNCTIONS),
}


def _files(project: Project, path: str) -> Iterator[Item]:
    """The `.grid` files that a file may take something from: in its folder, or below."""
    here = os.path.dirname(path)
    opened = [file for file in project.open if file.startswith(os.path.join(here, ""))]
    for file in sorted({*opened, *grid_files([here])}):
        if file != path:
            yield Item(os.path.relpath(file, here), "file")
