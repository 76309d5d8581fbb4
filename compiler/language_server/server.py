"""The server itself: the messages of one editor, answered from the documents and the last check."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from typing import Any, BinaryIO

from gridlang.compiler.language_server import handlers
from gridlang.compiler.language_server.analysis import Panel, formatted, panel
from gridlang.compiler.language_server.checks import PAUSE, Checks, Failed
from gridlang.compiler.language_server.documents import Documents, Params
from gridlang.compiler.language_server.features.renaming import Refused

LONGEST_ANSWER = 10.0  # seconds; an editor that waits longer for a name seems dead
LONGEST_DRAWING = 20.0  # seconds; a graph is drawn beside the text, which can be edited meanwhile
METHOD_NOT_FOUND, REQUEST_CANCELLED, REQUEST_FAILED = -32601, -32800, -32803
LOGGED_ERROR = 1
PANEL = "gridlang/panel"
WATCHED = {
    "id": "grid-files",
    "method": "workspace/didChangeWatchedFiles",
    "registerOptions": {"watchers": [{"globPattern": "**/*.grid"}]},
}


def serve() -> None:
    """Serves one editor on stdin and stdout."""
    messages = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What anything prints must not stand between messages.
    try:
        sys.exit(asyncio.run(GridServer(messages).converse(sys.stdin.buffer)))
    except KeyboardInterrupt:
        os._exit(1)  # the thread that reads holds stdin


class GridServer:
    """A connection to one editor."""

    def __init__(self, writer: BinaryIO) -> None:
        self.writer = writer
        self.documents = Documents()
        self.checks = Checks(self.documents, self.publish)
        self.answering: dict[object, asyncio.Task[None]] = {}  # by the id of the request
        self.watches = self.ending = False

    async def converse(self, reader: BinaryIO) -> int:
        """Takes messages until the editor ends the conversation; the exit status of the server."""
        loop, waiting = asyncio.get_running_loop(), asyncio.Queue[Params | None]()

        def read() -> None:
            with suppress(OSError, ValueError):
                for message in takewhile(lambda each: each.get("method") != "exit", _messages(reader)):
                    loop.call_soon_threadsafe(waiting.put_nowait, message)
            loop.call_soon_threadsafe(waiting.put_nowait, None)

        threading.Thread(target=read, daemon=True).start()
        try:
            while message := await waiting.get():
                self.take(message)
        finally:
            self.checks.jobs.end()
        return 0 if self.ending else 1

    def take(self, message: Params) -> None:
        method, params, number = message.get("method"), message.get("params") or {}, message.get("id")
        if method == "$/cancelRequest":
            if task := self.answering.get(params["id"]):
                task.cancel()
        elif method and number is None:
            try:
                self.hear(method, params)
            except Exception as error:  # A message that cannot be understood must not end the server.
                self.log(method, error)
        elif method:
            task = asyncio.get_running_loop().create_task(self.respond(number, method, params))
            self.answering[number] = task
            task.add_done_callback(lambda _: self.answering.pop(number, None))

    def publish(self, diagnostics: Params) -> None:
        self.send(method="textDocument/publishDiagnostics", params=diagnostics)

    def hear(self, method: str, params: Params) -> None:
        """Takes a notification."""
        if method == "initialized" and self.watches:
            self.send(id="watch", method="client/registerCapability", params={"registrations": [WATCHED]})
        elif method == "workspace/didChangeWatchedFiles":
            self.checks.check_all()
        elif method in handlers.METHODS:
            path = handlers.METHODS[method](self.documents, params)
            if method == "textDocument/didClose":
                self.checks.closed(path, params["textDocument"]["uri"])
            elif path:
                self.checks.changed(path, 0 if method == "textDocument/didOpen" else PAUSE)

    async def respond(self, number: object, method: str, params: Params) -> None:
        """Answers a request; with nothing where it takes too long or fails, which is logged."""
        answer: Params = {"result": None}
        try:
            answer = {"result": await self.answer(method, params)}
        except Refused as refusal:
            answer = {"error": {"code": REQUEST_FAILED, "message": str(refusal)}}
        except NotImplementedError:
            answer = {"error": {"code": METHOD_NOT_FOUND, "message": f"there is no method {method}"}}
        except asyncio.CancelledError:
            answer = {"error": {"code": REQUEST_CANCELLED, "message": "cancelled"}}
        except (TimeoutError, Failed):
            pass
        except Exception as error:  # A request that fails must not end the server.
            self.log(method, error)
        self.send(id=number, **answer)

    async def answer(self, method: str, params: Params) -> Any:
        documents, run = self.documents, self.checks.jobs.run
        if method == "initialize":
            watched = params["capabilities"].get("workspace", {}).get("didChangeWatchedFiles", {})
            self.watches = bool(watched.get("dynamicRegistration"))
            return handlers.initialize(documents, params)
        if method == "shutdown":
            self.ending = True
            return None
        if method not in handlers.METHODS and method != PANEL:
            raise NotImplementedError
        path = documents.path(params["textDocument"]["uri"])
        if method == PANEL:
            source, texts = documents.project.source(path), dict(documents.project.open)
            if source is None:
                return Panel(message="this file cannot be read")._asdict()
            try:
                drawn = await run(panel, path, source.text, texts, seconds=LONGEST_DRAWING)
            except Failed as failure:
                drawn = Panel(message=str(failure))
            return drawn._asdict()
        if method == "textDocument/formatting":
            held = documents.project.open.get(path)
            text = held and await run(formatted, path, held, seconds=LONGEST_ANSWER)
            return handlers.rewritten(documents, path, text) if text else None
        answer = self.checks.ask(handlers.METHODS[method], documents, params)
        return await asyncio.wait_for(answer, LONGEST_ANSWER)

    def log(self, method: str, error: Exception) -> None:
        message = f"{method}: {type(error).__name__}: {error}"
        self.send(method="window/logMessage", params={"type": LOGGED_ERROR, "message": message})

    def send(self, **message: Any) -> None:
        """Sends a message; one to an editor that is gone is lost."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with suppress(OSError):
            self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self.writer.flush()


def _messages(reader: BinaryIO) -> Iterator[Params]:
    """The messages of a connection, each behind its headers, until it ends."""
    length = 0
    while line := reader.readline():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
        elif not line.strip():
            yield json.loads(reader.read(length))
