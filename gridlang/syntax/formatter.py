"""The canonical layout of a `.grid` file, every comment kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from gridlang.diagnostics import Fault, GridError, fail
from gridlang.source import Source, Span
from gridlang.syntax import tree as s
from gridlang.syntax import unparse
from gridlang.syntax.parser import Parsed, ParsedLine, parse
from gridlang.vocabulary import is_state_name

WIDEST = 30  # a longer left side does not push the marks of its block


class _Out(NamedTuple):
    """A line to be printed: what stands before and behind an aligned mark, and its comment."""

    indent: str
    left: str
    mark: str
    right: str
    comment: str
    block: int
    opens: bool = False


def format_source(source: Source) -> str:
    """The file in canonical layout, which reads as the file does; GridError if it has syntax errors."""
    if source.text.lstrip().startswith("{"):
        raise fail("G080", "this is a table: only source can be formatted", file=source.path)
    parsed = parse(source)
    if parsed.agent is None:
        raise GridError(parsed.diagnostics)
    text = layout(parsed.lines)
    _check_unchanged(parsed, parse(Source(source.path, text)))
    return text


def _check_unchanged(before: Parsed, after: Parsed) -> None:
    """GridError if the layout reads as another program, or lost a comment."""
    for old, new in zip_longest(_content(before), _content(after)):
        if old is None or new is None or old[1] != new[1]:
            span: Span = (old or new)[0]
            message = "this line would mean something else in canonical layout"
            hint = "this is a mistake in gridlang, and the file was left as it is: please report it"
            raise Fault("G088", message, span, "", hint)


def _content(parsed: Parsed) -> Iterator[tuple[Span, object]]:
    """The comments and nodes of a file, each with its place."""
    for line in parsed.lines:
        yield from ((comment.span, comment.text) for comment in line.comments)
        if line.node is not None:
            yield line.line.span, meaning(line.node)


def meaning(node: object) -> object:
    """A node as it is compared: without places in the file, spaces of pictures and quotes of plain states."""
    if isinstance(node, Span):
        return None
    if isinstance(node, s.Picture):
        return unparse.world(node)
    if isinstance(node, s.As | s.StartLine | s.Step):
        node = node._replace(target=_state_bare(node.target))
    if isinstance(node, s.Test):
        node = node._replace(state=_state_bare(node.state))
    if isinstance(node, tuple):
        return (type(node).__name__, *map(meaning, node))
    return node


def _state_bare(target: Any) -> Any:
    """A state that was quoted although its name needs no quotes, without them."""
    if isinstance(target, s.Text) and is_state_name(target.value):
        return s.Name(target.span, target.value)
    return target


def layout(lines: tuple[ParsedLine, ...]) -> str:
    outs: list[_Out] = []
    block = 0
    last: s.Node | None = None
    for line in lines:
        opens = line.node is not None and _opens(line.node, last)
        block += opens
        last = line.node or last
        outs += _outs(line, block, isinstance(last, _INDENTED), opens)
    blocks = (list(block) for _, block in groupby(outs, key=lambda out: out.block))
    texts = [text for block in blocks for text in _aligned(block)]
    return "".join(text + "\n" for text in _spaced(outs, texts))


def _opens(node: s.Node, last: s.Node | None) -> bool:
    if isinstance(node, s.StateLine | s.AlphabetLine | s.InputClause | s.StartLine):
        return True
    if isinstance(node, s.Let):
        return not isinstance(last, s.Header | s.Let)
    return isinstance(node, s.OutputClause | s.Test | s.Use) and not isinstance(
        last, s.InputClause | type(node)
    )


_INDENTED = (s.Rule, s.ClassDecl, s.StateLine, s.AlphabetLine)


def _outs(line: ParsedLine, block: int, inside: bool, opens: bool) -> Iterator[_Out]:
    """The output lines of one input line; comments from within a long line go above it."""
    comments = [f"# {c.text}".rstrip() for c in line.comments]
    if line.node is None:
        own = line.comments[0].span if line.comments else None
        flush = own is None or own.source.position(own.start)[1] == 1
        yield _Out("" if flush or not inside else "  ", "", "", "", comments[0] if comments else "", block)
        return
    last = line.line.tokens[-1].span
    trailing = comments.pop() if comments and line.comments[-1].span.start >= last.end else ""
    indent = "  " if isinstance(line.node, s.Rule | s.ClassDecl) else ""
    for comment in comments:
        yield _Out(indent, "", "", "", comment, block)
    left, mark, right = line_pieces(line.node)
    yield _Out(indent, left, mark, right, trailing, block, opens)


def line_pieces(node: s.Node) -> tuple[str, str, str]:
    """A line as what stands before an aligned mark, the mark, and what stands behind it."""
    if isinstance(node, s.Rule):
        return unparse.pattern(node), " : ", unparse.action(node.action)
    if isinstance(node, s.ClassDecl):
        members = unparse.expression(node.members, level=5)
        return (node.name.name, " = ", members) if node.name else (members, "", "")
    return _LINES[type(node)](node), "", ""


_LINES: dict[type, Callable[[Any], str]] = {
    s.AlphabetLine: lambda _: "alphabet",
    s.Header: unparse.header,
    s.InputClause: lambda node: f"input {unparse.input_clause(node)}",
    s.Let: lambda node: f"let {node.name.name} = {unparse.expression(node.value)}",
    s.OutputClause: lambda node: f"output {unparse.expression(node.value)}",
    s.StartLine: lambda node: f"start {unparse.target(node.target)}",
    s.StateLine: lambda node: f"state {unparse.state_names(node.names)}{unparse.parameters(node.params)}",
    s.Test: unparse.test,
    s.Use: unparse.use,
}


def _aligned(block: list[_Out]) -> Iterator[str]:
    """Marks line up within a block, and so do the comments behind its lines."""
    lefts = [len(out.left) for out in block if out.mark and len(out.left) <= WIDEST]
    column = max(lefts, default=0)
    bodies = [
        out.indent + (out.left.ljust(column) + out.mark + out.right if out.mark else out.left)
        for out in block
    ]
    lasts = [len(body.rsplit("\n", 1)[-1]) for body in bodies]
    noted = [n for n, body, out in zip(lasts, bodies, block, strict=True) if out.comment and body.strip()]
    margin = max((n for n in noted if n <= 64), default=0)
    for body, last, out in zip(bodies, lasts, block, strict=True):
        if out.comment and body.strip():
            yield f"{body}{' ' * max(0, margin - last)}  {out.comment}"
        else:
            yield (body + out.comment).rstrip()


def _spaced(outs: list[_Out], lines: list[str]) -> Iterator[str]:
    """At most one blank line in a row, none at the ends, one before each opening line.

    Comments right above an opening line belong to it.
    """
    wanted = set()
    for index, out in enumerate(outs):
        if out.opens:
            while index and lines[index - 1].startswith("#"):
                index -= 1
            wanted.add(index)
    printed = blank = False
    for index, line in enumerate(lines):
        if not line.strip():
            blank = printed
            continue
        if blank or (printed and index in wanted):
            yield ""
        blank, printed = False, True
        yield line
