"""`gridlang play`: the playground in a browser, from this machine alone."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Annotated

from gridlang.compiler.local_pages import Answer, LocalServer, Pages, Writes, folder_pages
from gridlang.diagnostics import GridError, fail
from gridlang.files import read_source, write_whole
from gridlang.options import File, Option
from gridlang.terminal.console import say, show_progress
from gridlang.terminal.options import as_command

NAME = r"[A-Za-z0-9_-]{1,60}"  # as the playground names its documents
PORT = 4743  # GRID on a telephone; fixed, since a browser keeps work by address


@as_command("play")
def command(
    file: tuple[File, ...] = (),
    *,
    port: Annotated[
        int | None,
        Option("Local port to serve on.", 1, 65535, usual=f"{PORT}, or a free one if that is taken"),
    ] = None,
    no_browser: Annotated[bool, Option("Print the address; do not open a browser.")] = False,
) -> None:
    """Open the playground: an editor, the state graph and a replay, live while you type.

    FILEs are opened in it, and what you type is saved to them.

    Everything runs in your browser, offline: the page comes from a server on this machine that nobody else
    can reach. If the playground did not come with the package, the first call builds it, with Node.js and
    packages from npm.

    \b
    gridlang play
    gridlang play add.grid mult.grid
    gridlang play --port 8080 --no-browser
    """
    from gridlang.compiler.playground.build import ready_playground

    opened = opened_by_name(file)
    pages = _with_files(folder_pages(ready_playground(_Progress())), opened)
    with _server(pages, port, partial(save, opened)) as server:
        server.open(browser=not no_browser)
        server.serve()


def opened_by_name(paths: Iterable[str]) -> dict[str, str]:
    """The files by the names that the playground gives them; GridError for one that it cannot hold."""
    opened: dict[str, str] = {}
    for path in paths:
        name, ending = os.path.splitext(os.path.basename(path))
        if ending != ".grid" or not re.fullmatch(NAME, name) or name in opened:
            what = "two files have this name" if name in opened else "the playground opens files NAME.grid"
            raise fail("G009", what, "rename it, with letters, digits, - and _", path)
        read_source(path)
        opened[name] = os.path.abspath(path)
    return opened


def _with_files(pages: Pages, opened: Mapping[str, str]) -> Pages:
    """The playground with files that it opens."""

    def answer(path: str) -> Answer | None:
        found = pages(path)
        if path != "/examples.json" or found is None:
            return found
        texts = {name: read_source(file).text for name, file in opened.items()}
        return found._replace(body=json.dumps({**json.loads(found.body), "files": texts}).encode())

    return answer


def save(opened: Mapping[str, str], path: str, content: bytes) -> bool:
    """Writes a file that was opened, and no other."""
    file = opened.get(path.removeprefix("/files/").removesuffix(".grid"))
    try:
        if file is None:
            return False
        write_whole(file, content)
    except GridError as error:
        say(str(error), err=True)
        return False
    return True


class _Progress:
    """Says once that something is built, and shows how far that is."""

    begun = False

    def __call__(self, text: str) -> None:
        if not self.begun:
            say("building the playground, which takes a minute, once", err=True)
        self.begun = True
        show_progress(text)


def _server(pages: Pages, port: int | None, writes: Writes) -> LocalServer:
    try:
        return LocalServer(pages, port or PORT, writes)
    except GridError:
        if port is not None:
            raise
        say(f"port {PORT} is taken: work that was kept there is not seen at another one", err=True)
        return LocalServer(pages, writes=writes)
