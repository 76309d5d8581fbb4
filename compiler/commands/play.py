"""`gridlang play`: the playground in a browser, from this machine alone."""

from __future__ import annotations

from typing import Annotated

from gridlang.compiler.local_pages import LocalServer, Pages, folder_pages
from gridlang.diagnostics import GridError
from gridlang.options import Option
from gridlang.terminal.console import say, show_progress
from gridlang.terminal.options import as_command

PORT = 4743  # GRID on a telephone; fixed, since a browser keeps work by address


@as_command("play")
def command(
    *,
    port: Annotated[
        int | None,
        Option("Local port to serve on.", 1, 65535, usual=f"{PORT}, or a free one if that is taken"),
    ] = None,
    no_browser: Annotated[bool, Option("Print the address; do not open a browser.")] = False,
) -> None:
    """Open the playground: an editor, the state graph and a replay, live while you type.

    Everything runs in your browser, offline: the page comes from a server on this machine that nobody else
    can reach. If the playground did not come with the package, the first call builds it, with Node.js and
    packages from npm.

    \b
    gridlang play
    gridlang play --port 8080 --no-browser
    """
    from gridlang.compiler.playground.build import ready_playground

    with _server(folder_pages(ready_playground(_Progress())), port) as server:
        server.open(browser=not no_browser)
        server.serve()


class _Progress:
    """Says once that something is built, and shows how far that is."""

    begun = False

    def __call__(self, text: str) -> None:
        if not self.begun:
            say("building the playground, which takes a minute, once", err=True)
        self.begun = True
        show_progress(text)


def _server(pages: Pages, port: int | None) -> LocalServer:
    if port is not None:
        return LocalServer(pages, port)
    try:
        return LocalServer(pages, PORT)
    except GridError:
        say(f"port {PORT} is taken: work that was kept there is not seen at another one", err=True)
        return LocalServer(pages)
