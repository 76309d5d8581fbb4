"""Templates: what is put into them is text, unless we made it ourselves."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from gridlang.compiler.drawing.page import BUNDLE
from gridlang.compiler.drawing.templates import macro, own_markup, render, resource
from gridlang.compiler.playground.build import page_stamp

NOTEBOOK = "gridlang.compiler/notebook.html"


@given(st.text())
def test_whatever_is_put_into_a_template_is_text_in_it(text: str) -> None:
    shown = macro(NOTEBOOK, "preformatted")(text)
    inside = re.fullmatch(r"<pre[^>]*>(.*)</pre>", shown, re.DOTALL)
    assert inside and "<" not in inside[1]
    visible = "".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)
    assert unescape(inside[1].replace("\r", "")) == visible.replace("\r", "")


def test_what_could_turn_the_words_around_it_is_seen() -> None:
    shown = macro(NOTEBOOK, "preformatted")("a\u202eb\x00c\ud800d\te")
    assert shown.endswith(">a\ufffdb\ufffdc\ufffdd\te</pre>")


def test_only_our_own_markup_is_markup() -> None:
    assert "><b>x</b></pre>" in macro(NOTEBOOK, "preformatted")(own_markup("<b>x</b>"))


def test_a_value_that_was_forgotten_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(UndefinedError):
        render("gridlang.compiler.drawing/web/page.html", title="x")


def test_the_script_of_pages_is_made_of_the_modules_beside_it() -> None:
    assert resource(BUNDLE).startswith(page_stamp())
