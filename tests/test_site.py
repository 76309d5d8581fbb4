"""The site: its figure shows a real round trip, and links that are broken are found."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import gridlang as gl
from gridlang.compiler.local_pages import LocalServer, folder_pages
from tests.programs import EXAMPLES, ROOT
from tests.support.browser import DESK, PHONE, axe_findings

sys.path.insert(0, str(ROOT / "docs"))
from building import round_trip

links = pytest.importorskip("building.links", reason="needs the packages of the extra `docs`")


def test_the_figure_is_of_add10_and_what_it_calls_proven_is() -> None:
    record = round_trip.recorded()
    assert record["source"] == (EXAMPLES / "add.grid").read_text(encoding="utf-8")
    agent = gl.load(EXAMPLES / "add10.grid")
    assert gl.equiv(agent, gl.loads(record["learned"]), scope="inputs").equivalent is True
    assert record["grids"] == json.loads(json.dumps(round_trip.grids(agent)))


TAGS = "svg title style g rect text tspan path polygon polyline circle image"


@pytest.mark.parametrize("path", round_trip.DRAWINGS, ids=lambda path: path.stem)
def test_the_figure_is_the_drawing_of_its_record_without_scripts_or_requests(path: Path) -> None:
    drawn = path.read_text(encoding="utf-8")
    assert drawn == round_trip.draw(round_trip.recorded(), round_trip.DRAWINGS[path])
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(drawn).iter()}
    assert tags <= set(TAGS.split())
    assert "url(" not in drawn and drawn.count("http") == 1  # The name of its format.


def test_a_link_that_leads_nowhere_and_a_request_to_another_host_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text('<h2 id="here">x</h2>')
    (tmp_path / "page.html").write_text(
        '<a href="other.html#here">a</a><a href="other.html#gone">b</a><a href="none.html">c</a><a href="#me">d</a>'
        '<a href="https://example.org">e</a><img src="https://example.org/x.png"><img src="data:image/png;base64,AA">'
        '<link rel="stylesheet" href="//example.org/x.css"><link rel="canonical" href="https://example.org/">'
    )
    (tmp_path / "x.css").write_text("@import 'https://example.org/y.css'; a { background: url(data:x) }")
    assert list(links.broken_site_links(tmp_path)) == [
        "page.html: other.html#gone has no such anchor",
        "page.html: none.html leads nowhere",
        "page.html: #me has no such anchor",
        "page.html: fetches https://example.org/x.png from another host",
        "page.html: fetches //example.org/x.css from another host",
        "x.css: fetches https://example.org/y.css from another host",
    ]


def test_links_between_markdown_pages_are_checked_with_their_headings(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b`: c\n[1](#a-b-c) [2](#none) [3](page.md#a-b-c) [4](gone.md)\n```\n[5](gone.md)\n```\n"
    )
    assert list(links.broken_repository_links(tmp_path, [page])) == [
        "page.md: #none has no such heading",
        "page.md: gone.md leads nowhere",
    ]


SITE = ROOT / "build" / "site"
CUT = "[...document.querySelectorAll('.doc-signature code')].filter((each) => each.scrollWidth > each.clientWidth + 1)"


@pytest.mark.skipif(not SITE.exists(), reason="the site is not built")
@pytest.mark.parametrize(
    ("viewport", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["light desk", "dark phone"]
)
def test_pages_and_the_search_keep_nobody_out_and_cut_no_signature(
    browser: Any, viewport: dict[str, int], scheme: str
) -> None:
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    page = context.new_page()
    with LocalServer(folder_pages(SITE)) as server:
        for name in ("index", "guide/tutorial", "reference/language", "reference/names"):
            page.goto(f"{server.url}{name}.html")
            page.evaluate("document.querySelectorAll('iframe').forEach((each) => each.remove())")
            assert axe_findings(page) == []
        assert page.evaluate(f"{CUT}.length") == 0
        page.evaluate("document.querySelector('#__search').click()")
        page.keyboard.type("prove")
        page.locator(".md-search-result__article").first.wait_for()
        page.get_by_role("dialog", name="Search").wait_for(
            state="attached"
        )  # phones lay it out without a box
        page.evaluate("Promise.allSettled(document.getAnimations().map((fading) => fading.finished))")
        assert axe_findings(page) == []
    context.close()
