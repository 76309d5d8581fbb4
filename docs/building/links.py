"""Whether every link of the site leads somewhere within it, and nothing is fetched from another host."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pymdownx.slugs import slugify

# What a browser fetches by itself when it shows a page; the rest are links that a reader follows.
FETCHING = {"script", "img", "iframe", "source", "video", "audio", "object", "embed"}
FETCHED_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "modulepreload", "manifest"}
CSS_REQUEST = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")
MARKDOWN_LINK = re.compile(r'(?:\]\(|(?:href|src|srcset)=")([^)\s"]+)')
MARKDOWN_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


class HtmlPage(HTMLParser):
    """The anchors of a page, its links, and which of them it fetches by itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "__top"}
        self.links: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        fetches = tag in FETCHING or bool(FETCHED_RELATIONS & set(given.get("rel", "").split()))
        self.links += [(given[name], fetches) for name in ("href", "src", "srcset", "data") if name in given]


def broken_site_links(site: Path) -> Iterator[str]:
    """Where a page of the site leads to nothing in it, or fetches from elsewhere."""
    pages = {path: HtmlPage(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        here = path.relative_to(site)
        for link, fetches in page.links:
            parts = urlsplit(link)
            if parts.scheme == "data" or ((parts.scheme or parts.netloc) and not fetches):
                continue
            if parts.scheme or parts.netloc:
                yield f"{here}: fetches {link} from another host"
                continue
            base = site if parts.path.startswith("/") else path.parent
            target = path if not parts.path else _file(base / unquote(parts.path).lstrip("/"))
            if here.name == "404.html" and base == site:
                continue  # Its links are for a site at the root of a host, wherever this one will be.
            if target is None:
                yield f"{here}: {link} leads nowhere"
            elif target == site / "playground" / "index.html":
                continue  # The playground reads its fragment: a document, or the name of an example.
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{here}: {link} has no such anchor"
    for path in sorted(site.rglob("*.css")):
        for request in CSS_REQUEST.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: fetches {request} from another host"


def _file(path: Path) -> Path | None:
    path = Path(posixpath.normpath(path))
    path = path / "index.html" if path.is_dir() else path
    return path if path.is_file() else None


def broken_repository_links(root: Path, pages: list[Path]) -> Iterator[str]:
    """Where a Markdown page, read in the repository, leads to no file or to no heading."""
    for page in pages:
        for link in MARKDOWN_LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = page if not parts.path else page.parent / unquote(parts.path)
            if not target.exists():
                yield f"{page.relative_to(root)}: {link} leads nowhere"
            elif target.suffix == ".md" and parts.fragment and parts.fragment not in headings(target):
                yield f"{page.relative_to(root)}: {link} has no such heading"


def headings(page: Path) -> set[str]:
    """The anchors that a forge gives to a page's headings."""
    anchor = slugify(case="lower")
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {
        anchor(re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", title), "-")
        for title in MARKDOWN_HEADING.findall(text)
    }
