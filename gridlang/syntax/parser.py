"""From text to an `Agent`: every line is parsed on its own, so a broken one hides no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gridlang.diagnostics import Diagnostic, Edit, Fix, nearest, replacing
from gridlang.source import Source, Span
from gridlang.syntax import tree as s
from gridlang.syntax.grammar import Rejected, parse_tokens
from gridlang.syntax.recovery import BrokenLine, Partial, broken_header, lacks
from gridlang.syntax.scanner import Comment, Line, Token, scan
from gridlang.vocabulary import HALT, HEADER_WORDS, HEADERS

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
            node, error = _feed(stray.kind, stray.meant) if stray.meant else (None, None)
            for found in () if line.damaged else stray.complaints:
                unsure = tuple(fix._replace(sure=fix.sure and not error) for fix in found.fixes)
                diagnostics.append(found._replace(fixes=unsure))
            return stray.block, BrokenLine(line.span, stray.kind) if error or not node else node
    block = kind or block
    kind = kind or _INSIDE.get(block, "")
    if line.damaged:
        _mend(line, kind, diagnostics)
        return block, BrokenLine(line.span, kind)
    node, error = _feed(kind, line.tokens)
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
    near = _nearest_headers(line, first.value) if first.type == "word" and flush else ()
    marks = [token.value for token in line.tokens if token.type == "mark"]
    words = [token.value for token in line.tokens if token.type == "word"]
    second = line.tokens[1] if len(line.tokens) > 1 else None
    place, label, meant = first.span, "", tuple[Token, ...]()
    message, kind = "this line belongs to no declaration", ""
    above, at_start = Span(place.source, line.span.start, line.span.start), place.before()
    if near and not _fits(block, second, ":" in marks):
        message, kind, hint = f"`{first.value}` is not a declaration", near[0], f"did you mean `{near[0]}`?"
        fixes = tuple(replacing(place, each, len(near) == 1) for each in near)
        meant = (first._replace(value=kind), *line.tokens[1:])
    elif second and second.value in HEADERS and first.type == "word" and flush:
        kind, hint = second.value, f"`{second.value}` comes first"
        message = f"`{kind}` does not begin its line"
        swap = (Edit(place, second.value), Edit(second.span, first.value))
        fixes = (Fix(f"swap `{first.value}` and `{second.value}`", swap),)
        meant = (second._replace(span=place), first._replace(span=second.span), *line.tokens[2:])
        place = second.span
    elif block == "state" or (block == "alphabet" and ":" not in marks):
        return None
    elif block == STRAY:
        return _Stray(STRAY, "")
    elif ":" in marks:
        kind, label, hint = "state", "this is a rule", "rules stand below a `state` line"
        fixes = (replacing(above, "state NAME\n", False, "add `state NAME`"),)
    elif not block and first.type == "word" and (second is None or second.value == "(" or "from" in words):
        kind, hint, fixes = "agent", "a file starts with `agent NAME`", (replacing(at_start, "agent "),)
        meant = (Token("word", kind, at_start), *line.tokens)
    elif first.type in ("STRING", "PICTURE"):
        kind, hint, fixes = "test", "a test starts with `test`", (replacing(at_start, "test "),)
        meant = (Token("word", kind, at_start), *line.tokens)
    elif second and second.value == "=":
        kind, label, hint = "class", "this is a class", "classes stand below an `alphabet` line"
        fixes = (replacing(above, "alphabet\n", title="add `alphabet`"),)
    else:
        hint, fixes = f"a line starts with one of {', '.join(HEADERS)}", ()
    after = {"": STRAY, "class": "alphabet"}.get(kind, kind)
    return _Stray(after, kind, (Diagnostic("G011", message, place, label, hint, fixes),), meant)


def _nearest_headers(line: Line, word: str) -> list[str]:
    """The declarations that a word may mean; only a state has something below it."""
    known = nearest(word, [*HEADERS, *HEADER_WORDS])
    near = [*dict.fromkeys(HEADER_WORDS.get(each, each) for each in known)]
    if len(near) > 1 and "state" in near:
        source, below = line.span.source, line.tokens[-1].span.line + 1
        inside = below <= len(source.starts) and source.line(below)[:1].isspace()
        return ["state"] if inside else [each for each in near if each != "state"]
    return near


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


def _assemble(source: Source, nodes: list[s.Node | BrokenLine], diagnostics: list[Diagnostic]) -> Partial:
    holes, states = set[int](), list[tuple[s.StateLine, list[s.Rule]]]()
    for node in nodes:
        if isinstance(node, s.StateLine):
            states.append((node, []))
        elif isinstance(node, s.Rule):
            states[-1][1].append(node)
        elif isinstance(node, BrokenLine) and node.kind == "state":
            states.append((s.StateLine(node.span, (), ()), []))  # without a name
        elif isinstance(node, BrokenLine) and node.kind == "rule":
            holes.add(len(states) - 1)

    def all_of(kind: type) -> tuple[Any, ...]:
        return tuple(node for node in nodes if isinstance(node, kind))

    broken: tuple[BrokenLine, ...] = all_of(BrokenLine)
    once = {"agent": s.Header, "input": s.InputClause, "output": s.OutputClause, "start": s.StartLine}
    for word, kind in once.items():
        for extra in all_of(kind)[1:]:
            message, hint = f"`{word}` is declared twice", "keep one of them"
            diagnostics.append(Diagnostic("G013", message, extra.span, "again here", hint))
    top = Span(source, 0, 0)
    first = next((line for line in broken if line.kind in ("agent", "library")), None)
    agent = s.Agent(
        header=next(iter(all_of(s.Header)), broken_header(first, top)),
        classes=all_of(s.ClassDecl),
        input=next(iter(all_of(s.InputClause)), None),
        output=next(iter(all_of(s.OutputClause)), None),
        start=next(iter(all_of(s.StartLine)), None),
        states=tuple(s.StateDecl(header, tuple(rules)) for header, rules in states),
        tests=all_of(s.Test),
        lets=all_of(s.Let),
        uses=all_of(s.Use),
    )
    if all_of(s.Header):
        diagnostics += _required(agent, broken)
    elif not lacks(broken, "agent", "library"):
        hint = "start the file with `agent NAME`"
        diagnostics.append(Diagnostic("G012", "there is no `agent` line", top, "", hint))
    return Partial(agent, broken, frozenset(holes))


def _required(agent: s.Agent, broken: tuple[BrokenLine, ...]) -> Iterator[Diagnostic]:
    """Complaints about what a file of this kind needs and has not, or has and may not."""
    header, states = agent.header, agent.states
    target = agent.start and agent.start.target
    starts_in_halt = isinstance(target, s.Name) and target.name == HALT
    own: list[Any] = [*agent.classes, *agent.lets, *filter(None, (agent.input, agent.output, agent.start))]
    if header.library:
        for node in [*own, *agent.tests][:1]:
            hint = (
                "pass a class as a parameter, as in `state walk(over: class)`; declare all else in the agent"
            )
            yield Diagnostic("G014", "a library holds only states", node.span, "", hint)
        if not states and not lacks(broken, "state"):
            hint = "add a line `state NAME` with rules below it"
            yield Diagnostic("G012", "this library has no states", header.span, "", hint)
    elif header.origin:
        for node in [*own, *agent.uses, *(state.header for state in states)][:1]:
            hint = f'tests may follow; everything else comes from "{header.origin.path.value}"'
            yield Diagnostic("G014", "an agent taken from a file declares nothing else", node.span, "", hint)
    elif lacks(broken, "start"):
        return
    elif not (states or agent.uses or starts_in_halt):
        if not lacks(broken, "state", "use"):
            hint = "add a line `state NAME` with rules below it"
            yield Diagnostic("G012", "this agent has no states", header.span, "", hint)
    elif not agent.start:
        names = states[0].header.names if states else agent.uses[0].names
        if not names:  # that of the first state is broken
            return
        from gridlang.syntax.unparse import state_name

        line = f"start {state_name(names[0].name)}"
        place = states[0].header.span.before() if states else header.span.after()
        text = f"{line}\n\n" if states else f"\n\n{line}"
        fixes = (replacing(place, text, title=f"add `{line}`"),)
        hint = f"add a line `start {names[0].name}`"
        yield Diagnostic("G012", "there is no `start` line", header.span, "", hint, fixes)
