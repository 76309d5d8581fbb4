"""Links from the pages of the documentation into the playground: what a block of source opens there."""

from __future__ import annotations

import base64
import json
import re
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gridlang.loading import load

BLOCK = re.compile(r"^```grid([^\n]*)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of source on a page: where it ends, and the file that it is or belongs to."""

    end: int
    name: str
    source: str


def fragment(name: str, source: str, given: str | None = None) -> str:
    """What `share.js` reads: a document, compressed, behind the #."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = json.dumps({"name": name, "source": source, "given": given}, ensure_ascii=False).encode()
    packed = packer.compress(data) + packer.flush()
    return "#s=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def changed(text: str, body: str) -> str:
    """A file with the lines of a block: a state takes the place of its namesake, all else is added."""
    name = re.match(r"state \w+", body)
    there = name and re.search(rf"^{name[0]}\b.*\n(?: .*\n)*", text, re.MULTILINE)
    return text.replace(there[0], body) if there else f"{text}\n{body}"


def blocks(text: str, folder: Path) -> Iterator[Block]:
    """The blocks of a page that can be opened: whole agents, and parts of files that are known.

    `part-of` may name a file beside the page; one that a command of the page makes is not known here.
    """
    files: dict[str, str] = {}
    for match in BLOCK.finditer(text):
        kind, _, name = match[1].strip().partition("=")
        if kind == "change":
            files[name] = changed(files[name], match[2])
        elif kind == "file":
            files[name] = match[2]
        elif kind == "part-of" and (folder / name).is_file():
            files[name] = (folder / name).read_text(encoding="utf-8")
        elif not kind:
            agent = re.search(r"^(?:agent|library) (\w+)", match[2], re.MULTILINE)
            name = agent[1] if agent else ""
            files[name] = match[2]
        if name in files:
            yield Block(match.end(), Path(name).name.partition(".")[0], _alone(name, files))


def _alone(name: str, files: dict[str, str]) -> str:
    """A file of a page; if it uses another of them, which the playground has not, with that written out."""
    if not any(f'from "{other}"' in files[name] for other in files):
        return files[name]
    with tempfile.TemporaryDirectory() as folder:
        for each, text in files.items():
            Path(folder, each).write_text(text, encoding="utf-8")
        return load(Path(folder, name)).to_source()
