"""What MkDocs does not know of these pages: replays, sources, files beside docs/, the reference of names."""

from __future__ import annotations

import html
import os
import posixpath
import re
import shlex
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# What `python -m compiler.playground.build` has written, if it was run.
PLAYGROUND = ROOT / "compiler" / "playground" / "dist"
# Pages that stand at the root of the repository, where forges look for them.
PAGES_BESIDE_DOCS = ("CHANGELOG.md", "CONTRIBUTING.md")
# Columns that a page does without, so that pictures and replays have their room.
HIDDEN_COLUMNS = {
    "index.md": ["navigation", "toc"],
    "guide/examples.md": ["toc"],
    "guide/playground.md": ["navigation", "toc"],
    "guide/gallery.md": ["toc"],
    "research/suite.md": ["toc"],
}
REPLAY = re.compile(r"^<!-- replay: (view .+?) -->$", re.MULTILINE)
PLAY = re.compile(r"^<!-- playground -->$", re.MULTILINE)
LISTING = re.compile(r"^<!-- source: (\S+) -->$", re.MULTILINE)
PAGE_FILE = re.compile(r"^```grid file=(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```(\w+) (?:(?:file|change)=(\S+)|part-of=(\S+))$", re.MULTILINE)
LINK = re.compile(r'(\]\(|(?:href|src)=")([^)\s"#]+)')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds pages at the root, the reference, files beside docs/ that pages name, replays, the playground."""
    for name in PAGES_BESIDE_DOCS:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    files.append(File.generated(config, "reference/names.md", content=names()))
    for page in list(files.documentation_pages()):
        text = page.content_string
        for path in sorted(_outside(page.src_uri, text)):
            if not files.get_file_from_path(path):
                files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
        for match in REPLAY.finditer(text):
            name = _replay_path(match[1])
            if not files.get_file_from_path(name):
                files.append(
                    File.generated(config, name, content=replay(match[1], tuple(PAGE_FILE.findall(text))))
                )
    for path in sorted(each for each in PLAYGROUND.rglob("*") if each.is_file()):
        name = f"playground/{path.relative_to(PLAYGROUND).as_posix()}"
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The page as the site shows it; on a forge it reads well as it is."""
    home = page.file.src_uri
    page.meta["hide"] = HIDDEN_COLUMNS.get(home, [])
    markdown = FENCE.sub(_titled_fence, markdown)
    markdown = LINK.sub(lambda m: m[1] + (_site_path(home, m[2]) or m[2]), markdown)
    markdown = LISTING.sub(lambda m: _listing(m[1]), markdown)
    markdown = PLAY.sub(
        _frame(home, "playground/index.html", "the playground") if PLAYGROUND.exists() else "", markdown
    )
    markdown = REPLAY.sub(lambda m: _frame(home, _replay_path(m[1]), f"gridlang {m[1]}"), markdown)
    return f"{markdown}\n\n{abbreviations()}"


def _titled_fence(match: re.Match[str]) -> str:
    name = match[2] or match[3]
    return f'```{match[1]} title="{name}"' if name else f"```{match[1]}"


def _from_root(home: str, link: str) -> str | None:
    """The path of a link's target in the repository; None for another host."""
    if ":" in link:
        return None
    folder = "" if home in PAGES_BESIDE_DOCS else posixpath.join("docs", posixpath.dirname(home))
    return posixpath.normpath(posixpath.join(folder, link))


def _site_path(home: str, link: str) -> str | None:
    """A link from a page to its target on the site, where docs/ is the root; None for another host."""
    path = _from_root(home, link)
    return path and posixpath.relpath(path.removeprefix("docs/"), posixpath.dirname(home) or ".")


def _outside(home: str, text: str) -> set[str]:
    """Files of the repository, outside of docs/, that a page links to."""
    paths = {_from_root(home, match[2]) for match in LINK.finditer(text)}
    inside = (*PAGES_BESIDE_DOCS, None)
    return {p for p in paths if p not in inside and not p.startswith("docs/") and (ROOT / p).is_file()}


def _replay_path(command: str) -> str:
    words = re.findall(r"\w+", command.removeprefix("view ").replace("examples/", ""))
    return f"replays/{'-'.join(words)}.html"


@cache
def replay(command: str, page_files: tuple[tuple[str, str], ...]) -> bytes:
    """The page that `gridlang view …` writes, of an example or of a file that the page shows.

    It is kept, so that a writer does not wait for it at each change.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "examples").symlink_to(ROOT / "examples")
        for name, text in page_files:
            Path(folder, name).write_text(text, encoding="utf-8")
        made = Path(folder) / "page.html"
        done = subprocess.run(
            [sys.executable, "-m", "gridlang", *shlex.split(command), "-o", str(made)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        if not made.exists():
            raise PluginError(f"gridlang {command}\n{done.stderr}")
        return made.read_bytes()


def _frame(home: str, path: str, title: str) -> str:
    path = posixpath.relpath(path, posixpath.dirname(home) or ".")
    return (
        f'<div class="replay"><iframe src="{path}" title="{html.escape(title)}" loading="lazy"></iframe>'
        f'<a href="{path}" target="_blank">open this page by itself</a></div>'
    )


def _listing(path: str) -> str:
    source = (ROOT / path).read_text(encoding="utf-8")
    body = "\n".join(f"    {line}" for line in ("```grid", *source.splitlines(), "```"))
    return f'??? quote "{posixpath.basename(path)}"\n\n{body}\n'


@cache
def abbreviations() -> str:
    """Tooltips: the short forms of the glossary, by the first sentence of each."""
    glossary = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
    entries = re.findall(r"^### ([A-Z]{3,})\n\n(.+?)\n(?:\n|\Z)", glossary, re.MULTILINE | re.DOTALL)
    plain = (
        (name, re.sub(r"\[([^]]+)\]\([^)]*\)|[*`]", r"\1", " ".join(text.split()))) for name, text in entries
    )
    return "\n".join(f"*[{name}]: {text.partition('. ')[0].rstrip('.')}" for name, text in plain)


@cache
def names() -> str:
    """A page with every public name, in the order of docs/guide/python.md's table, from its docstring."""
    sys.path.insert(0, str(ROOT))
    import gridlang

    table = (DOCS / "guide" / "python.md").read_text(encoding="utf-8").partition("## All names")[2]
    told = [name for name in re.findall(r"`(\w+)", table) if name in gridlang.__all__]
    public = list(dict.fromkeys([*told, *gridlang.__all__]))
    functions = [name for name in public if name[0].islower()]
    types = [name for name in public if name[0].isupper()]
    parts = [
        f"## {title}\n\n" + "\n".join(map(_entry, group))
        for title, group in (("Functions", functions), ("Types", types))
    ]
    return (
        "# All names\n\nEvery name of `import gridlang as gl`, as its docstring says; the tests run the "
        "examples. [The guide](../guide/python.md) tells how they go together.\n\n" + "\n".join(parts)
    )


def _entry(name: str) -> str:
    return f"::: gridlang.{name}\n"
