"""`FileFormat`: one of several formats that a file may have, and telling which one it has."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Generic, NamedTuple, TypeVar

from gridlang.source import Source

Content = TypeVar("Content")


class FileFormat(NamedTuple, Generic[Content]):
    """A format: the module that reads it, its usual endings, how a text in it begins, and what it is."""

    module: str
    endings: tuple[str, ...]
    begins: re.Pattern[str]
    about: str

    def read(self, source: Source) -> Content:
        reader: Callable[[Source], Content] = import_module(self.module).read
        return reader(source)


def format_of(source: Source, formats: Mapping[str, FileFormat[Content]]) -> FileFormat[Content] | None:
    """The format of a file, by its ending, else by how its text begins; None where neither tells.

    Of several that a text may begin, the last is taken: formats stand with the least demanding first.
    """
    ending = os.path.splitext(source.path)[1].lower()
    by_ending = (each for each in formats.values() if ending in each.endings)
    by_text = (each for each in reversed(list(formats.values())) if each.begins.match(source.text))
    return next(by_ending, None) or next(by_text, None)
