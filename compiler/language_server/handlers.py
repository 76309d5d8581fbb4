"""The methods of the protocol: what they make of open documents and parameters, both as JSON has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gridlang import __version__
from gridlang.compiler.language_server.analysis import formatted, path_of
from gridlang.compiler.language_server.documents import ENCODINGS, Documents, Params
from gridlang.compiler.language_server.features import hovering, renaming
from gridlang.compiler.language_server.features.completion import Item, arguments_follow, completions
from gridlang.compiler.language_server.features.outline import folds, symbols
from gridlang.diagnostics import Diagnostic, Edit, counted
from gridlang.fixes import apart
from gridlang.source import Source, Span
from gridlang.syntax.unparse import state_name

ERROR, WARNING, INFORMATION = 1, 2, 3
UNNECESSARY = 1
WHOLE_DOCUMENTS = 1  # merging partial edits needs the protocol's notion of lines, not the language's
PLAIN_TEXT, SNIPPET = 1, 2
_SEVERITIES = {"error": ERROR, "warning": WARNING, "note": INFORMATION}
_ITEM_KINDS = {
    "function": 2,
    "state": 3,
    "part": 5,
    "parameter": 6,
    "variable": 6,
    "class": 13,
    "keyword": 14,
    "file": 17,
    "move": 20,
    "constant": 21,
}
_SYMBOL_KINDS = {
    "agent": 2,
    "library": 4,
    "part": 8,
    "class": 10,
    "state": 12,
    "constant": 14,
    "test": 24,
}


def initialize(documents: Documents, params: Params) -> Params:
    """Takes over what the client can do, and its folders; the answer is what this side can do."""
    able = params["capabilities"]
    encodings = (able.get("general") or {}).get("positionEncodings") or ()
    documents.encoding = next((each for each in encodings if each in ENCODINGS), "utf-16")
    item = (able.get("textDocument") or {}).get("completion", {}).get("completionItem", {})
    documents.snippets = bool(item.get("snippetSupport"))
    folders = [folder["uri"] for folder in params.get("workspaceFolders") or ()]
    use_folders(documents, folders or [params.get("rootUri") or ""])
    return {
        "serverInfo": {"name": "gridlang", "version": __version__},
        "capabilities": {
            "positionEncoding": documents.encoding,
            "textDocumentSync": {"openClose": True, "change": WHOLE_DOCUMENTS},
            "hoverProvider": True,
            "definitionProvider": True,
            "completionProvider": {"triggerCharacters": list('>:"/(,')},
            "renameProvider": {"prepareProvider": True},
            "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll"]},
            "documentSymbolProvider": True,
            "foldingRangeProvider": True,
            "documentFormattingProvider": True,
            "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        },
    }


def use_folders(documents: Documents, uris: Iterable[str]) -> None:
    """Searches these folders for names."""
    documents.project.folders = [documents.path(uri) for uri in uris if uri.startswith("file:")]


def change_folders(documents: Documents, params: Params) -> None:
    event, folders = params["event"], documents.project.folders
    added, removed = ([documents.path(each["uri"]) for each in event[key]] for key in ("added", "removed"))
    documents.project.folders = [path for path in folders if path not in removed] + added


def opened(documents: Documents, params: Params) -> str:
    document = params["textDocument"]
    return documents.open(document["uri"], document.get("version"), document["text"])


def changed(documents: Documents, params: Params) -> str:
    document = params["textDocument"]
    return documents.open(document["uri"], document.get("version"), params["contentChanges"][-1]["text"])


def closed(documents: Documents, params: Params) -> str:
    return documents.close(params["textDocument"]["uri"])


def diagnostics(documents: Documents, path: str, findings: Sequence[Diagnostic]) -> list[Params]:
    """The findings in this file; those of other files stand at the file's name."""
    elsewhere = [(each, each.span) for each in findings if each.span and path_of(each.span) != path]
    others = [each for each, _ in elsewhere]
    shown = [_diagnostic(documents, each) for each in findings if each not in others]
    return [*shown, _elsewhere(documents, path, elsewhere)] if elsewhere else shown


def unchecked(documents: Documents, path: str, reason: str) -> Params:
    """The diagnostic of a file that could not be checked."""
    return _marked(
        documents, Span(Source(path, ""), 0, 0), f"this could not be checked: {reason}", INFORMATION
    )


def report(documents: Documents, params: Params) -> Params:
    """The diagnostics of a document, and those of other files that were found with it."""
    path = documents.path(params["textDocument"]["uri"])
    findings = documents.current(path).findings
    by_path: dict[str, list[Params]] = {}
    for each in findings:
        if each.span and path_of(each.span) != path:
            by_path.setdefault(path_of(each.span), []).append(_diagnostic(documents, each))
    related = {documents.uri(other): {"kind": "full", "items": items} for other, items in by_path.items()}
    items = diagnostics(documents, path, findings)
    return {"kind": "full", "items": items, "relatedDocuments": related}


def _diagnostic(documents: Documents, finding: Diagnostic) -> Params:
    hint = f"\n{finding.hint}" if finding.hint else ""
    place = finding.span or Span(Source("", ""), 0, 0)
    more: Params = {"code": finding.code}
    if finding.code in ("G060", "G061", "G062"):
        more["tags"] = [UNNECESSARY]
    if finding.also:
        more["relatedInformation"] = [_related(documents, *label) for label in finding.also]
    return _marked(documents, place, _message(finding) + hint, _SEVERITIES[finding.severity], **more)


def _marked(documents: Documents, span: Span, message: str, severity: int, **more: Any) -> Params:
    place = documents.range(span)
    return {"range": place, "message": message, "severity": severity, "source": "gridlang", **more}


def _related(documents: Documents, span: Span, message: str) -> Params:
    return {"location": documents.location(span), "message": message}


def _elsewhere(documents: Documents, path: str, findings: list[tuple[Diagnostic, Span]]) -> Params:
    """One diagnostic about all errors of a file that this one uses."""
    first, place = findings[0]
    other, project = path_of(place), documents.project
    names = project.names(path)
    leads = [
        o.span
        for o in (names.occurrences if names else ())
        if o.kind == "file"
        and ((at := project.imported(path, o.name)) == other or project.depends_on(at, other))
    ]
    return _marked(
        documents,
        leads[0] if leads else Span(Source(path, ""), 0, 0),
        f"{counted(len(findings), 'error')} in {os.path.basename(other)}: {_message(first)}",
        ERROR,
        code=first.code,
        relatedInformation=[_related(documents, span, _message(each)) for each, span in findings],
        data="elsewhere",
    )


def _message(finding: Diagnostic) -> str:
    return f"{finding.message}: {finding.label}" if finding.label else finding.message


def _at(documents: Documents, params: Params) -> tuple[str, int]:
    """The path and the offset that a question is about."""
    path = documents.path(params["textDocument"]["uri"])
    return path, documents.offset(path, params["position"])


def hover(documents: Documents, params: Params) -> Params | None:
    path, offset = _at(documents, params)
    shown = hovering.hover(documents.project, path, offset, documents.current(path))
    if shown is None:
        return None
    return {"contents": {"kind": "markdown", "value": shown[0]}, "range": documents.range(shown[1])}


def definition(documents: Documents, params: Params) -> list[Params]:
    _, entity = documents.project.entity_at(*_at(documents, params))
    return list(map(documents.location, documents.project.definitions(entity)))


def completion(documents: Documents, params: Params) -> Params:
    path, offset = _at(documents, params)
    items, start = completions(documents.project, path, offset)
    source = documents.project.source(path) or Source(path, "")
    place = documents.range(Span(source, start, offset))
    fills = documents.snippets and not arguments_follow(source.text, offset)
    return {"isIncomplete": False, "items": [_item(item, place, fills) for item in items]}


def _item(item: Item, place: Params, fills: bool) -> Params:
    """What is offered; it `fills` arguments in where there are none yet."""
    text, form = item.text, PLAIN_TEXT
    if item.arguments and fills:
        fields = (f"${{{n}:{_field(name)}}}" for n, name in enumerate(item.arguments, 1))
        text, form = f"{_field(item.text)}({', '.join(fields)})", SNIPPET
    return {
        "label": item.text,
        "kind": _ITEM_KINDS[item.kind],
        "detail": item.detail,
        "textEdit": {"range": place, "newText": text},
        "filterText": item.text,
        "insertTextFormat": form,
    }


def _field(text: str) -> str:
    """A text within a placeholder, with special characters escaped."""
    return "".join(f"\\{char}" if char in "\\$}" else char for char in text)


def prepare_rename(documents: Documents, params: Params) -> Params:
    occurrence, _ = renaming.renamed_at(documents.project, *_at(documents, params))
    name = state_name(occurrence.name) if occurrence.kind == "state" else occurrence.name
    return {"range": documents.range(occurrence.span), "placeholder": name}


def rename(documents: Documents, params: Params) -> Params:
    edits = renaming.rename(documents.project, *_at(documents, params), params["newName"])
    return documents.workspace_edit(edit for each in edits.values() for edit in each)


def formatting(documents: Documents, params: Params) -> list[Params] | None:
    """The document as `fmt` lays it out; None where it cannot be."""
    path = documents.path(params["textDocument"]["uri"])
    text = formatted(path, documents.project.open[path])
    return None if text is None else rewritten(documents, path, text)


def rewritten(documents: Documents, path: str, text: str) -> list[Params]:
    """The edit from a document to another text of it."""
    source = documents.project.source(path)
    if source is None or source.text == text:
        return []
    return [documents.text_edit(Edit(Span(source, 0, len(source.text)), text))]


def code_actions(documents: Documents, params: Params) -> list[Params]:
    path = documents.path(params["textDocument"]["uri"])
    start, end = (documents.offset(path, params["range"][side]) for side in ("start", "end"))
    fixes = [
        (fix, finding, finding.span)
        for finding in documents.current(path).findings
        if finding.span and path_of(finding.span) == path
        for fix in finding.fixes
    ]
    actions = [
        {
            "title": fix.title,
            "kind": "quickfix",
            "diagnostics": [_diagnostic(documents, finding)],
            "isPreferred": fix.sure,
            "edit": documents.workspace_edit(fix.edits),
        }
        for fix, finding, span in fixes
        if span.start <= end and start <= span.end
    ]
    sure = [fix.edits for fix, _, _ in fixes if fix.sure]
    if sure:
        own = (edits for edits in sure if {path_of(edit.span) for edit in edits} == {path})
        edit = documents.workspace_edit(edit for group in apart(own) for edit in group)
        actions.append({"title": "apply all safe fixes", "kind": "source.fixAll", "edit": edit})
    # an editor asks for all kinds, for some, or for those below one
    kinds = params["context"].get("only") or [""]
    return [each for each in actions if any(f"{each['kind']}.".startswith(_below(kind)) for kind in kinds)]


def _below(kind: str) -> str:
    return f"{kind}." if kind else ""


def document_symbols(documents: Documents, params: Params) -> list[Params]:
    names = documents.project.names(documents.path(params["textDocument"]["uri"]))
    return [
        {
            "name": symbol.name,
            "kind": _SYMBOL_KINDS[symbol.kind],
            "range": documents.range(symbol.span),
            "selectionRange": documents.range(symbol.name_span),
            "detail": symbol.detail,
        }
        for symbol in (symbols(names) if names else ())
    ]


def folding(documents: Documents, params: Params) -> list[Params]:
    names = documents.project.names(documents.path(params["textDocument"]["uri"]))
    return [
        {"startLine": fold.first - 1, "endLine": fold.last - 1, **({"kind": fold.kind} if fold.kind else {})}
        for fold in (folds(names) if names else ())
    ]


METHODS: Mapping[str, Callable[[Documents, Params], Any]] = {
    "initialize": initialize,
    "textDocument/didOpen": opened,
    "textDocument/didChange": changed,
    "textDocument/didClose": closed,
    "textDocument/diagnostic": report,
    "textDocument/hover": hover,
    "textDocument/definition": definition,
    "textDocument/completion": completion,
    "textDocument/prepareRename": prepare_rename,
    "textDocument/rename": rename,
    "textDocument/formatting": formatting,
    "textDocument/codeAction": code_actions,
    "textDocument/documentSymbol": document_symbols,
    "textDocument/foldingRange": folding,
    "workspace/didChangeWorkspaceFolders": change_folders,
}
