"""What MkDocs does not know of these pages: replays, sources, files beside docs/, names and diagnostics."""

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
from pymdownx.slugs import slugify

from gridlang.codes import CODES, reference
from gridlang.compiler.playground.build import blocks, fragment

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# What `python -m gridlang.compiler.playground.build` has written, if it was run.
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
ERRORS = "reference/errors.md"
CODE_IN_TEXT = re.compile(r"(?<=\()G\d{3}\b")
REPLAY = re.compile(r"^<!-- replay: (view .+?) -->$", re.MULTILINE)
PLAY = re.compile(r"^<!-- playground -->$", re.MULTILINE)
LISTING = re.compile(r"^<!-- source: (\S+) -->$", re.MULTILINE)
PAGE_FILE = re.compile(r"^```grid file=(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```(\w+) (?:(?:file|change)=(\S+)|part-of=(\S+))$", re.MULTILINE)
EXAMPLE = re.compile(r"\[[^]]*\]\((?:\.\./)*examples/(\w+)\.grid\)")
EMPTY_HEAD = re.compile(r"<th([^>]*)></th>")
LINK = re.compile(r'(\]\(|(?:href|src)=")([^)\s"#]+)')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds pages at the root, the reference, files beside docs/ that pages name, replays, the playground."""
    for name in PAGES_BESIDE_DOCS:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    files.append(File.generated(config, "reference/names.md", content=names()))
    files.append(File.generated(config, ERRORS, content=reference()))
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
        inside = path.relative_to(PLAYGROUND).as_posix()
        if inside == "index.html":  # Its documentation is this site.
            text = path.read_text(encoding="utf-8").replace('href="docs/', 'href="../')
            files.append(File.generated(config, f"playground/{inside}", content=text))
        elif not inside.startswith("docs/"):
            files.append(File.generated(config, f"playground/{inside}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The page as the site shows it; on a forge it reads well as it is."""
    home = page.file.src_uri
    page.meta["hide"] = HIDDEN_COLUMNS.get(home, [])
    page_files = tuple(PAGE_FILE.findall(markdown))
    markdown = _with_play_links(home, markdown)
    markdown = FENCE.sub(_titled_fence, markdown)
    markdown = LINK.sub(lambda m: m[1] + (_site_path(home, m[2]) or m[2]), markdown)
    markdown = CODE_IN_TEXT.sub(lambda m: _explained(home, m[0]), markdown)
    markdown = LISTING.sub(lambda m: _listing(home, m[1]), markdown)
    markdown = PLAY.sub(
        _frame(home, "playground/index.html", "the playground") if PLAYGROUND.exists() else "", markdown
    )
    markdown = REPLAY.sub(
        lambda m: _frame(home, _replay_path(m[1]), f"gridlang {m[1]}", _replayed(m[1], dict(page_files))),
        markdown,
    )
    return f"{markdown}\n\n{abbreviations()}"


def on_page_content(html: str, **_: Any) -> str:
    """The corner of a table heads nothing."""
    return EMPTY_HEAD.sub(r"<td\1></td>", html)


def _with_play_links(home: str, markdown: str) -> str:
    """A link into the playground below each block of source, and behind each link to an example."""
    if not PLAYGROUND.exists():
        return markdown
    for block in reversed(list(blocks(markdown, (DOCS / home).parent))):
        link = _play_link(home, fragment(block.name, block.source), "open in the playground", block.name)
        markdown = f'{markdown[: block.end]}\n<div class="play">{link}</div>\n{markdown[block.end :]}'
    return EXAMPLE.sub(lambda m: f"{m[0]} {_play_link(home, '#' + m[1], '▶', m[1])}", markdown)


def _play_link(home: str, opened: str, text: str, name: str) -> str:
    path = posixpath.relpath("playground/index.html", posixpath.dirname(home) or ".")
    return (
        f'<a class="play" href="{path}{opened}" title="{name} in the playground" '
        f'aria-label="{name}: open in the playground">{text}</a>'
    )


def _replayed(command: str, page_files: dict[str, str]) -> str | None:
    """What shows in the playground what `gridlang view` replays; None for models and comparisons."""
    words = shlex.split(command)[1:]
    name, given = words[0], words[words.index("--input") + 1] if "--input" in words else None
    if not name.endswith(".grid") or {"--against", "-D"} & set(words):
        return None
    if name in page_files:
        return fragment(Path(name).stem, page_files[name], given)
    return example_fragment(name, given)


def example_fragment(path: str, given: str | None = None) -> str:
    """The link to a file of examples/: those that the playground has by name, unless an input is given."""
    name = Path(path).stem
    if given is None and Path(path).parent.name == "examples":
        return f"#{name}"
    return fragment(name, (ROOT / path).read_text(encoding="utf-8"), given)


def _titled_fence(match: re.Match[str]) -> str:
    name = match[2] or match[3]
    return f'```{match[1]} title="{name}"' if name else f"```{match[1]}"


def _explained(home: str, code: str) -> str:
    """A code of a diagnostic, as a link to what it means; the changelog names former ones."""
    if code not in CODES:
        return code
    anchor = slugify(case="lower")(f"{code}: {CODES[code].title}", "-")
    return f"[{code}]({posixpath.relpath(ERRORS, posixpath.dirname(home) or '.')}#{anchor})"


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


def _frame(home: str, path: str, title: str, opened: str | None = None) -> str:
    path = posixpath.relpath(path, posixpath.dirname(home) or ".")
    play = ""
    if opened and PLAYGROUND.exists():
        play = _play_link(home, opened, "open in the playground", html.escape(title)) + " · "
    return (
        f'<div class="replay"><iframe src="{path}" title="{html.escape(title)}" loading="lazy"></iframe>'
        f'{play}<a href="{path}" target="_blank">open this page by itself</a></div>'
    )


def _listing(home: str, path: str) -> str:
    source = (ROOT / path).read_text(encoding="utf-8")
    lines = ["```grid", *source.splitlines(), "```"]
    if PLAYGROUND.exists():
        link = _play_link(home, example_fragment(path), "open in the playground", Path(path).stem)
        lines += ["", f'<div class="play">{link}</div>']
    body = "\n".join(f"    {line}" for line in lines)
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
