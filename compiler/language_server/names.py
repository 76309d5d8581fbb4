"""The declarations of a file, and the meaning of every name in it, despite broken lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gridlang.source import Source, Span
from gridlang.syntax import tree as s
from gridlang.syntax.parser import ParsedLine, parse
from gridlang.syntax.scanner import Token
from gridlang.vocabulary import HALT

_KINDS: dict[type, str] = {s.Header: "agent", s.StateLine: "state", s.Let: "constant", s.ClassDecl: "class"}
RECOVERED = {"agent": "agent", "library": "agent", "state": "state", "let": "constant"}


class Block(NamedTuple):
    """A declaration: its line, the lines that belong to it, and what comments say about it."""

    names: tuple[s.Name, ...]
    kind: str
    node: s.Node | None
    span: Span
    about: str = ""

    @property
    def params(self) -> tuple[s.Param, ...]:
        """Those of a state or an agent."""
        return self.node.params if isinstance(self.node, s.StateLine | s.Header) else ()

    def until(self, end: Span) -> Block:
        return self._replace(span=self.span.to(end))


def blocks_of(lines: Iterable[ParsedLine]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    above: list[str] = []
    for line in lines:
        beside = [comment.text for comment in line.comments]
        if not line.line.tokens:
            above = [*above, *beside] if beside else []
            continue
        in_alphabet = bool(blocks) and (
            blocks[-1].kind == "class" or isinstance(blocks[-1].node, s.AlphabetLine)
        )
        block = _block(line, "\n".join([*above, *beside]), in_alphabet)
        above = []
        if block:
            blocks.append(block)
        elif blocks and blocks[-1].kind == "state":
            blocks[-1] = blocks[-1].until(line.line.tokens[-1].span)
    return tuple(blocks)


def _block(line: ParsedLine, about: str, in_alphabet: bool) -> Block | None:
    """The declaration on a line, even if the rest of it cannot be read."""
    node, tokens = line.node, line.line.tokens
    span = tokens[0].span.to(tokens[-1].span)
    if isinstance(node, s.StateLine):
        return Block(node.names, "state", node, span, about)
    if isinstance(node, s.Header | s.Let | s.ClassDecl):
        return Block((node.name,), _KINDS[type(node)], node, span, about) if node.name else None
    if isinstance(node, s.InputClause):
        return Block(tuple(part.name for part in node.parts if part.name), "part", node, span, about)
    if isinstance(node, s.Test):
        return Block((node.name,) if node.name else (), "test", node, span, about)
    if isinstance(node, s.StartLine | s.OutputClause | s.AlphabetLine | s.Use):
        return Block((), "start", node, span, about)
    kind = RECOVERED.get(tokens[0].value, "") if node is None and tokens[0].type == "word" else ""
    if kind and len(tokens) > 1 and tokens[1].type in ("word", "MOVE", "STRING"):
        return Block((s.Name(tokens[1].span, tokens[1].value),), kind, None, span, about)
    if in_alphabet and node is None and tokens[0].type == "word" and [t.value for t in tokens[1:2]] == ["="]:
        return Block((s.Name(tokens[0].span, tokens[0].value),), "class", None, span, about)
    return None


FILE_WIDE = -1  # The scope of a name that all lines of its file can see.
Known = Mapping[str, tuple[str, int]]  # From names that can be seen here to their kind and scope.


class Occurrence(NamedTuple):
    """A place where a name stands.

    `kind` is agent, state, class, parameter, constant, part, variable, argument (the name of a parameter of
    an imported agent) or file. `scope` is the offset of the state or rule that alone can see the name.
    """

    span: Span
    name: str
    kind: str
    scope: int = FILE_WIDE
    declares: bool = False


class FileNames(NamedTuple):
    """The declarations and names of a file's readable lines."""

    source: Source
    lines: tuple[ParsedLine, ...]
    blocks: tuple[Block, ...]
    occurrences: tuple[Occurrence, ...]
    states: Mapping[str, Block]

    def declared(self, kind: str) -> dict[str, Block]:
        return {name.name: block for block in self.blocks if block.kind == kind for name in block.names}

    @property
    def header(self) -> s.Header | None:
        return next((line.node for line in self.lines if isinstance(line.node, s.Header)), None)

    @property
    def uses(self) -> list[s.Use]:
        return [line.node for line in self.lines if isinstance(line.node, s.Use)]

    def at(self, offset: int) -> Occurrence | None:
        """The name that stands at an offset, or ends there."""
        return next((o for o in self.occurrences if o.span.start <= offset <= o.span.end), None)

    def line_at(self, offset: int) -> tuple[int, ParsedLine] | None:
        """The logical line of an offset, and its number."""
        for number, line in enumerate(self.lines):
            if line.line.span.start <= offset <= line.line.span.end:
                return number, line
        return None

    def state_at(self, offset: int) -> Block | None:
        """The state whose lines an offset stands in: the last that is declared before it."""
        before = [block for block in self.blocks if block.span.start <= offset and block.kind in _HEADS]
        last = max(before, key=lambda block: block.span.start, default=None)
        return last if last and last.kind == "state" else None


_HEADS = ("agent", "state", "constant", "class", "test", "part", "start")


def names_of(source: Source) -> FileNames:
    """All names of a text, even with errors."""
    lines = parse(source).lines
    blocks = blocks_of(lines)
    collector = _Collector(blocks)
    for line in lines:
        collector.line(line)
    occurrences = tuple(sorted(collector.occurrences, key=lambda o: (o.span.start, o.span.end)))
    return FileNames(source, lines, blocks, occurrences, collector.states)


class _Collector:
    """Walks the lines of a file and notes the meaning of each name."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.occurrences: list[Occurrence] = []
        self.states: dict[str, Block] = {}
        self.top: dict[str, tuple[str, int]] = {}
        self.parts: dict[str, tuple[str, int]] = {}
        self.local: dict[str, tuple[str, int]] = {}
        self.state_parameters: set[str] = set()
        for block in blocks:
            for name in block.names:
                if block.kind == "state":
                    self.states.setdefault(name.name, block)
                elif block.kind == "part":
                    self.parts[name.name] = ("part", FILE_WIDE)
                elif block.kind in ("class", "constant"):
                    self.top.setdefault(name.name, (block.kind, FILE_WIDE))
            if isinstance(block.node, s.Header):
                for param in block.node.params:
                    self.top.setdefault(param.name.name, ("parameter", FILE_WIDE))

    def note(self, name: s.Name, kind: str, scope: int = FILE_WIDE, declares: bool = False) -> None:
        self.occurrences.append(Occurrence(name.span, name.name, kind, scope, declares))

    def mention(self, name: s.Name, known: Known) -> bool:
        """Notes a name of something other than a state; whether it is known."""
        meant = known.get(name.name)
        if meant:
            self.note(name, *meant)
        return meant is not None

    def line(self, line: ParsedLine) -> None:
        node = line.node
        if isinstance(node, s.Rule):
            self.rule(node)
            return
        if node is None:
            self.broken(line.line.tokens)
            return
        self.local, self.state_parameters = {}, set()
        if isinstance(node, s.Header):
            self.header(node)
        elif isinstance(node, s.Use):
            for name in node.names:
                self.note(name, "state")
            self.file(node.path)
        elif isinstance(node, s.ClassDecl):
            if node.name:
                self.note(node.name, "class", declares=True)
            self.expression(node.members, self.top)
        elif isinstance(node, s.Let):
            self.note(node.name, "constant", declares=True)
            self.expression(node.value, self.top)
        elif isinstance(node, s.InputClause):
            self.input(node)
        elif isinstance(node, s.OutputClause):
            self.expression(node.value, {**self.top, **self.parts})
        elif isinstance(node, s.StartLine):
            self.target(node.target, self.top)
        elif isinstance(node, s.StateLine):
            self.state(node)
        elif isinstance(node, s.Test) and node.state is not None:
            self.target(node.state, self.top)

    def header(self, node: s.Header) -> None:
        self.note(node.name, "agent", declares=True)
        self.parameters(node.params, FILE_WIDE)
        if node.origin:
            self.note(node.origin.agent, "agent")
            for binding in node.origin.bindings:
                if binding.name:
                    self.note(binding.name, "argument")
                self.expression(binding.value, self.top)
            self.file(node.origin.path)

    def file(self, path: s.Text) -> None:
        self.note(s.Name(path.span, path.value), "file")

    def parameters(self, params: Iterable[s.Param], scope: int) -> None:
        for param in params:
            if param.relation != ":":
                self.expression(param.domain, {**self.top, **self.local})
            if param.default is not None and param.relation != "=":
                self.expression(param.default, {**self.top, **self.local})
            self.note(param.name, "parameter", scope, declares=True)
            if scope != FILE_WIDE:
                self.local[param.name.name] = ("parameter", scope)
            if wants(param) == "state":
                self.state_parameters.add(param.name.name)

    def state(self, node: s.StateLine) -> None:
        for name in node.names:
            self.note(name, "state", declares=True)
        self.parameters(node.params, node.span.start)

    def input(self, node: s.InputClause) -> None:
        for part in node.parts:
            if part.name:
                self.note(part.name, "part", declares=True)
            self.piece(part.piece)
        if node.condition:
            self.expression(node.condition, {**self.top, **self.parts})

    def piece(self, piece: s.Piece) -> None:
        if isinstance(piece, s.One):
            self.expression(piece.members, self.top)
        elif isinstance(piece, s.Choice):
            for option in piece.options:
                self.piece(option)
        elif isinstance(piece, s.Sequence):
            for part in piece.parts:
                self.piece(part.piece)
        else:
            self.piece(piece.piece)
            for count in (piece.least, piece.most) if isinstance(piece, s.Times) else ():
                if count is not None:
                    self.expression(count, self.top)

    def rule(self, rule: s.Rule) -> None:
        known: dict[str, tuple[str, int]] = {**self.top, **self.local}
        if rule.pattern.members is not None:
            self.expression(rule.pattern.members, known)
        if rule.pattern.variable:
            scope = rule.span.start
            self.note(rule.pattern.variable, "variable", scope, declares=True)
            known[rule.pattern.variable.name] = ("variable", scope)
        action = rule.action
        steps = (action.write, action.move) if isinstance(action, s.Step) else ()
        for node in (rule.guard, *steps):
            if node is not None:
                self.expression(node, known)
        if not isinstance(action, s.Halt) and action.target is not None:
            self.target(action.target, known)

    def target(self, node: s.Expr, known: Known) -> None:
        """A place where a state is meant."""
        if isinstance(node, s.Text):
            self.note(s.Name(node.span, node.value), "state")
        elif isinstance(node, s.Direction):
            self.note(s.Name(node.span, node.move), "state")
        elif isinstance(node, s.Name):
            if node.name in self.state_parameters:
                self.mention(node, known)
            elif node.name != HALT:
                self.note(node, "state")
        elif isinstance(node, s.Call):
            self.note(node.name, "state")
            declared = self.states.get(node.name.name)
            header = declared.node if declared else None
            params = header.params if isinstance(header, s.StateLine) else ()
            for place, arg in enumerate(node.args):
                self.argument(arg, wants(params[place]) if place < len(params) else "", known)

    def argument(self, node: s.Expr, kind: str, known: Known) -> None:
        """An argument of a state; where its kind is not known, a name that is nothing else is a state."""
        is_call = isinstance(node, s.Call) and node.name.name in self.states
        unknown = isinstance(node, s.Name) and node.name not in known
        if kind == "state" or (not kind and (is_call or unknown)):
            self.target(node, known)
        else:
            self.expression(node, known)

    def expression(self, node: s.Expr, known: Known) -> None:
        stack: list[s.Expr] = [node]
        while stack:
            node = stack.pop()
            if isinstance(node, s.Name):
                self.mention(node, known)
            elif isinstance(node, s.Call):
                self.mention(node.name, known)
            stack += s.children(node)

    def broken(self, tokens: tuple[Token, ...]) -> None:
        """The known names of a line that cannot be parsed."""
        if tokens and tokens[0].value in RECOVERED and tokens[0].type == "word":
            self.local, self.state_parameters = {}, set()
        known: dict[str, tuple[str, int]] = {**self.top, **self.parts, **self.local}
        for place, token in enumerate(tokens):
            if token.type not in ("word", "STRING"):
                continue
            before = tokens[place - 1].value if place else ""
            name = s.Name(token.span, token.value)
            if before == "from" and token.type == "STRING":
                self.note(name, "file")
            elif place == 1 and before in RECOVERED:
                self.note(name, RECOVERED[before], declares=True)
            elif token.type == "word" and not (before in ("->", "as", "start") or token.value not in known):
                self.mention(name, known)
            elif token.value in self.states:
                self.note(name, "state")


def wants(param: s.Param) -> str:
    """The kind of a state's parameter: state, class, word, move or value."""
    if param.relation != ":":
        return "value"
    word = param.domain.name if isinstance(param.domain, s.Name) else ""
    return word if word in ("state", "class", "word") else "move"
