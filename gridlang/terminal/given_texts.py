"""A text that a command line names: that of a file, or what is piped in."""

from __future__ import annotations

from gridlang.files import read_source
from gridlang.source import Source
from gridlang.terminal.console import read_stdin


def read_source_or_stdin(path: str) -> Source:
    """The text of a file; `-` is stdin."""
    return stdin_source() if path == "-" else read_source(path)


def stdin_source() -> Source:
    """What is piped in, without the mark that some editors put before all text."""
    return Source("<stdin>", read_stdin().removeprefix("\ufeff"))
