"""A small web server on this machine alone.

It listens on 127.0.0.1, answers only what was addressed to that name or to `localhost` (a page elsewhere that
has its own name point here reads nothing), and what it serves is the answer of a function, such as
`folder_pages`. Another function may take what its own pages write.
"""

from __future__ import annotations

import os
import socketserver
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from gridlang.diagnostics import fail
from gridlang.terminal.console import say

HERE = "127.0.0.1"
IDLE_SECONDS = 30.0  # until a silent connection is closed: browsers keep them
# Tables of the system differ, and a module or wasm of the wrong type is not run.
TYPES = {
    **dict.fromkeys(("grid", "md", "txt"), "text/plain; charset=utf-8"),
    **dict.fromkeys(("js", "mjs"), "text/javascript; charset=utf-8"),
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "wasm": "application/wasm",
    "zip": "application/zip",
}
HEADERS = {
    "Cache-Control": "no-store",  # the same address shows something else after a change
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}


class Answer(NamedTuple):
    """What a path holds: its type (`TYPES` has the usual ones) and its bytes."""

    content_type: str
    body: bytes


Pages = Callable[[str], Answer | None]  # From a path such as `/style.css`, without a query, to what it holds.


Writes = Callable[[str, bytes], bool]  # From a path and its new bytes to whether it takes them.
LARGEST_WRITE = 1_000_000  # bytes


def folder_pages(folder: str | os.PathLike[str]) -> Pages:
    """The files of a folder; nothing outside, nothing hidden, and `index.html` for a folder itself."""
    root = os.path.realpath(folder)

    def answer(path: str) -> Answer | None:
        parts = path.removeprefix("/").split("/")
        if any(part.startswith(".") or "\0" in part or os.sep in part for part in parts):
            return None
        named = os.path.join(root, *parts, *(["index.html"] if not parts[-1] else []))
        file = os.path.realpath(named)
        if os.path.commonpath((root, file)) != root or not os.path.isfile(file):
            return None
        ending = os.path.splitext(named)[1].removeprefix(".").lower()
        with open(file, "rb") as opened:
            return Answer(TYPES.get(ending, "application/octet-stream"), opened.read())

    return answer


class LocalServer(ThreadingHTTPServer):
    """Serves pages while its block runs.

    >>> with LocalServer(lambda path: Answer("text/plain", b"hello") if path == "/" else None) as server:
    ...     from urllib.request import urlopen
    ...     urlopen(server.url).read()
    b'hello'
    """

    daemon_threads = True
    block_on_close = False  # A connection that a browser keeps would hold the end up.

    def __init__(self, pages: Pages, port: int = 0, writes: Writes = lambda *_: False) -> None:
        self.pages, self.writes = pages, writes
        try:
            super().__init__((HERE, port), _Handler)
        except OSError as error:
            message = f"cannot serve pages at port {port}: {(error.strerror or str(error)).lower()}"
            raise fail("G190", message, "leave out --port, and a free one is taken") from None

    def server_bind(self) -> None:
        """As its parent does, which would also ask the network for the name of this machine."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HERE, self.server_address[1]

    @property
    def url(self) -> str:
        return f"http://{HERE}:{self.server_port}/"

    def open(self, browser: bool = True) -> None:
        """Says where the pages are, and shows them in the browser unless that is not wanted."""
        say(f"{self.url}  (Ctrl-C ends it)", err=True)
        if browser:
            webbrowser.open(self.url)

    def serve(self) -> None:
        """Serves until Ctrl-C."""
        while True:
            time.sleep(1)

    def __enter__(self) -> LocalServer:
        threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def __exit__(self, kind: object = None, *_: object) -> bool:  # type: ignore[override]
        """Ends it; Ctrl-C, wherever in the block it came, ends it quietly."""
        self.shutdown()
        self.server_close()
        if kind is KeyboardInterrupt:
            sys.stderr.write("\n")  # after the terminal's ^C
        return kind is KeyboardInterrupt

    def handle_error(self, *_: object) -> None:
        """A browser that goes away is not an error; anything else is told in a line."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            say(f"a page could not be served: {error}", err=True)


class _Handler(BaseHTTPRequestHandler):
    server: LocalServer
    server_version, sys_version = "gridlang", ""
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        status, answer = 404, Answer(TYPES["txt"], b"there is no such page\n")
        if not self._is_asked_here():
            status, answer = 403, Answer(TYPES["txt"], b"this server answers on this machine alone\n")
        elif found := self.server.pages(unquote(urlsplit(self.path).path, errors="replace")):
            status, answer = 200, found
        self._answer(status, answer)

    do_HEAD = do_GET  # noqa: N815, the name that http.server looks for

    def do_PUT(self) -> None:
        """Takes a file from a page of this server; a page elsewhere says another origin, or none."""
        length, path = self.headers.get("Content-Length", ""), unquote(urlsplit(self.path).path)
        own = self._is_asked_here() and self.headers.get("Origin") == f"http://{self.headers.get('Host')}"
        small = length.isdecimal() and int(length) <= LARGEST_WRITE
        taken = own and small and self.server.writes(path, self.rfile.read(int(length)))
        self._answer(200 if taken else 403, Answer(TYPES["txt"], b""))

    def _is_asked_here(self) -> bool:
        port = self.server.server_port
        return self.headers.get("Host") in (f"{HERE}:{port}", f"localhost:{port}")

    def _answer(self, status: int, answer: Answer) -> None:
        self.send_response(status)
        sizes = {"Content-Type": answer.content_type, "Content-Length": str(len(answer.body))}
        for name, value in {**HEADERS, **sizes}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are nobody's news."""
