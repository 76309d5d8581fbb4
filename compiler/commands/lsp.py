"""`gridlang lsp`: the language server, which an editor starts."""

from __future__ import annotations

from typing import Annotated

from gridlang.diagnostics import fail
from gridlang.options import Option
from gridlang.terminal.console import say
from gridlang.terminal.options import as_command


@as_command("lsp")
def command(
    *,
    tcp: Annotated[int | None, Option("Serve on this local port.", 1, 65535, metavar="PORT")] = None,
) -> None:
    """Serve an editor on stdin and stdout: diagnostics, hover, definitions, renaming, completion.

    Editors start it by themselves; docs/guide/editors.md says how to set up each. --tcp serves one editor on
    a port that only this machine can reach, for debugging.

    \b
    gridlang lsp
    gridlang lsp --tcp 8700
    """
    try:
        from gridlang.compiler.language_server.server import serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        hint = "install it with `pip install pygls`"
        raise fail("G200", "the language server needs pygls", hint) from None
    if tcp is not None:
        say(f"serving one editor on 127.0.0.1:{tcp}", err=True)
    serve(tcp)
