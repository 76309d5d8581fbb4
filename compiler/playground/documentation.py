"""The documentation beside the playground: plain pages, whose blocks of source and examples open in it."""

from __future__ import annotations

import base64
import json
import posixpath
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from compiler.drawing.palette import page_style
from compiler.drawing.templates import own_markup, render, resource
from compiler.playground.sources import agents_folder
from compiler.playground.sources import documentation as sources
from gridlang.codes import reference
from gridlang.loading import load

BLOCK = re.compile(r"^```grid([^\n]*)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)


COMMENT = re.compile(r"^<!-- .*? -->\n", re.MULTILINE)
LINK = re.compile(r"\[([^]]*)\]\(([^)\s:]*?)(#[^)\s]*)?\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"<h1[^>]*>(.*?)</h1>")


def write_markdown(output: Path) -> None:
    """The pages as Markdown, with links that lead somewhere here, and the pictures."""
    known = {inside.as_posix() for _, inside in sources()}
    for path, inside in sources():
        (output / inside).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copyfile(path, output / inside)
            continue
        text = _with_play_links(path.read_text(encoding="utf-8"), path.parent, inside)
        parts = FENCED.split(COMMENT.sub("", text))
        for at in range(0, len(parts), 2):
            parts[at] = LINK.sub(lambda match, home=inside: _link(match, home, known), parts[at])
        (output / inside).write_text("".join(parts), encoding="utf-8")
    (output / "reference" / "errors.md").write_text(reference(), encoding="utf-8")


def wrap_pages(output: Path) -> None:
    """What became of the Markdown as whole pages."""
    for path in sorted(output.rglob("*.html")):
        body = path.read_text(encoding="utf-8")
        title = TITLE.search(body)
        page = render(
            "compiler.playground/web/documentation.html",
            title=re.sub("<.*?>", "", title[1]) if title else "gridlang",
            top=posixpath.relpath(".", path.parent.relative_to(output).as_posix()),
            body=own_markup(body),
        )
        path.write_text(page, encoding="utf-8")
    style = page_style() + resource("compiler.playground/web/documentation.css")
    (output / "documentation.css").write_text(style, encoding="utf-8")


def _with_play_links(text: str, folder: Path, inside: Path) -> str:
    for block in reversed(list(blocks(text, folder))):
        link = _playground(inside) + fragment(block.name, block.source)
        opened = f'<p class="play"><a href="{link}">open in the playground</a></p>'
        text = f"{text[: block.end]}\n{opened}\n{text[block.end :]}"
    return text


def _playground(inside: Path) -> str:
    return "../" * len(inside.parts) + "index.html"


def _link(match: re.Match[str], home: Path, known: set[str]) -> str:
    """A link to another page, to the playground for an example, or only its text where nothing is here."""
    text, path, anchor = match[1], match[2], match[3] or ""
    if not path:
        return match[0]
    target = posixpath.normpath(posixpath.join(home.parent.as_posix(), path))
    if target in known:
        return f"[{text}]({re.sub(r'[.]md$', '.html', path)}{anchor})"
    example = re.fullmatch(r"\.\./examples/(\w+)\.grid", target)
    if example and (agents_folder() / f"{example[1]}.grid").is_file():
        return f'<a href="{_playground(home)}#{example[1]}" title="in the playground">{escape(text)}</a>'
    return text


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
