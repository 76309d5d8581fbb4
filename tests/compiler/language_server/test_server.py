"""The language server as an editor meets it: a process that is spoken to over stdin and stdout."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.support.command_line import invoke
from tests.support.editor import Editor, place

GOOD = """agent walker

alphabet
  bit  = 0..1
  face = '😀' | 'é'

start seek

state seek
  bit      : R
  '😀' | 'é' : R -> seek
  _        : write 1, L -> halt

test "01" = "011"
"""
# One state for each of 10,000 numbers, each asked about 52 symbols: half a minute of lowering.
SLOW = (
    "agent slow\nalphabet\n  c = 'a'..'z'\n  d = 'A'..'Z'\nstart s(0)\nstate s(n in 0..9999)\n"
    + "".join(f"  x in c if x == {i} : R -> s((n*3 + {i}) mod 10000)\n" for i in range(26))
    + "  else : L -> s((n*7 + 1) mod 10000)\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("grid files").resolve()


@pytest.fixture(scope="module")
def editor(folder: Path) -> Iterator[Editor]:
    editor = Editor(folder)
    yield editor
    assert editor.logged == []
    assert editor.end() == 0


def applied(text: str, edits: list[lsp.TextEdit]) -> str:
    """A text with edits, as an editor makes them: columns count units of UTF-16."""
    lines = text.replace("\r\n", "\n").split("\n")

    def offset(position: lsp.Position) -> int:
        units = lines[position.line].encode("utf-16-le")[: 2 * position.character]
        return sum(len(line) + 1 for line in lines[: position.line]) + len(units.decode("utf-16-le"))

    joined = "\n".join(lines)
    for edit in sorted(edits, key=lambda e: offset(e.range.start), reverse=True):
        new = edit.new_text.replace("\r\n", "\n")
        joined = joined[: offset(edit.range.start)] + new + joined[offset(edit.range.end) :]
    return joined


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mistake_is_shown_where_it_stands_and_its_fix_mends_it(editor: Editor, end: str) -> None:
    wrong = GOOD.replace("R -> seek", "R -> sekk").replace("\n", end)
    uri = editor.type("walker.grid", wrong)
    (shown,) = editor.diagnostics(uri, "G020")
    assert shown.range.start == place(wrong, "sekk") and shown.range.end == place(wrong, "sekk", 4)
    assert "did you mean `seek`?" in shown.message
    context = lsp.CodeActionContext([shown])
    document = lsp.TextDocumentIdentifier(uri)
    actions = editor.ask(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionParams(document, shown.range, context))
    titles = [action.title for action in actions]
    assert titles == ["write `seek`", "add `state sekk`", "apply all safe fixes"]
    for action in actions:
        ((changed, edits),) = action.edit.changes.items()
        assert changed == uri and all("\n" not in e.new_text.replace(end, "") for e in edits)
        fixed = applied(wrong, edits)
        editor.type("walker.grid", fixed.replace("\n", end))
        assert [d for d in editor.diagnostics(uri) if d.severity == lsp.DiagnosticSeverity.Error] == []


def test_formatting_is_that_of_fmt_and_broken_text_is_left_alone(editor: Editor) -> None:
    ragged = GOOD.replace("  bit      : R", "   bit:R  # 😀")
    uri = editor.type("walker.grid", ragged)
    options = lsp.FormattingOptions(2, True)
    params = lsp.DocumentFormattingParams(lsp.TextDocumentIdentifier(uri), options)
    laid_out = applied(ragged, editor.ask(lsp.TEXT_DOCUMENT_FORMATTING, params))
    assert laid_out == invoke("fmt", "-", input=ragged).stdout
    editor.type("walker.grid", "state (((")
    assert editor.ask(lsp.TEXT_DOCUMENT_FORMATTING, params) is None


def test_unsaved_text_of_another_file_counts_until_it_is_closed(editor: Editor, folder: Path) -> None:
    (folder / "walks.grid").write_text("library walks\nstate walk\n  any : R\n", encoding="utf-8")
    user = 'agent user\nuse walk from "walks.grid"\nstart walk\n'
    uri = editor.type("user.grid", user)
    assert editor.diagnostics(uri) == []
    library = editor.type("walks.grid", "library walks\nstate wander\n  any : R\n")
    (missing,) = editor.diagnostics(uri, "G020")
    assert missing.range.start == place(user, "walk")
    editor.type("walks.grid", "library walks\nstate walk\n  any R\n")
    (elsewhere,) = editor.diagnostics(uri, "G010")
    assert "1 error in walks.grid" in elsewhere.message and elsewhere.range.start == place(user, '"walks')
    assert elsewhere.related_information[0].location.uri == library
    assert editor.diagnostics(library, "G010")
    editor.close(library)
    deadline = time.monotonic() + 30
    while editor.shown[uri].diagnostics and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not editor.shown[uri].diagnostics and not editor.shown[library].diagnostics
    editor.close(uri)


def test_names_are_followed_and_changed_across_files(editor: Editor, folder: Path) -> None:
    source = (
        "agent count(base in 2..9 = 2)\nalphabet\n  d = 0..base-1\nstart go\nstate go\n  d : R\n  _ : halt\n"
    )
    (folder / "count.grid").write_text(source, encoding="utf-8")
    user = 'agent three = count(base = 3) from "count.grid"\n'
    uri = editor.type("three.grid", user)
    at = editor.at(uri, place(user, "base"))
    (declared,) = editor.ask(lsp.TEXT_DOCUMENT_DEFINITION, lsp.DefinitionParams(**at))
    assert declared.uri.endswith("/count.grid") and declared.range.start == place(source, "base")
    edit = editor.ask(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameParams(new_name="radix", **at))
    assert {file.rpartition("/")[2]: len(e) for file, e in edit.changes.items()} == {
        "count.grid": 2,
        "three.grid": 1,
    }
    with pytest.raises(JsonRpcException, match="a class named `d` already"):
        editor.ask(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameParams(new_name="d", **at))
    editor.close(uri)


def test_hover_completion_symbols_and_folding_come_over_the_protocol(editor: Editor) -> None:
    uri = editor.type("walker.grid", GOOD)
    editor.diagnostics(uri)
    document = lsp.TextDocumentIdentifier(uri)
    shown = editor.ask(lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams(**editor.at(uri, place(GOOD, "-> halt"))))
    assert "seek, _: write 1, L -> halt" in shown.contents.value
    shown = editor.ask(lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams(**editor.at(uri, place(GOOD, "-> seek", 3))))
    assert shown.range.start == place(GOOD, "seek\n  _") and "state seek" in shown.contents.value
    at = editor.at(uri, place(GOOD, "-> seek", 5))
    offered = editor.ask(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionParams(**at)).items
    (item,) = [item for item in offered if item.label == "seek"]
    assert applied(GOOD, [item.text_edit]).splitlines()[10] == "  '😀' | 'é' : R -> seekek"
    outline = editor.ask(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, lsp.DocumentSymbolParams(document))
    assert [symbol.name for symbol in outline] == ["walker", "bit", "face", "seek", 'test "01"']
    folded = editor.ask(lsp.TEXT_DOCUMENT_FOLDING_RANGE, lsp.FoldingRangeParams(document))
    assert [(fold.start_line, fold.end_line) for fold in folded] == [(2, 4), (8, 11)]


def test_the_replay_page_is_made_or_the_reason_is_told(editor: Editor) -> None:
    uri = editor.type("walker.grid", GOOD)
    made = editor.ask("gridlang/panel", {"textDocument": {"uri": uri}})
    assert made.html.startswith("<!doctype html>") and "acquireVsCodeApi" in made.html
    assert [Path(each).name for each in made.files] == ["walker.grid"] and made.message is None
    editor.type("walker.grid", GOOD.replace("-> seek", "-> sekk"))
    refused = editor.ask("gridlang/panel", {"textDocument": {"uri": uri}})
    assert refused.html is None and refused.message == "line 11: there is no state named `sekk`"


def test_what_takes_long_blocks_nobody(editor: Editor) -> None:
    uri = editor.type("slow.grid", SLOW)
    time.sleep(0.5)
    at = editor.at(uri, place(SLOW, "s(n in"))
    shown = editor.ask(lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams(**at))
    assert "state s(n in 0..9999)" in shown.contents.value
    editor.type("slow.grid", GOOD.replace("bit      :", "bti      :"))
    editor.diagnostics(uri, "G021")
    editor.close(uri)


@pytest.mark.parametrize(
    "name",
    ["untitled:Untitled-1", "file:///no/such/%00/x.grid", "weird:///a\u202eb", "file://host/share/a.grid"],
)
def test_strange_documents_and_places_get_answers(editor: Editor, name: str) -> None:
    uri = editor.type(name, "agent 😀\ud800\0 (\n\x0b\u2028state \x1b[2J 'x\r  : -> ")
    assert editor.diagnostics(uri)
    for position in (lsp.Position(0, 2**31 - 1), lsp.Position(99_999, 0), lsp.Position(1, 3)):
        at = editor.at(uri, position)
        editor.ask(lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams(**at))
        editor.ask(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionParams(**at))
        with pytest.raises(JsonRpcException):
            editor.ask(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameParams(new_name="x", **at))
    editor.close(uri)
