"""`gridlang play`: the playground in a browser, from this machine alone."""

from __future__ import annotations

import click

from compiler.local_pages import LocalServer, folder_pages
from gridlang.diagnostics import GridError
from gridlang.terminal.console import say
from gridlang.terminal.options import guarded

PORT = 4743  # GRID on a telephone; fixed, since a browser keeps work by address


@click.command("play")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help=f"Local port to serve on.  [default: {PORT}, or a free one if that is taken]",
)
@click.option("--no-browser", is_flag=True, help="Print the address; do not open a browser.")
@click.option("--build", "anew", is_flag=True, help="Rebuild it first, from a checkout, with npm.")
@guarded
def command(port: int | None, no_browser: bool, anew: bool) -> None:
    """Open the playground: an editor, the state graph and a replay, live while you type.

    Everything runs in your browser, without a network: the page comes from a server on this machine that
    nobody else can reach. If the playground is not built yet, npm builds it first.

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
