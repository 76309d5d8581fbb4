"""What hovering shows: the meaning of a name, and its values."""

from __future__ import annotations

import os
import re

from gridlang.compiler.language_server import words
from gridlang.compiler.language_server.analysis import Expansion, Summary
from gridlang.compiler.language_server.names import FILE_WIDE, Block, FileNames, Occurrence, wants
from gridlang.compiler.language_server.project import Entity, Project
from gridlang.diagnostics import counted
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.scanner import Token
from gridlang.vocabulary import quote

MOST_SYMBOLS = 60  # of a class, in a hover
MOST_STUCK = 3  # states named with their missing symbols: they fit on a line


def hover(project: Project, path: str, offset: int, summary: Summary) -> tuple[str, Span] | None:
    """Markdown about what stands at an offset, and the span that it is about."""
    names = project.names(path)
    if names is None:
        return None
    occurrence = names.at(offset)
    about = _name(project, path, occurrence, summary) if occurrence else []
    span = occurrence.span if occurrence else None
    token = _token(names, offset)
    if token and not about:
        span, about = token.span, _word(token, names, path, summary)
    if not about:
        return None
    return "\n\n".join(about), span or Span(names.source, offset, offset)


def _token(names: FileNames, offset: int) -> Token | None:
    line = names.line_at(offset)
    tokens = line[1].line.tokens if line else ()
    return next((t for t in tokens if t.span.start <= offset < t.span.end), None)


def _name(project: Project, path: str, occurrence: Occurrence, summary: Summary) -> list[str]:
    entity = project.entity(path, occurrence)
    names = project.names(entity.path) if entity else None
    if entity is None or names is None:
        return []
    if entity.kind == "file":
        return _file(names)
    if entity.kind in _KINDS:
        return _KINDS[entity.kind](names, entity, summary)
    declared = names.declared(entity.kind).get(entity.name)
    if declared is None:
        return []
    shown = [_declaration(declared)]
    if entity.kind == "class" and entity.name in summary.classes:
        shown.append(_symbols(summary.classes[entity.name]))
    elif entity.kind == "constant" and entity.name in summary.values:
        shown.append(f"It is {inline(summary.values[entity.name])}.")
    elif entity.kind == "agent" and summary.size and entity.path == path:
        shown.append(f"It has {summary.size}.")
    return [*shown, *_about(declared)]


def _declaration(declared: Block) -> str:
    """The line that declares something, as it is written."""
    node = declared.node
    span = node.span if node is not None else declared.span
    return block(" ".join(span.text.split("\n")[0].split()))


def _about(declared: Block) -> list[str]:
    return [plain(declared.about)] if declared.about else []


def _file(names: FileNames) -> list[str]:
    header = names.header
    kind = "library" if header and header.library else "agent"
    title = f"{kind} {header.name.name}" if header else os.path.basename(names.source.path)
    first = [*names.states][:MOST_SYMBOLS]
    states = ", ".join(map(inline, first)) + (" …" if len(names.states) > len(first) else "")
    about = next((b for b in names.blocks if b.kind == "agent"), None)
    return [block(title), *(_about(about) if about else []), *([f"States: {states}"] if first else [])]


def _state(names: FileNames, entity: Entity, summary: Summary) -> list[str]:
    declared = names.states[entity.name]
    first = declared.names[0].name
    shown = [_declaration(declared), *_about(declared)]
    reached = summary.states.get(first)
    if reached is None:
        return shown if not summary.size else [*shown, "No rule leads here from the start state."]
    if declared.params:
        shown.append(f"{counted(reached.number, 'state')}: {_listed(reached)}")
    missing = [f"{inline(name)} on {gaps}" for name in reached.some if (gaps := summary.gaps.get(name, ""))]
    if missing:
        more = " …" if len(missing) > MOST_STUCK else ""
        shown.append(f"Stuck: {'; '.join(missing[:MOST_STUCK])}{more}")
    return shown


def _listed(expansion: Expansion) -> str:
    more = " …" if expansion.number > len(expansion.some) else ""
    return ", ".join(map(inline, expansion.some)) + more


def _parameter(names: FileNames, entity: Entity, summary: Summary) -> list[str]:
    headers = [line.node for line in names.lines if isinstance(line.node, s.StateLine | s.Header)]
    params = {FILE_WIDE if isinstance(node, s.Header) else node.span.start: node.params for node in headers}
    node = next((param for param in params.get(entity.scope, ()) if param.name.name == entity.name), None)
    if node is None:
        return []
    kinds = {"state": "a state", "class": "a class of symbols", "move": "a move"}
    kind = "a word" if node.relation == "=" else kinds.get(wants(node), "a number or symbol")
    owner = "agent" if entity.scope == FILE_WIDE else "state"
    shown = [block(node.span.text), f"A parameter of the {owner}: {kind}."]
    if entity.scope == FILE_WIDE and entity.name in summary.values:
        shown.append(f"It is {inline(summary.values[entity.name])}.")
    domain = node.domain
    if isinstance(domain, s.Name) and domain.name in summary.classes and node.relation == "in":
        shown.append(_symbols(summary.classes[domain.name]))
    return shown


def _variable(names: FileNames, entity: Entity, summary: Summary) -> list[str]:
    rule = next((n.node for n in names.lines if n.node and n.node.span.start == entity.scope), None)
    if not isinstance(rule, s.Rule) or rule.pattern.members is None:
        return []
    members = rule.pattern.members
    shown = [block(rule.pattern.span.text), "The symbol that was read."]
    if isinstance(members, s.Name) and members.name in summary.classes:
        shown.append(_symbols(summary.classes[members.name]))
    return shown


_KINDS = {"state": _state, "parameter": _parameter, "variable": _variable}


def _symbols(chars: str) -> str:
    first = " ".join(map(quote, chars[:MOST_SYMBOLS])) + (" …" if len(chars) > MOST_SYMBOLS else "")
    return f"{counted(len(chars), 'symbol')}: {inline(first)}"


def _word(token: Token, names: FileNames, path: str, summary: Summary) -> list[str]:
    """What a word, a mark, a move or a symbol means; within a rule also what that rule does."""
    shown: list[str] = []
    line = names.line_at(token.span.start)
    node = line[1].node if line else None
    if token.type in ("word", "BLANK") and token.value in words.WORDS:
        form, meaning = words.WORDS[token.value]
        shown = [block(form), meaning]
    elif token.type == "MOVE":
        shown = [f"{inline(token.value)}: {words.MOVES[token.value]}"]
    elif token.type == "word":
        functions = words.OUTPUT_FUNCTIONS if isinstance(node, s.OutputClause) else words.RULE_FUNCTIONS
        if token.value in functions:
            arguments, meaning = functions[token.value]
            shown = [block(f"{token.value}({', '.join(arguments)})"), meaning]
    elif token.type == "SYMBOL":
        homes = [name for name, chars in summary.classes.items() if token.value in chars]
        where = f", in {', '.join(map(inline, homes))}" if homes else ""
        shown = [f"The symbol {inline(token.value)}{where}"]
    if isinstance(node, s.Rule) and (expansion := summary.rules.get((path, node.span.start))):
        more = f"\n… {expansion.number:,} in all" if expansion.number > len(expansion.some) else ""
        shown.append(block("\n".join(expansion.some) + more))
    return shown


def inline(text: str) -> str:
    """A text as code within a line, without markup."""
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def block(text: str, language: str = "grid") -> str:
    """Lines as a block of code."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def plain(text: str) -> str:
    """Text of a comment, without markup or links."""
    escaped = re.sub(r"([\\`*_\[\]()#!~|])", r"\\\1", text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
