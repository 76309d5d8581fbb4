"""The server itself: each request of the protocol, answered from the project and the last check."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from gridlang import __version__
from gridlang.compiler.language_server.analysis import Panel, formatted, panel
from gridlang.compiler.language_server.checks import PAUSE, Checks, Failed
from gridlang.compiler.language_server.documents import Documents
from gridlang.compiler.language_server.features.answers import Answers
from gridlang.compiler.language_server.features.renaming import Refused
from gridlang.printable import printable

LONGEST_ANSWER = 10.0  # seconds; an editor that waits longer for a name seems dead
LONGEST_DRAWING = 20.0  # seconds; a graph is drawn beside the text, which can be edited meanwhile
REQUEST_FAILED = -32803  # the protocol's code for a valid request that cannot be met
PANEL = "gridlang/panel"
T = TypeVar("T")


class GridServer(LanguageServer):
    """A connection to one editor.

    Documents are sent whole: merging partial edits needs the protocol's notion of lines,
    which differs from the language's.
    """

    def __init__(self) -> None:
        super().__init__("gridlang", __version__, lsp.TextDocumentSyncKind.Full)
        self.documents = Documents()
        self.checks: Checks
        self.answers: Answers
        _register_documents(self)
        _register_questions(self)

    def begin(self, params: lsp.InitializeParams) -> None:
        self.documents.codec = self.workspace.position_codec
        texts = params.capabilities.text_document
        self.checks = Checks(self.documents, self.text_document_publish_diagnostics)
        item = texts.completion.completion_item if texts and texts.completion else None
        self.answers = Answers(self.documents, self.checks, bool(item and item.snippet_support))
        self.use_folders()

    def use_folders(self) -> None:
        """Searches the folders that the editor has open."""
        folders = list(self.workspace.folders) or [self.workspace.root_uri or ""]
        self.documents.project.folders = [
            self.documents.path(uri) for uri in folders if uri.startswith("file:")
        ]

    def changed(self, uri: str, pause: float = PAUSE) -> None:
        self.checks.changed(self.documents.opened(self.workspace.get_text_document(uri)), pause)

    async def ask(self, answer: Callable[..., T], *arguments: Any) -> T | None:
        """What a function answers, in a thread; None where it takes too long or fails, which is logged."""
        try:
            return await asyncio.wait_for(self.documents.ask(answer, *arguments), LONGEST_ANSWER)
        except TimeoutError:
            return None
        except Refused as refusal:
            raise JsonRpcException(str(refusal), REQUEST_FAILED) from None
        except Exception as error:  # A request that fails must not end the server, nor show a traceback.
            message = f"{answer.__name__}: {type(error).__name__}: {error}"
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))
            return None

    def end(self) -> None:
        if hasattr(self, "checks"):
            self.checks.jobs.end()


class _OneLine(logging.Formatter):
    """A failure as one line on stderr, which editors keep in a log; a traceback tells them nothing."""

    def format(self, record: logging.LogRecord) -> str:
        reason = record.exc_info[1] if record.exc_info else None
        return printable(f"gridlang lsp: {record.getMessage()}{f': {reason}' if reason else ''}")


def serve(port: int | None = None) -> None:
    """Serves one editor on stdin and stdout, or on a port of this machine."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.getLogger("asyncio").setLevel(
        logging.CRITICAL
    )  # pygls takes the end of a connection for a failure
    server = GridServer()
    try:
        if port is None:
            messages = os.fdopen(os.dup(1), "wb")
            os.dup2(2, 1)  # What anything prints must not stand between messages.
            server.start_io(sys.stdin.buffer, messages)
        else:
            server.start_tcp("127.0.0.1", port)
    except KeyboardInterrupt:
        pass
    finally:
        server.end()


def _register_documents(server: GridServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.begin(params)

    @server.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace else None
        if watched and watched.dynamic_registration:
            options = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher("**/*.grid")])
            wanted = lsp.Registration("grid-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            server.client_register_capability(lsp.RegistrationParams([wanted]))

    @server.feature(lsp.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.end()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri, 0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.checks.closed(server.documents.closed(uri), uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(_: lsp.DidChangeWatchedFilesParams) -> None:
        server.checks.check_all()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        server.use_folders()


# requests, their answers, and the capabilities announced for them
_QUESTIONS: tuple[tuple[str, Callable[..., object], object], ...] = (
    (lsp.TEXT_DOCUMENT_HOVER, Answers.hover, None),
    (lsp.TEXT_DOCUMENT_DEFINITION, Answers.definition, None),
    (lsp.TEXT_DOCUMENT_COMPLETION, Answers.completion, lsp.CompletionOptions(list('>:"/(,'))),
    (lsp.TEXT_DOCUMENT_PREPARE_RENAME, Answers.prepare_rename, None),
    (lsp.TEXT_DOCUMENT_RENAME, Answers.rename, lsp.RenameOptions(prepare_provider=True)),
    (
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        Answers.code_actions,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]),
    ),
    (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, Answers.document_symbols, None),
    (lsp.TEXT_DOCUMENT_FOLDING_RANGE, Answers.folding, None),
)


def _register_questions(server: GridServer) -> None:
    def register(question: str, answer: Callable[..., object], options: object) -> None:
        async def answered(params: Any) -> object:
            return await server.ask(answer, server.answers, params)

        server.feature(question, options)(answered)

    for each in _QUESTIONS:
        register(*each)

    @server.feature(PANEL)
    async def drawing(params: Any) -> dict[str, Any]:
        path, project = server.documents.path(str(params.textDocument.uri)), server.documents.project
        source, texts = project.source(path), dict(project.open)
        if source is None:
            return Panel(message="this file cannot be read")._asdict()
        try:
            limit = LONGEST_DRAWING
            drawn = await server.checks.jobs.run(panel, path, source.text, texts, seconds=limit)
        except Failed as failure:
            drawn = Panel(message=str(failure))
        return drawn._asdict()

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        path = server.documents.path(params.text_document.uri)
        text, limit = server.documents.project.open.get(path), LONGEST_ANSWER
        if text is None:
            return None
        try:
            laid_out = await server.checks.jobs.run(formatted, path, text, seconds=limit)
        except Failed:
            return None
        return await server.ask(server.answers.rewritten, path, laid_out) if laid_out is not None else None
