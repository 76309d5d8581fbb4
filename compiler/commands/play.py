"""`gridlang play`: the playground in a browser, from this machine alone."""

from __future__ import annotations

import click

from compiler.local_pages import LocalServer, folder_pages
from gridlang.diagnostics import GridError
from gridlang.terminal.console import say
from gridlang.terminal.options import guarded

PORT = 4743  # The same at every start, since a browser keeps one's work by the address: GRID on a telephone.


@click.command("play")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help=f"Serve it there.  [default: {PORT}, or a free one where that is taken]",
)
@click.option("--no-browser", is_flag=True, help="Only say where it is, and open no browser.")
@click.option("--build", "anew", is_flag=True, help="Build it anew first, from a checkout and with npm.")
@guarded
def command(port: int | None, no_browser: bool, anew: bool) -> None:
    """Open the playground: an editor, the state graph and a replay, live while you type.

    Everything runs in your browser, and nothing is asked of a network: the page comes from a server on this
    machine that nobody else reaches. Where the playground is not built yet, it is built first, with npm.

    \b
    gridlang play
    gridlang play --port 8080 --no-browser
    """
    from compiler.playground.build import BUILT, build

    if anew or not (BUILT / "index.html").is_file():
        say("building the playground, which takes half a minute", err=True)
        build()
    with _server(port) as server:
        server.open(browser=not no_browser)
        server.serve()


def _server(port: int | None) -> LocalServer:
    from compiler.playground.build import BUILT

    pages = folder_pages(BUILT)
    if port is not None:
        return LocalServer(pages, port)
    try:
        return LocalServer(pages, PORT)
    except GridError:
        say(f"port {PORT} is taken: work that was kept there is not seen at another one", err=True)
        return LocalServer(pages)
