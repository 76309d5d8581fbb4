"""An editor for tests: a client of the language server, which runs in a process of its own as it does for users."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from tests.programs import ROOT

T = TypeVar("T")
PATIENCE = 60  # Seconds; a busy machine is slow, and an answer that never comes must not hang the tests.


class Editor:
    """Opens documents, types, and asks; everything waits until the server has answered."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.versions = folder, dict[str, int]()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = LanguageClient("tests", "1")
        self.shown: dict[str, lsp.PublishDiagnosticsParams] = {}
        self.logged: list[str] = []
        self._listen()
        self.wait(self._start())

    async def _start(self) -> None:
        self.published = asyncio.Condition()
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        await self.client.start_io(sys.executable, "-m", "gridlang", "lsp", env=environment, cwd=self.folder)
        await self.client.initialize_async(
            lsp.InitializeParams(
                capabilities=lsp.ClientCapabilities(),
                root_uri=self.folder.as_uri(),
            )
        )
        self.client.initialized(lsp.InitializedParams())

    def _listen(self) -> None:
        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def publish(params: lsp.PublishDiagnosticsParams) -> None:
            async with self.published:
                self.shown[params.uri] = params
                self.published.notify_all()

        for method in (lsp.WINDOW_LOG_MESSAGE, lsp.WINDOW_SHOW_MESSAGE):

            @self.client.feature(method)
            def log(params: lsp.LogMessageParams | lsp.ShowMessageParams) -> None:
                self.logged.append(params.message)

    def wait(self, answer: Coroutine[Any, Any, T], seconds: float = PATIENCE) -> T:
        async def bounded() -> T:
            return await asyncio.wait_for(answer, seconds)

        return asyncio.run_coroutine_threadsafe(bounded(), self.loop).result()

    def type(self, name: str, text: str) -> str:
        """Puts a text into a document, which is opened if need be; its URI."""
        uri = name if ":" in name else (self.folder / name).as_uri()
        version = self.versions[uri] = self.versions.get(uri, 0) + 1
        if version == 1:
            item = lsp.TextDocumentItem(uri, "grid", version, text)
            self._notify(self.client.text_document_did_open, lsp.DidOpenTextDocumentParams(item))
        else:
            whole = lsp.TextDocumentContentChangeWholeDocument(text)
            document = lsp.VersionedTextDocumentIdentifier(version, uri)
            self._notify(
                self.client.text_document_did_change, lsp.DidChangeTextDocumentParams(document, [whole])
            )
        return uri

    def _notify(self, send: Any, params: Any) -> None:
        async def sent() -> None:
            send(params)

        self.wait(sent())

    def close(self, uri: str) -> None:
        self.versions.pop(uri)
        document = lsp.TextDocumentIdentifier(uri)
        self._notify(self.client.text_document_did_close, lsp.DidCloseTextDocumentParams(document))

    def diagnostics(self, uri: str, *codes: str, version: int | None = None) -> list[lsp.Diagnostic]:
        """The diagnostics of the last version, once they have these codes if any are named."""

        def there() -> bool:
            params = self.shown.get(uri)
            current = params is not None and params.version == (version or self.versions[uri])
            return current and (not codes or [d.code for d in params.diagnostics] == list(codes))

        async def until() -> None:
            async with self.published:
                await self.published.wait_for(there)

        try:
            self.wait(until())
        except TimeoutError:
            raise AssertionError(f"not {codes}, but {self.shown.get(uri)}") from None
        return list(self.shown[uri].diagnostics)

    def at(self, uri: str, position: lsp.Position) -> dict[str, Any]:
        return {"text_document": lsp.TextDocumentIdentifier(uri), "position": position}

    def ask(self, method: str, params: Any) -> Any:
        async def asked() -> Any:
            return await self.client.protocol.send_request_async(method, params)

        return self.wait(asked())

    def end(self) -> int | None:
        """Ends the server as an editor does; its exit status."""

        async def ended() -> int | None:
            process = self.client._server
            await self.client.shutdown_async(None)
            self.client.exit(None)
            assert process is not None
            return await process.wait()

        status = self.wait(ended())
        self.loop.call_soon_threadsafe(self.loop.stop)
        return status


def place(text: str, marked: str, plus: int = 0) -> lsp.Position:
    """The position of the first place where some text stands, in units of UTF-16."""
    offset = text.index(marked) + plus
    start = text.rfind("\n", 0, offset) + 1
    column = len(text[start:offset].encode("utf-16-le", "surrogatepass")) // 2
    return lsp.Position(text.count("\n", 0, offset), column)
