"""A small web server on this machine alone.

It listens on 127.0.0.1, answers only what was addressed to that name or to `localhost` (a page elsewhere that
has its own name point here reads nothing), and has no other method than to read. What it serves is the answer
of a function, such as `folder_pages`.
"""

from __future__ import annotations

import os
import socketserver
import sys
import threading
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
    **dict.fromkeys(("json", "map"), "application/json"),
    **dict.fromkeys(("whl", "zip"), "application/zip"),
    "css": "text/css; charset=utf-8",
    "gif": "image/gif",
    "html": "text/html; charset=utf-8",
    "ico": "image/x-icon",
    "png": "image/png",
    "svg": "image/svg+xml",
    "wasm": "application/wasm",
    "woff2": "font/woff2",
    "xml": "application/xml",
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
        with open(file, "rb") as opened:
            return Answer(type_of(named), opened.read())

    return answer


def type_of(path: str) -> str:
    """The type of a file, by its ending."""
    return TYPES.get(os.path.splitext(path)[1].removeprefix(".").lower(), "application/octet-stream")


class LocalServer:
    """Serves pages while its block runs.

    >>> with LocalServer(lambda path: Answer("text/plain", b"hello") if path == "/" else None) as server:
    ...     from urllib.request import urlopen
    ...     urlopen(server.url).read()
    b'hello'
    """

    def __init__(self, pages: Pages, port: int = 0) -> None:
        self.pages = pages
        try:
            self._http = _Http((HERE, port), type("_Handler", (_Handler,), {"local": self}))
        except OSError as error:
            message = f"cannot serve pages at port {port}: {(error.strerror or str(error)).lower()}"
            raise fail("G190", message, "leave out --port, and a free one is taken") from None

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        return f"http://{HERE}:{self.port}/"

    def open(self, browser: bool = True) -> None:
        """Says where the pages are, and shows them in the browser unless that is not wanted."""
        say(f"{self.url}  (Ctrl-C ends it)", err=True)
        if browser:
            webbrowser.open(self.url)

    def serve(self, each: Callable[[], None] = lambda: None, seconds: float = 0.25) -> None:
        """Calls a function again and again, until Ctrl-C."""
        pause = threading.Event()
        while not pause.wait(seconds):
            each()

    def __enter__(self) -> LocalServer:
        threading.Thread(target=self._http.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        """Ends it; Ctrl-C, wherever in the block it came, ends it quietly."""
        self._http.shutdown()
        self._http.server_close()
        if kind is KeyboardInterrupt:
            sys.stderr.write("\n")  # after the terminal's ^C
        return kind is KeyboardInterrupt


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # A connection that a browser keeps would hold the end up.

    def server_bind(self) -> None:
        """As its parent does, which would also ask the network for the name of this machine."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HERE, self.server_address[1]

    def handle_error(self, *_: object) -> None:
        """A browser that goes away is not an error; anything else is told in a line."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            say(f"a page could not be served: {error}", err=True)


class _Handler(BaseHTTPRequestHandler):
    local: LocalServer
    server_version, sys_version = "gridlang", ""
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path, errors="replace")
        port = self.local.port
        if self.headers.get("Host") not in (f"{HERE}:{port}", f"localhost:{port}"):
            self._answer(403, Answer(TYPES["txt"], b"this server answers on this machine alone\n"))
        else:
            answer = self.local.pages(path)
            missing = Answer(TYPES["txt"], b"there is no such page\n")
            self._answer(200 if answer else 404, answer or missing)

    do_HEAD = do_GET  # noqa: N815, the name that http.server looks for

    def _head(self, status: int, content_type: str) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", content_type)

    def _answer(self, status: int, answer: Answer) -> None:
        self._head(status, answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are nobody's news."""
