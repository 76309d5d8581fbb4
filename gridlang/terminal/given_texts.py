"""A text that a command line names: that of a file, or what is piped in."""

from __future__ import annotations

from gridlang.files import read_source
from gridlang.source import Source
from gridlang.terminal.console import read_stdin


def read_source_or_stdin(path: str) -> Source:
    """The text of a file; `-` is stdin."""
    return Source("<stdin>", read_stdin()) if path == "-" else read_source(path)
