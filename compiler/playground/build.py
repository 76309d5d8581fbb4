"""The playground and its documentation as static files, and the script of all pages.

`python -m gridlang.compiler.playground.build [FOLDER]` writes the first, and with `--page` the second, which
is committed: pages are made without Node.js.

Its parts come from npm (`package-lock.json` pins them) and from the installed Python
packages; the page itself loads nothing from elsewhere.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import posixpath
import re
import shutil
import sys
import tempfile
import tomllib
import zlib
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from gridlang import vocabulary as known
from gridlang.clauses.functions import ACCEPTANCES, FUNCTIONS
from gridlang.codes import reference
from gridlang.compiler.drawing.page import WEB
from gridlang.compiler.drawing.palette import page_style
from gridlang.compiler.drawing.templates import own_markup, render, resource
from gridlang.compiler.playground.node import Progress, node_environment, run_node
from gridlang.compiler.playground.sources import (
    HERE,
    OTHERS,
    OWN,
    TOOLS,
    agents_folder,
    fingerprint,
    package_files,
)
from gridlang.compiler.playground.sources import documentation as sources
from gridlang.diagnostics import GridError, fail
from gridlang.files import cache_folder
from gridlang.loading import load
from gridlang.syntax.grammar import grammar_tables
from gridlang.terminal.console import say, show_progress

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
    """The Markdown as whole pages."""
    for path in sorted(output.rglob("*.html")):
        body = path.read_text(encoding="utf-8")
        title = TITLE.search(body)
        page = render(
            "gridlang.compiler.playground/web/documentation.html",
            title=re.sub("<.*?>", "", title[1]) if title else "gridlang",
            top=posixpath.relpath(".", path.parent.relative_to(output).as_posix()),
            body=own_markup(body),
        )
        path.write_text(page, encoding="utf-8")
    style = page_style() + resource("gridlang.compiler.playground/web/documentation.css")
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


FIRST = "plus_one"  # on screen first: small enough to be understood at once
# simplest first; others follow
ORDER = (
    "plus_one", "increment", "beaver", "ant", "sort", "flood", "palindrome", "brackets", "reverse", "twice",
    "compare", "add", "add2", "add10", "subtract", "mult", "mult2", "mult10", "tag", "walks",
)  # fmt: skip


BUILT = HERE / "dist"  # the wheel holds it
PAGE_SCRIPTS = HERE.parent / "drawing" / "web"
STAMP = "fingerprint.txt"  # digest of a build's sources
KEPT = 3  # builds in the cache: those of other environments stay
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def ready_playground(progress: Progress) -> Path:
    """The folder of the playground: the one of the package, else one in the user's cache, built once."""
    wanted = fingerprint()
    cached = _cache() / wanted
    for folder in (BUILT, cached):
        if (folder / STAMP).is_file() and (folder / STAMP).read_text(encoding="utf-8") == wanted:
            return folder
    build(cached, progress)
    others = (each for each in cached.parent.iterdir() if (each / STAMP).is_file())
    for old in sorted(others, key=lambda each: each.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return cached


def build(output: Path = BUILT, progress: Progress = lambda _: None) -> Path:
    """Builds the page into an emptied folder; GridError says what is missing."""
    environment = node_environment()
    try:
        _cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_cache(), prefix=".building.") as work:
            return _build(Path(work), output.absolute(), environment, progress)
    except OSError as error:
        raise fail("G009", f"cannot write here: {error.strerror}", file=str(output)) from None


def _build(work: Path, output: Path, environment: dict[str, str], progress: Progress) -> Path:
    made, language, docs = work / "made", work / "language", work / "docs"
    made.mkdir()
    progress("looking for what it is made of")
    tools = _tools(environment, progress)
    stamp = fingerprint()
    _gather(language)
    write_markdown(docs)
    folders = map(str, (HERE / "web", language, docs, made))
    words = ["node", "bundle.mjs", "playground", *folders, json.dumps(vocabulary())]
    run_node("bundling the scripts, drawing the examples", words, tools, environment, progress)
    progress("packing the language")
    (made / "language.bin").write_bytes(_packed(language))
    _write_page(made)
    wrap_pages(docs)
    shutil.move(docs, made / "docs")
    (made / "pyodide").mkdir()
    for name in PYODIDE:
        shutil.copyfile(tools / "node_modules" / "pyodide" / name, made / "pyodide" / name)
    (made / STAMP).write_text(stamp, encoding="utf-8")
    if output.exists():
        shutil.rmtree(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made, output)
    return output


def vocabulary() -> dict[str, list[str]]:
    """The words that the editor colours."""
    local = {*known.IMPORT_WORDS, *known.INPUT_WORDS, *known.TEST_WORDS, *known.PARAMETER_KINDS, *ACCEPTANCES}
    functions = {*FUNCTIONS, *known.NUMBER_FUNCTIONS, *known.TURNS, known.MARKED}
    words = sorted((known.RESERVED | local) - {*known.HEADERS})
    return {"headers": [*known.HEADERS], "words": words, "functions": sorted(functions)}


def write_page_script(progress: Progress = lambda _: None) -> Path:
    """Bundles the script of pages into the checkout; its first line says what it is made of."""
    environment, bundle = node_environment(), PAGE_SCRIPTS / "bundle.js"
    tools = _tools(environment, progress)
    words = ["node", "bundle.mjs", "page", str(PAGE_SCRIPTS), str(bundle)]
    run_node("bundling the script", words, tools, environment, progress)
    bundle.write_text(page_stamp() + bundle.read_text(encoding="utf-8"), encoding="utf-8")
    return bundle


def page_stamp() -> str:
    """The first line of a bundle: a digest of its modules."""
    modules = sorted(path for path in PAGE_SCRIPTS.glob("*.js") if path.name != "bundle.js")
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in modules)).hexdigest()
    return f"/* made of the modules beside it, {digest[:16]} */\n"


def _cache() -> Path:
    return Path(cache_folder()).absolute() / "playground"


def _tools(environment: dict[str, str], progress: Progress) -> Path:
    """A folder with what npm fetches, and the script that uses it; one for each set of versions."""
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in TOOLS)).hexdigest()
    folder = _cache() / f"tools-{digest[:16]}"
    if folder.is_dir():
        return folder
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching.") as work:
        fetched = Path(work) / "tools"
        fetched.mkdir()
        for name in TOOLS:
            shutil.copyfile(HERE / name, fetched / name)
        words = ["npm", "ci", "--no-audit", "--no-fund", "--fetch-retry-mintimeout=1000"]
        run_node("fetching what it is made of", words, fetched, environment, progress)
        if not folder.exists():
            os.replace(fetched, folder)
    return folder


def _gather(language: Path) -> None:
    """The packages, the examples and the grammar's tables, as they lie in the browser's worker."""
    for name in (*OWN, *OTHERS):
        for path, inside in package_files(name):
            copy = language.joinpath(*name.split("."), inside)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    (language / "agents").mkdir()
    for path in agents_folder().glob("*.grid"):
        shutil.copyfile(path, language / "agents" / path.name)
    grammar_tables()
    (language / "cache").mkdir()
    for tables in Path(cache_folder()).glob("grammar-*.json"):
        shutil.copyfile(tables, language / "cache" / tables.name)


def _packed(folder: Path) -> bytes:
    """All files of a folder as one: a line with their names and sizes, then what is in them; zipped.

    A script writes them out in a tenth of the time that Python in a browser takes for an archive.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in paths]
    names = [path.relative_to(folder).as_posix() for path in paths]
    sizes = [[name, len(content)] for name, content in zip(names, contents, strict=True)]
    return gzip.compress(json.dumps(sizes).encode() + b"\n" + b"".join(contents), mtime=0)


def _write_page(made: Path) -> None:
    web = "gridlang.compiler.playground/web"
    index = render(f"{web}/index.html", first=FIRST, about="", graphs=[])
    (made / "index.html").write_text(index, encoding="utf-8")
    style = page_style() + resource(f"{WEB}/scene.css") + resource(f"{web}/playground.css")
    (made / "playground.css").write_text(style, encoding="utf-8")
    starter = (files("gridlang") / "starter.grid").read_text(encoding="utf-8")
    data = {"examples": examples(agents_folder()), "starter": starter, "tour": tour()}
    (made / "examples.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def examples(folder: Path) -> list[dict[str, Any]]:
    """Every agent in a folder, the easiest first, each with its source, its story and its exercises."""
    exercises = tomllib.loads(resource("gridlang.compiler.playground/exercises.toml"))
    paths = {path.stem: path for path in sorted(folder.glob("*.grid"))}
    names = [name for name in ORDER if name in paths] + [name for name in paths if name not in ORDER]
    sources = {name: paths[name].read_text(encoding="utf-8") for name in names}
    return [
        {
            "name": name,
            "story": story_of(sources[name]),
            "source": sources[name],
            "exercises": exercises.get(name, []),
        }
        for name in names
    ]


def story_of(source: str) -> str:
    """The comment in a file's first line."""
    first = source.split("\n", 1)[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""


def tour() -> list[dict[str, Any]]:
    """The steps in their order; `source` is the agent as the step changes it."""
    data = tomllib.loads(resource("gridlang.compiler.playground/tour.toml"))
    whole = data["source"].lstrip()
    return [{**step, "source": whole.replace(*step.pop("change", ("", "")))} for step in data["steps"]]


if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["--page"]:
            say(str(write_page_script(show_progress)))
        else:
            say(str(build(Path(sys.argv[1]) if sys.argv[1:] else BUILT, show_progress)))
    except GridError as error:
        sys.exit(str(error))
