"""`gridlang lsp`: the language server, which an editor starts."""

from __future__ import annotations

from gridlang.terminal.options import as_command


@as_command("lsp")
def command() -> None:
    """Serve an editor on stdin and stdout: diagnostics, hover, definitions, renaming, completion.

    Editors start it by themselves; docs/guide/editors.md says how to set up each.

    \b
    gridlang lsp
    """
    from gridlang.compiler.language_server.server import serve

    serve()
