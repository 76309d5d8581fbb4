"""Things that show themselves in a notebook, and the example notebook itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import gridlang as gl
from gridlang import Program, Table, load, string_world
from gridlang.compiler.extraction.extract import Extraction, extract
from gridlang.compiler.extraction.refusals import Refusal
from gridlang.compiler.notebooks import png
from gridlang.compiler.proofs.equivalence import Verdict, compare_tables
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.dfst import read_dfst, table_to_dfst
from gridlang.learners.traces.choosing.coverage import coverage
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from tests.programs import EXAMPLES, ROOT

TOUR = EXAMPLES / "tour.ipynb"
HOSTILE = '"><script>alert(1)</script>'


def add2() -> Program:
    return load(str(EXAMPLES / "add2.grid"))


def changed(table: Table) -> Table:
    """The table with another first rule."""
    state, symbol, entry = next(iter(table.entries()))
    rows = [list(row) for row in table.rows]
    rows[state][symbol] = entry._replace(write=(entry.write + 1) % len(table.symbols))
    return replace(table, rows=tuple(map(tuple, rows)))


def html(thing: Any) -> str:
    text: str = thing._repr_html_()
    assert text.count("<div") == text.count("</div>") and "<script" not in text
    return text


def graph(text: str) -> set[str]:
    """The names of the states in the picture of a graph."""
    names = ElementTree.fromstring(re.findall(r"<svg.*?</svg>", text, re.DOTALL)[0]).iter("text")
    return {node.text or "" for node in names if node.attrib["class"] == "name"}


def test_a_graph_has_the_colours_of_the_notebook_and_changes_nothing_around_it() -> None:
    style = re.findall(r"<style>(.*?)</style>", html(add2()))[0]
    assert "prefers-color-scheme" not in style and "var(--jp-layout-color0" in style
    selectors = [each for rule in re.findall(r"([^{}]+)\{", style) for each in rule.split(",")]
    assert len(selectors) > 30 and all(each.startswith(".gridlang-graph ") for each in selectors)


def test_programs_and_tables_show_their_graph() -> None:
    program = add2()
    shown = html(program)
    assert graph(shown) == graph(html(program.table)) == set(program.table.states)
    assert "12 states, 4 symbols, 38 rules" in shown and "base = 2" in shown
    assert "state carry(v in digit)" in shown  # the source


def test_runs_show_how_they_ended() -> None:
    table = add2().table
    assert "<pre" in html(run(table, string_world("1+1"))) and ">10</pre>" in html(
        run(table, string_world("1+1"))
    )
    assert "stuck" in html(run(table, string_world("++"), 100))


def test_verdicts_show_what_is_claimed_and_where_two_differ() -> None:
    table = add2().table
    assert "proven" in html(compare_tables(table, table))
    different = html(compare_tables(table, changed(table)))
    assert "different" in different and "at step 1" in different and "<td>write" in different
    unknown = Verdict(None, "worlds", 7, 0, reason=HOSTILE)
    assert "unknown" in html(unknown) and "&lt;script" in html(unknown)


def test_models_show_their_weights_and_how_they_were_trained() -> None:
    learned = html(read_dfst(str(EXAMPLES / "models" / "add2.safetensors")))
    assert "1,020 weights" in learned and "recipe fast" in learned and "image/png" in learned
    exact = table_to_dfst(add2().table)
    assert "recipe" not in html(exact)
    strange = replace(exact, metadata={**exact.metadata, "name": HOSTILE, "training": "[" * 50_000})
    assert "&lt;script" in html(strange)
    assert "image/png" not in html(read_dfst(str(EXAMPLES / "models" / "mult10.safetensors")))  # too many


def test_extractions_show_the_graph_or_why_there_is_none() -> None:
    expert = add2().table
    found = extract(table_to_dfst(expert), expert=expert)
    assert graph(html(found)) == set(expert.states) and "extracted" in html(found)
    refused = html(Extraction(refusal=Refusal("G151", HOSTILE, "")))
    assert "refused" in refused and "&lt;script" in refused


def test_traces_and_what_they_show_are_tables() -> None:
    program = add2()
    traces = make_traces(program, [sampling_plan(program.table, "paper")])
    assert "20 traces" in html(traces) and "<td>1+1</td>" in html(traces) and "and 14 more" in html(traces)
    assert "<td>38</td>" in html(coverage(program.table, traces))


def test_what_the_way_in_gives_shows_itself() -> None:
    program = add2()
    exact = gl.compile(program)
    assert graph(html(gl.view(program))) == set(program.table.states)
    marked = html(gl.view(changed(program.table), against=program))
    assert "1 rule" in marked or "differ" in marked
    assert "passed" in html(gl.evaluate(exact, digits=3))
    assert "largest length passed" in html(gl.evaluate(exact, digits=3, largest=True, seconds=0.01))
    assert "0 failed" in html(gl.test(program, cases=10))


def test_names_from_files_are_text() -> None:
    text = (
        "agent a\n\nalphabet\n  odd = '<' | '&'\n\nstart s\n\nstate s\n  '<' : write '&', R\n  '&' : halt\n"
    )
    program = gl.loads(text)
    assert "&lt;" in html(program) and "'<'" not in html(program)
    assert "&amp;" in html(run(program.table, string_world("<&")))


def test_the_language_alone_shows_nothing_and_loads_nothing() -> None:
    code = (
        "import sys; import gridlang; from gridlang import display\n"
        "assert not {'numpy', 'gridlang.compiler', 'gridlang.learners'} & set(sys.modules)\n"
        f"program = gridlang.load({str(EXAMPLES / 'add2.grid')!r})\n"
        "display.ABOVE = ('no_such_house.notebooks',)\n"
        "assert program._repr_html_() is None and program.table._repr_html_() is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5)])
def test_a_picture_of_weights_is_a_png_that_others_can_read(shape: tuple[int, int]) -> None:
    import struct
    import zlib

    pixels = np.arange(shape[0] * shape[1] * 3, dtype=np.uint8).reshape(*shape, 3)
    data = png(pixels)
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (shape[1], shape[0])
    place, parts = 8, {}
    while place < len(data):
        size, kind = struct.unpack(">I", data[place : place + 4])[0], data[place + 4 : place + 8]
        parts[kind] = data[place + 8 : place + 8 + size]
        assert struct.unpack(">I", data[place + 8 + size : place + 12 + size])[0] == zlib.crc32(
            kind + parts[kind]
        )
        place += 12 + size
    lines = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(shape[0], -1)
    assert (lines[:, 0] == 0).all() and (lines[:, 1:].reshape(pixels.shape) == pixels).all()


def kinds(notebook: dict[str, Any], of: Callable[[str], str]) -> list[list[str]]:
    """What each code cell shows, in brief."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [[of(output["data"].get("text/html", "")) for output in cell["outputs"]] for cell in cells]


def words(text: str) -> str:
    """Without pictures and numbers, which may differ in their last digits from machine to machine."""
    bare = re.sub(r"<svg.*?</svg>|<[^>]*>", " ", text, flags=re.DOTALL)
    return re.sub(r"\d[\d.,]*(e[-+]\d+)?", "…", unescape(bare))


def test_the_notebook_runs_and_shows_what_it_holds(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    output = tmp_path / "tour.ipynb"
    command = [sys.executable, "-m", "tests.notebooks", str(TOUR), str(output)]
    subprocess.run(command, check=True, cwd=ROOT)
    before, after = (
        json.loads(TOUR.read_text(encoding="utf-8")),
        json.loads(output.read_text(encoding="utf-8")),
    )
    assert kinds(after, words) == kinds(before, words)
    assert all(len(cell) == 1 and cell[0] for cell in kinds(after, str))
    assert "proven" in str(kinds(after, words)) and "different" in str(kinds(after, words))
