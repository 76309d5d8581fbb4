"""The answers to an editor's questions, in the shapes of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types as lsp

from gridlang.compiler.language_server.analysis import path_of
from gridlang.compiler.language_server.checks import Checks
from gridlang.compiler.language_server.documents import Documents
from gridlang.compiler.language_server.features.completion import Item, arguments_follow, completions
from gridlang.compiler.language_server.features.hovering import hover
from gridlang.compiler.language_server.features.outline import folds, symbols
from gridlang.compiler.language_server.features.renaming import rename, renamed_at
from gridlang.diagnostics import Edit
from gridlang.fixes import apart
from gridlang.source import Span
from gridlang.syntax.unparse import state_name

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
    """Answers for one editor, which takes placeholders in what is completed, or does not."""

    def __init__(self, documents: Documents, checks: Checks, snippets: bool) -> None:
        self.documents, self.checks, self.snippets = documents, checks, snippets
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

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder:
        occurrence, _ = renamed_at(self.project, *self._at(params))
        name = state_name(occurrence.name) if occurrence.kind == "state" else occurrence.name
        return lsp.PrepareRenamePlaceholder(self.documents.range(occurrence.span), name)

    def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        edits = rename(self.project, *self._at(params), params.new_name)
        return self.documents.workspace_edit(edit for each in edits.values() for edit in each)

    def rewritten(self, path: str, text: str) -> list[lsp.TextEdit]:
        """The edit from a document to another text of it."""
        source = self.project.source(path)
        if source is None or source.text == text:
            return []
        return [self.documents.text_edit(Edit(Span(source, 0, len(source.text)), text))]

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

    def folding(self, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        names = self.project.names(self.documents.path(params.text_document.uri))
        return [
            lsp.FoldingRange(fold.first - 1, fold.last - 1, kind=fold.kind or None)
            for fold in (folds(names) if names else ())
        ]


def _field(text: str) -> str:
    """A text within a placeholder, with special characters escaped."""
    return "".join(f"\\{char}" if char in "\\$}" else char for char in text)


def _wanted(kind: object, only: Sequence[object] | None) -> bool:
    """Whether an editor asks for actions of a kind: for all of them, for it, or for one above it."""
    return not only or any(f"{_name(kind)}.".startswith(f"{_name(each)}.") for each in only)


def _name(kind: object) -> str:
    return str(getattr(kind, "value", kind))
