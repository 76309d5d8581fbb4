"""From text to an `Agent`: every line is parsed on its own, so a broken one hides no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gridlang.diagnostics import Diagnostic, Edit, Fix, replacing, respelt, suggest
from gridlang.source import Source, Span
from gridlang.syntax import tree as s
from gridlang.syntax.grammar import Rejected, parse_tokens
from gridlang.syntax.recovery import BrokenLine, Partial, broken_header, broken_state, lacks
from gridlang.syntax.scanner import Comment, Line, Token, scan
from gridlang.vocabulary import HALT, HEADERS

MOST_MENDED = 20  # complaints of the scanner whose fixes are tried
MAX_DEPTH = 100  # passes over the tree recurse on Python's stack


class ParsedLine(NamedTuple):
    """A line with its node; None for a blank line, a comment alone, or an error."""

    line: Line
    node: s.Node | None

    @property
    def comments(self) -> tuple[Comment, ...]:
        return self.line.comments


class Parsed(NamedTuple):
    """All that was read of a file. `agent` is None exactly when there are errors; `partial` never is."""

    source: Source
    lines: tuple[ParsedLine, ...]
    agent: s.Agent | None
    diagnostics: tuple[Diagnostic, ...]
    partial: Partial


def parse(source: Source) -> Parsed:
    """Parses a whole file and returns all syntax errors at once."""
    raw, complaints = scan(source)
    diagnostics = list(complaints)
    lines, nodes = [], list[s.Node | BrokenLine]()
    block = ""
    for line in raw:
        block, node = _parse_line(line, block, diagnostics)
        lines.append(ParsedLine(line, None if isinstance(node, BrokenLine) else node))
        nodes += [node] if node else []
    partial = _assemble(source, nodes, diagnostics)
    return Parsed(source, tuple(lines), None if diagnostics else partial.agent, tuple(diagnostics), partial)


def parse_line(kind: str, source: Source) -> Any:
    """The node of a text that is one line of a known kind, such as an input clause."""
    from gridlang.diagnostics import GridError

    lines, diagnostics = scan(source)
    tokens = tuple(t for line in lines for t in line.tokens)
    if diagnostics or not tokens:
        raise GridError(diagnostics or [Diagnostic("G010", "there is nothing here", Span(source, 0, 0))])
    node, error = _feed(kind, tokens)
    if error:
        raise GridError([error])
    return node


def _parse_line(
    line: Line, block: str, diagnostics: list[Diagnostic]
) -> tuple[str, s.Node | BrokenLine | None]:
    """The block that the next line stands in, and this line's node."""
    if not line.tokens:
        return block, None
    first = line.tokens[0]
    kind = first.value if first.type == "word" and first.value in HEADERS else ""
    if not kind:
        stray = _stray(line, first, block)
        if stray:
            diagnostics += () if line.damaged else stray.complaints
            node, error = _feed(f"{stray.kind}_line", stray.meant) if stray.meant else (None, None)
            return stray.block, BrokenLine(line.span, stray.kind) if error or not node else node
    block = kind or block
    kind = kind or _INSIDE.get(block, "")
    if line.damaged:
        _mend(line, kind, diagnostics)
        return block, BrokenLine(line.span, kind)
    node, error = _feed(f"{kind}_line", line.tokens)
    if error:
        diagnostics.append(error)
        return block, BrokenLine(line.span, kind)
    return block, node


def _mend(line: Line, kind: str, diagnostics: list[Diagnostic]) -> None:
    for place, found in enumerate(diagnostics[:MOST_MENDED]):
        if kind and found.span and line.span.start <= found.span.start <= line.span.end:
            from gridlang.syntax.repairs import mended

            diagnostics[place] = mended(found, kind, line)


_INSIDE = {"alphabet": "class", "state": "rule"}
STRAY = "?"  # the block of lines that belong to no declaration, which only the first of them says


class _Stray(NamedTuple):
    """A line outside blocks that declares nothing: the message, the likely meaning, how to continue."""

    block: str
    kind: str
    complaints: tuple[Diagnostic, ...] = ()
    meant: tuple[Token, ...] = ()


def _stray(line: Line, first: Token, block: str) -> _Stray | None:
    flush = first.span.source.position(first.span.start)[1] == 1
    near = suggest(first.value, HEADERS) if first.type == "word" and flush else ""
    marks = [token.value for token in line.tokens if token.type == "mark"]
    words = [token.value for token in line.tokens if token.type == "word"]
    second = line.tokens[1] if len(line.tokens) > 1 else None
    if near and not _fits(block, second, ":" in marks):
        hint, fixes = respelt(first.value, HEADERS, first.span)
        message = f"`{first.value}` is not a declaration"
        meant = (first._replace(value=near), *line.tokens[1:])
        return _Stray(near, near, (Diagnostic("G011", message, first.span, "", hint, fixes=fixes),), meant)
    if second and second.value in HEADERS and first.type == "word" and flush:
        hint = f"`{second.value}` comes first"
        swap = (Edit(first.span, second.value), Edit(second.span, first.value))
        fixes = (Fix(f"swap `{first.value}` and `{second.value}`", swap),)
        message = f"`{second.value}` does not begin its line"
        return _Stray(
            second.value, second.value, (Diagnostic("G011", message, second.span, "", hint, fixes=fixes),)
        )
    if block == "state" or (block == "alphabet" and ":" not in marks):
        return None
    if block == STRAY:
        return _Stray(STRAY, "")
    message = "this line belongs to no declaration"
    above = Span(first.span.source, line.span.start, line.span.start)
    if ":" in marks:
        hint = "rules stand below a `state` line"
        fixes = (replacing(above, "state NAME\n", False, "add `state NAME`"),)
        complaint = Diagnostic("G011", message, first.span, "this is a rule", hint, fixes=fixes)
        return _Stray("state", "state", (complaint,))
    at_start = Span(first.span.source, first.span.start, first.span.start)
    if not block and first.type == "word" and (second is None or second.value == "(" or "from" in words):
        hint, fixes = "a file starts with `agent NAME`", (replacing(at_start, "agent "),)
        complaint = Diagnostic("G011", message, first.span, "", hint, fixes=fixes)
        return _Stray("agent", "agent", (complaint,), (Token("word", "agent", at_start), *line.tokens))
    if first.type in ("STRING", "PICTURE"):
        hint, fixes = "a test starts with `test`", (replacing(at_start, "test "),)
        complaint = Diagnostic("G011", message, first.span, "", hint, fixes=fixes)
        return _Stray("test", "test", (complaint,), (Token("word", "test", at_start), *line.tokens))
    if second and second.value == "=":
        hint = "classes stand below an `alphabet` line"
        fixes = (replacing(above, "alphabet\n", title="add `alphabet`"),)
        complaint = Diagnostic("G011", message, first.span, "this is a class", hint, fixes=fixes)
        return _Stray("alphabet", "class", (complaint,))
    hint = f"a line starts with one of {', '.join(HEADERS)}"
    return _Stray(STRAY, "", (Diagnostic("G011", message, first.span, "", hint),))


def _fits(block: str, second: Token | None, colon: bool) -> bool:
    """Whether a line whose first word is nearly a declaration may be a line of its block all the same."""
    if second is None:
        return False
    if second.type != "mark" and second.value not in ("in", "if", "except"):
        return False
    return (block == "state" and colon) or (block == "alphabet" and second.value != "(")


def _feed(kind: str, tokens: tuple[Token, ...]) -> tuple[Any, Diagnostic | None]:
    try:
        node = parse_tokens(kind, tokens)
    except Rejected as stop:
        from gridlang.syntax.error_texts import explain_syntax_error

        return None, explain_syntax_error(kind, tokens, stop.index, stop.accepted)
    if len(tokens) > MAX_DEPTH and _too_deep(node):
        span = tokens[0].span.to(tokens[-1].span)
        return None, Diagnostic("G008", f"this is nested more than {MAX_DEPTH} deep", span, "split it up")
    return node, None


def _too_deep(node: Any) -> bool:
    stack = [(node, 0)]
    while stack:
        current, depth = stack.pop()
        if depth > MAX_DEPTH:
            return True
        if isinstance(current, tuple) and not isinstance(current, Span):
            stack += [(child, depth + 1) for child in current]
    return False


class _Blocks(NamedTuple):
    states: list[tuple[s.StateLine, list[s.Rule]]]
    headers: list[s.Header]
    uses: list[s.Use]
    classes: list[s.ClassDecl]
    inputs: list[s.InputClause]
    outputs: list[s.OutputClause]
    lets: list[s.Let]
    starts: list[s.StartLine]
    tests: list[s.Test]


def _assemble(source: Source, nodes: list[s.Node | BrokenLine], diagnostics: list[Diagnostic]) -> Partial:
    holes: set[int] = set()
    broken = tuple(node for node in nodes if isinstance(node, BrokenLine))
    kinds = s.Header, s.Use, s.ClassDecl, s.InputClause, s.OutputClause, s.Let, s.StartLine, s.Test
    alone: list[Any] = [[node for node in nodes if isinstance(node, kind)] for kind in kinds]
    blocks = _Blocks([], *alone)
    for node in nodes:
        if isinstance(node, s.StateLine):
            blocks.states.append((node, []))
        elif isinstance(node, s.Rule):
            blocks.states[-1][1].append(node)
        elif isinstance(node, BrokenLine) and node.kind == "state":
            blocks.states.append((broken_state(node), []))
        elif isinstance(node, BrokenLine) and node.kind == "rule":
            holes.add(len(blocks.states) - 1)
    diagnostics += _structure(source, blocks, broken)
    first = next((line for line in broken if line.kind in ("agent", "library")), None)
    agent = s.Agent(
        header=blocks.headers[0] if blocks.headers else broken_header(first, Span(source, 0, 0)),
        classes=tuple(blocks.classes),
        input=blocks.inputs[0] if blocks.inputs else None,
        output=blocks.outputs[0] if blocks.outputs else None,
        start=blocks.starts[0] if blocks.starts else None,
        states=tuple(s.StateDecl(header, tuple(rules)) for header, rules in blocks.states),
        tests=tuple(blocks.tests),
        lets=tuple(blocks.lets),
        uses=tuple(blocks.uses),
    )
    return Partial(agent, broken, frozenset(holes))


def _is_halt(target: s.Expr) -> bool:
    return isinstance(target, s.Name) and target.name == HALT


def _structure(source: Source, blocks: _Blocks, broken: tuple[BrokenLine, ...]) -> Iterator[Diagnostic]:
    """Complaints about declarations that are missing or given twice."""
    once: dict[str, list[Any]] = {
        "agent": blocks.headers,
        "input": blocks.inputs,
        "output": blocks.outputs,
        "start": blocks.starts,
    }
    for word, nodes in once.items():
        for extra in nodes[1:]:
            yield Diagnostic(
                "G013", f"`{word}` is declared twice", extra.span, "again here", "keep one of them"
            )
    if blocks.headers:
        yield from _required(blocks.headers[0], blocks, broken)
    elif not lacks(broken, "agent", "library"):
        top = Span(source, 0, 0)
        yield Diagnostic("G012", "there is no `agent` line", top, "", "start the file with `agent NAME`")


def _required(header: s.Header, blocks: _Blocks, broken: tuple[BrokenLine, ...]) -> Iterator[Diagnostic]:
    """Complaints about what a file of this kind needs and has not, or has and may not."""
    own: list[Any] = [*blocks.classes, *blocks.lets, *blocks.inputs, *blocks.outputs, *blocks.starts]
    if header.library:
        for node in [*own, *blocks.tests][:1]:
            hint = (
                "pass a class as a parameter, as in `state walk(over: class)`; declare all else in the agent"
            )
            yield Diagnostic("G014", "a library holds only states", node.span, "", hint)
        if not blocks.states and not lacks(broken, "state"):
            hint = "add a line `state NAME` with rules below it"
            yield Diagnostic("G012", "this library has no states", header.span, "", hint)
    elif header.origin:
        own += [*blocks.uses, *(state for state, _ in blocks.states)]
        for node in own[:1]:
            hint = f'tests may follow; everything else comes from "{header.origin.path.value}"'
            yield Diagnostic("G014", "an agent taken from a file declares nothing else", node.span, "", hint)
    elif lacks(broken, "start"):
        return
    elif not (blocks.states or blocks.uses or any(_is_halt(start.target) for start in blocks.starts)):
        if lacks(broken, "state", "use"):
            return
        hint = "add a line `state NAME` with rules below it"
        yield Diagnostic("G012", "this agent has no states", header.span, "", hint)
    elif not blocks.starts:
        names = blocks.states[0][0].names if blocks.states else blocks.uses[0].names
        if not names:  # that of the first state is broken
            return
        from gridlang.syntax.unparse import state_name

        line = f"start {state_name(names[0].name)}"
        place = blocks.states[0][0].span if blocks.states else header.span.after()
        text = f"{line}\n\n" if blocks.states else f"\n\n{line}"
        fixes = (replacing(Span(place.source, place.start, place.start), text, title=f"add `{line}`"),)
        hint = f"add a line `start {names[0].name}`"
        yield Diagnostic("G012", "there is no `start` line", header.span, "", hint, fixes=fixes)
