"""The answers to an editor's questions, in the shapes of the protocol.

What an editor writes between the words: what is not written, and not seen at a glance.

Values of constants and classes that are computed, how many states a family has, the names of parameters
that get a plain value, and the move of a rule that names none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lsprotocol import types as lsp

from gridlang.compiler.language_server.analysis import Summary, path_of
from gridlang.compiler.language_server.checks import Checks
from gridlang.compiler.language_server.documents import Documents
from gridlang.compiler.language_server.features.completion import (
    Item,
    arguments_follow,
    completions,
    signature,
)
from gridlang.compiler.language_server.features.hovering import hover, plain
from gridlang.compiler.language_server.features.outline import TOKEN_TYPES, folds, semantic_tokens, symbols
from gridlang.compiler.language_server.features.renaming import rename, renamed_at
from gridlang.compiler.language_server.limits import LIMITS
from gridlang.compiler.language_server.project import Project, grid_files
from gridlang.diagnostics import Edit, counted
from gridlang.fixes import apart
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import state_name
from gridlang.vocabulary import quote

_PLAIN = (s.Number, s.Symbol, s.Text, s.Direction)
_MOST = 12  # symbols of a class: more would push the line off the screen


class Hint(NamedTuple):
    """A text at an offset, which is not part of the file; `names` a parameter or tells a value."""

    offset: int
    text: str
    names: bool = False


def hints(project: Project, path: str, summary: Summary, start: int, end: int) -> list[Hint]:
    """The hints between two offsets."""
    names = project.names(path)
    found: list[Hint] = []
    for line in names.lines if names else ():
        if line.line.span.end >= start and line.line.span.start <= end and line.node is not None:
            found += _of_line(line.node, project, path, summary)
    return sorted(hint for hint in found if start <= hint.offset <= end)


def _of_line(node: s.Node, project: Project, path: str, summary: Summary) -> Iterator[Hint]:
    if isinstance(node, s.Let) and not isinstance(node.value, _PLAIN):
        if node.name.name in summary.values:
            yield Hint(node.value.span.end, f" = {summary.values[node.name.name]}")
    elif isinstance(node, s.ClassDecl) and node.name and _computed(node.members):
        chars = summary.classes.get(node.name.name, "")
        if chars:
            yield Hint(node.members.span.end, f" = {_symbols(chars)}")
    elif isinstance(node, s.StateLine) and node.params:
        reached = summary.states.get(node.names[0].name)
        if reached:
            yield Hint(node.span.end, f" {counted(reached.number, 'state')}")
    elif isinstance(node, s.StartLine):
        yield from _arguments(node.target, project, path)
    elif isinstance(node, s.Rule):
        yield from _of_rule(node, project, path)


def _of_rule(rule: s.Rule, project: Project, path: str) -> Iterator[Hint]:
    action = rule.action
    if isinstance(action, s.Step) and action.move is None:
        place = action.write.span.end if action.write else action.span.start
        yield Hint(place, ", S" if action.write else "S ")
    if not isinstance(action, s.Halt):
        yield from _arguments(action.target, project, path)


def _arguments(target: s.Expr | None, project: Project, path: str) -> Iterator[Hint]:
    """The names of the parameters that get a plain value: a name often says itself what it is."""
    declared = project.state(path, target.name.name) if isinstance(target, s.Call) else None
    if declared is None or not isinstance(target, s.Call):
        return
    for param, argument in zip(declared[1].params, target.args, strict=False):
        if isinstance(argument, _PLAIN):
            yield Hint(argument.span.start, f"{param.name.name}: ", True)
        elif isinstance(argument, s.Call):
            yield from _arguments(argument, project, path)


def _computed(members: s.Expr) -> bool:
    """Whether a name or a sum stands in a class, so that its symbols are not seen in it."""
    if isinstance(members, s.Name | s.Call | s.Index | s.Unary | s.Conditional):
        return True
    if isinstance(members, s.Union):
        return any(map(_computed, members.parts))
    if isinstance(members, s.Binary):
        return members.op not in ("..", "except") or _computed(members.left) or _computed(members.right)
    return False


def _symbols(chars: str) -> str:
    return " ".join(map(quote, chars[:_MOST])) + (" …" if len(chars) > _MOST else "")


_ITEM_KINDS = {
    "state": lsp.CompletionItemKind.Function,
    "class": lsp.CompletionItemKind.Enum,
    "parameter": lsp.CompletionItemKind.Variable,
    "constant": lsp.CompletionItemKind.Constant,
    "part": lsp.CompletionItemKind.Field,
    "variable": lsp.CompletionItemKind.Variable,
    "keyword": lsp.CompletionItemKind.Keyword,
    "move": lsp.CompletionItemKind.EnumMember,
    "function": lsp.CompletionItemKind.Method,
    "file": lsp.CompletionItemKind.File,
}
_SYMBOL_KINDS = {
    "agent": lsp.SymbolKind.Module,
    "library": lsp.SymbolKind.Package,
    "state": lsp.SymbolKind.Function,
    "class": lsp.SymbolKind.Enum,
    "constant": lsp.SymbolKind.Constant,
    "part": lsp.SymbolKind.Field,
    "test": lsp.SymbolKind.Event,
}


class Answers:
    """Answers for one editor, which takes placeholders in what is completed, and wants hints, or does not."""

    def __init__(self, documents: Documents, checks: Checks, snippets: bool, hints: bool = True) -> None:
        self.documents, self.checks, self.snippets, self.hints = documents, checks, snippets, hints
        self.project = documents.project

    def _at(self, params: Any) -> tuple[str, int]:
        """The path and the offset that a question is about."""
        path = self.documents.path(params.text_document.uri)
        return path, self.documents.offset(path, params.position)

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        path, offset = self._at(params)
        shown = hover(self.project, path, offset, self.checks.current(path))
        if shown is None:
            return None
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, shown[0])
        return lsp.Hover(content, self.documents.range(shown[1]))

    def definition(self, params: lsp.DefinitionParams) -> list[lsp.Location]:
        _, entity = self.project.entity_at(*self._at(params))
        return list(map(self.documents.location, self.project.definitions(entity)))

    def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        _, entity = self.project.entity_at(*self._at(params))
        declared = params.context.include_declaration
        places = self.project.references(entity) if entity else ()
        return [self.documents.location(o.span) for _, o in places if declared or not o.declares]

    def highlights(self, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        path, offset = self._at(params)
        _, entity = self.project.entity_at(path, offset)
        places = self.project.references(entity, [path]) if entity else ()
        return [lsp.DocumentHighlight(self.documents.range(o.span)) for _, o in places]

    def completion(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        path, offset = self._at(params)
        items, start = completions(self.project, path, offset)
        source = self.project.source(path)
        place = self.documents.range(Span(source, start, offset)) if source else None
        fills = self.snippets and not (source and arguments_follow(source.text, offset))
        return lsp.CompletionList(False, [self._item(item, place, fills) for item in items])

    def _item(self, item: Item, place: lsp.Range | None, fills: bool) -> lsp.CompletionItem:
        """What is offered; it `fills` arguments in where there are none yet."""
        text, form = item.text, lsp.InsertTextFormat.PlainText
        if item.arguments and fills:
            fields = (f"${{{n}:{_field(name)}}}" for n, name in enumerate(item.arguments, 1))
            text, form = f"{_field(item.text)}({', '.join(fields)})", lsp.InsertTextFormat.Snippet
        return lsp.CompletionItem(
            item.text,
            kind=_ITEM_KINDS[item.kind],
            detail=item.detail or None,
            text_edit=lsp.TextEdit(place, text) if place else None,
            filter_text=item.text,
            insert_text_format=form,
        )

    def signature(self, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        shown = signature(self.project, *self._at(params))
        if shown is None:
            return None
        arguments = [lsp.ParameterInformation(argument) for argument in shown.arguments]
        label = f"{shown.name}({', '.join(shown.arguments)})"
        about = lsp.MarkupContent(lsp.MarkupKind.Markdown, plain(shown.about)) if shown.about else None
        return lsp.SignatureHelp([lsp.SignatureInformation(label, about, arguments)], 0, shown.active)

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder:
        occurrence, _ = renamed_at(self.project, *self._at(params))
        name = state_name(occurrence.name) if occurrence.kind == "state" else occurrence.name
        return lsp.PrepareRenamePlaceholder(self.documents.range(occurrence.span), name)

    def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        edits = rename(self.project, *self._at(params), params.new_name)
        return self.documents.workspace_edit(edit for each in edits.values() for edit in each)

    def rewritten(self, path: str, text: str) -> list[lsp.TextEdit]:
        """The edit from a document to another text of it, without what is the same before and behind."""
        source = self.project.source(path)
        if source is None or source.text == text:
            return []
        old = source.text
        same = _alike(old, text)
        behind = _alike(old[same:][::-1], text[same:][::-1])
        place = Span(source, same, len(old) - behind)
        return [self.documents.text_edit(Edit(place, text[same : len(text) - behind]))]

    def code_actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        path = self.documents.path(params.text_document.uri)
        start, end = (self.documents.offset(path, at) for at in (params.range.start, params.range.end))
        fixes = [
            (fix, finding, finding.span)
            for finding in self.checks.current(path).findings
            if finding.span and path_of(finding.span) == path
            for fix in finding.fixes
        ]
        actions = [
            lsp.CodeAction(
                fix.title,
                lsp.CodeActionKind.QuickFix,
                [self.checks.diagnostic(finding)],
                is_preferred=fix.sure or None,
                edit=self.documents.workspace_edit(fix.edits),
            )
            for fix, finding, span in fixes
            if span.start <= end and start <= span.end
        ]
        sure = [fix.edits for fix, _, _ in fixes if fix.sure]
        if sure:
            own = (edits for edits in sure if {path_of(edit.span) for edit in edits} == {path})
            edit = self.documents.workspace_edit(edit for group in apart(own) for edit in group)
            title = "apply all safe fixes"
            actions.append(lsp.CodeAction(title, lsp.CodeActionKind.SourceFixAll, edit=edit))
        return [action for action in actions if _wanted(action.kind, params.context.only)]

    def document_symbols(self, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        names = self.project.names(self.documents.path(params.text_document.uri))
        return [
            lsp.DocumentSymbol(
                symbol.name,
                _SYMBOL_KINDS[symbol.kind],
                self.documents.range(symbol.span),
                self.documents.range(symbol.name_span),
                symbol.detail or None,
            )
            for symbol in (symbols(names) if names else ())
        ]

    def workspace_symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        """The declarations whose names hold what was typed, in all files of the workspace."""
        query = params.query.lower()
        files = dict.fromkeys([*list(self.project.open), *grid_files(self.project.folders)])
        matching: list[lsp.WorkspaceSymbol] = []
        for path in files:
            names = self.project.names(path)
            for symbol in symbols(names) if names else ():
                if query in symbol.name.lower() and symbol.kind != "test":
                    location = self.documents.location(symbol.name_span)
                    matching.append(lsp.WorkspaceSymbol(location, symbol.name, _SYMBOL_KINDS[symbol.kind]))
            if len(matching) > LIMITS.most_found:
                break
        return matching[: LIMITS.most_found]

    def folding(self, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        names = self.project.names(self.documents.path(params.text_document.uri))
        return [
            lsp.FoldingRange(fold.first - 1, fold.last - 1, kind=fold.kind or None)
            for fold in (folds(names) if names else ())
        ]

    def inlay_hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        path = self.documents.path(params.text_document.uri)
        source = self.project.source(path)
        if source is None or not self.hints:
            return []
        start, end = (self.documents.offset(path, at) for at in (params.range.start, params.range.end))
        kinds = {True: lsp.InlayHintKind.Parameter, False: lsp.InlayHintKind.Type}
        return [
            lsp.InlayHint(self.documents.position(source, hint.offset), hint.text, kinds[hint.names])
            for hint in hints(self.project, path, self.checks.current(path), start, end)
        ]

    def semantic_tokens(self, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        """All tokens, each relative to the one before it, as the protocol packs them."""
        names = self.project.names(self.documents.path(params.text_document.uri))
        data: list[int] = []
        line = column = 0
        for span, kind, declares in semantic_tokens(names) if names else ():
            place = self.documents.range(span)
            at, until = place.start, place.end.character
            before = column if at.line == line else 0
            data += (at.line - line, at.character - before, until - at.character)
            data += (TOKEN_TYPES.index(kind), int(declares))
            line, column = at.line, at.character
        return lsp.SemanticTokens(data)


def _alike(one: str, other: str) -> int:
    """The length of the common start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _field(text: str) -> str:
    """A text within a placeholder, with special characters escaped."""
    return "".join(f"\\{char}" if char in "\\$}" else char for char in text)


def _wanted(kind: object, only: Sequence[object] | None) -> bool:
    """Whether an editor asks for actions of a kind: for all of them, for it, or for one above it."""
    return not only or any(f"{_name(kind)}.".startswith(f"{_name(each)}.") for each in only)


def _name(kind: object) -> str:
    return str(getattr(kind, "value", kind))
