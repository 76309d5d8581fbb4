"""A text that a command line names: that of a file, or what is piped in."""

from __future__ import annotations

from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import read_bytes, read_source
from gridlang.source import MAX_BYTES, Source
from gridlang.terminal.console import read_stdin


def read_source_or_stdin(path: str, wanted: str = "") -> Source:
    """The text of a file, of the wanted kind; `-` is stdin."""
    if path == "-":
        return stdin_source()
    if wanted:
        refuse_other_kinds(path, read_bytes(path, MAX_BYTES, path), wanted)
    return read_source(path)


def stdin_source() -> Source:
    """What is piped in, without the mark that some editors put before all text."""
    return Source("<stdin>", read_stdin().removeprefix("\ufeff"))
