"""State graphs: what is in them, that they are drawn in time, and that nothing in a file can break a drawing."""

import itertools
import json
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.automata.merging import minimize_table
from gridlang.compiler.drawing.differences import cause_in_words, compare, difference_graph
from gridlang.compiler.drawing.graphs import AWAY, DIFFERS, SAME, SHOWS, families, state_graph
from gridlang.compiler.drawing.labels import in_words
from gridlang.compiler.drawing.layout.lay_out import lay_out, layout_problem
from gridlang.compiler.drawing.layout.placed import Drawing, Point
from gridlang.compiler.drawing.svg import drawing_to_svg, svg_to_png
from gridlang.compiler.drawing.views import graph_to_dot, picture, with_source
from gridlang.diagnostics import GridError
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table, canonical
from gridlang.table_json import table_from_json, table_to_json
from gridlang.world import string_world
from tests.programs import EXAMPLES, ROOT
from tests.strategies import canonical_tables
from tests.support.clocks import processor_seconds
from tests.support.drawable import HOSTILE, PICTURES, WORLDS, bare, example, mutated
from tests.support.searches import searched


def texts(program: Program, fold: bool | None = None) -> set[str]:
    return {line.text for line in state_graph(program, fold).all_lines()}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_one_that_was_looked_at(name: str) -> None:
    looked_at = (ROOT / "tests" / "golden" / "pictures" / f"{name}.svg").read_bytes()
    assert picture("svg", PICTURES[name]()) == looked_at


def test_labels_use_the_classes_of_the_alphabet() -> None:
    assert "digit | + / keep, R" in texts(example("add10"), False)
    assert "0..6 / 3..9, D" in texts(example("add10"), False)
    assert "digit except 0 / halt" in texts(example("mult10"), True)
    table = example("add10").table
    words = {
        name: [table.symbols.index(c) for c in chars]
        for name, chars in (
            ("any", table.symbols),
            ("digit", "0123456789"),
            ("digit | _", "_0123456789"),
            ("2..5 | +", "2345+"),
            ("digit except 3", "012456789"),
            ("0 | 1", "01"),
        )
    }
    assert {name: in_words(table, symbols) for name, symbols in words.items()} == {
        name: name for name in words
    }


@given(canonical_tables, st.booleans())
@searched(20)
def test_every_rule_is_on_exactly_one_line_and_every_state_in_one_node(table: Table, fold: bool) -> None:
    graph = state_graph(bare(table), fold)
    pairs = [pair for line in graph.all_lines() for pair in line.pairs]
    assert sorted(pairs) == [(q, x) for q, x, _ in table.entries()]
    assert sorted(q for node in graph.nodes for q in node.members) == list(range(len(table.states)))
    ends = [(edge.source, edge.target) for edge in graph.edges]
    assert len(ends) == len(set(ends)) and all(source != target for source, target in ends)
    home = {q: number for number, node in enumerate(graph.nodes) for q in node.members}
    for edge in graph.edges:
        for q, x in (pair for line in edge.lines for pair in line.pairs):
            entry = table.rows[q][x]
            assert entry and (home[q], home[entry.next]) == (edge.source, edge.target)
    assert [node.start for node in graph.nodes].index(True) == home[0]


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(abs(one[i] - other[i]) < (one[i + 2] + other[i + 2]) / 2 - 0.01 for i in (0, 1))


def boxes(drawing: Drawing) -> list[tuple[float, ...]]:
    sizes = [size for _, _, size in layout_problem(drawing.graph).edges]
    labels = [(*route.label, *size) for route, size in zip(drawing.layout.routes, sizes, strict=True)]
    return [tuple(box) for box in drawing.layout.nodes] + labels


@given(canonical_tables)
@searched(10)
def test_in_our_own_layout_no_state_or_label_lies_on_another(table: Table) -> None:
    graph = state_graph(bare(table))
    drawing = lay_out(graph)
    found = boxes(drawing)
    assert not any(overlap(*pair) for pair in itertools.combinations(found, 2))
    for edge, route in zip(graph.edges, drawing.layout.routes, strict=True):
        for end, (x, y) in ((edge.source, route.points[0]), (edge.target, route.points[-1])):
            box = drawing.layout.nodes[end]
            level = abs(abs(y - box.y) - box.height / 2) < 0.01 and abs(x - box.x) <= box.width / 2
            assert level or (abs(abs(x - box.x) - box.width / 2) < 0.01 and abs(y - box.y) <= box.height / 2)
    assert all(x - w / 2 >= 0 and x + w / 2 <= drawing.layout.size.width for x, _, w, _ in found)


def test_every_state_of_a_large_graph_is_laid_out_soon() -> None:
    begun = processor_seconds()
    drawing = lay_out(state_graph(example("mult10"), False))
    assert processor_seconds() - begun < 5  # 0.3 s
    assert not any(overlap(*pair) for pair in itertools.combinations(map(tuple, drawing.layout.nodes), 2))


def crossings(drawing: Drawing) -> int:
    """How many pairs of edges cross, each edge taken as the straight lines between its points."""

    def side(a: Point, b: Point, point: Point) -> float:
        return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])

    def cross(a: Point, b: Point, c: Point, d: Point) -> bool:
        return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0

    lines = [list(itertools.pairwise(route.points)) for route in drawing.layout.routes]
    return sum(
        any(cross(*piece, *other) for piece in one for other in two)
        for one, two in itertools.combinations(lines, 2)
    )


@pytest.mark.parametrize(("name", "most"), [("add2", 1), ("flood", 1), ("add10", 2), ("mult2", 8)])
def test_a_layout_crosses_little(name: str, most: int) -> None:
    assert crossings(lay_out(state_graph(example(name), False))) <= most


@pytest.mark.parametrize("table", [HOSTILE, example("increment").table], ids=lambda table: table.name)
def test_a_png_is_the_svg(table: Table) -> None:
    graph = state_graph(bare(table))
    svg = picture("svg", graph).decode()
    drawn = picture("png", graph)
    width, height = (int(each) for each in re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)[0])
    assert drawn.startswith(b"\x89PNG") and struct.unpack(">II", drawn[16:24]) == (2 * width, 2 * height)


def test_words_and_the_legend_are_in_a_png() -> None:
    graph = state_graph(bare(example("increment").table))
    svg = picture("svg", graph).decode()
    drawn = picture("png", graph)
    silent = svg_to_png(re.sub(r"<text.*?</text>", "", svg))
    legend = svg_to_png(re.sub(r'<text class="note".*?</text>', "", svg))
    assert silent != drawn != legend  # Words and the legend's words are in it.


@pytest.mark.parametrize("fold", [True, False])
def test_hostile_names_are_text_in_an_svg(fold: bool) -> None:
    text = picture("svg", state_graph(bare(HOSTILE), fold)).decode()
    root = ET.fromstring(text)
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert tags <= {"svg", "g", "path", "rect", "text", "tspan", "title", "style", "polygon"}
    assert any(
        "<script>alert(1)</script>" in (title.text or "")
        for title in root.iter("{http://www.w3.org/2000/svg}title")
    )
    assert not re.search(r"\son\w+=\"", re.sub(r">[^<]*<", "><", text))


@given(canonical_tables, st.booleans())
@searched(8)
def test_svg_is_well_formed_whatever_the_names(table: Table, fold: bool) -> None:
    graph = state_graph(bare(table), fold)
    ET.fromstring(drawing_to_svg(lay_out(graph)))


@pytest.mark.skipif(not shutil.which("nop"), reason="no graphviz here")
@pytest.mark.parametrize(
    "table",
    [HOSTILE, *(example(name).table for name in ("add10", "mult10", "brackets"))],
    ids=lambda t: t.name,
)
def test_graphviz_reads_the_dot_text(table: Table) -> None:
    for fold in (True, False):
        graph = state_graph(bare(table), fold)
        done = subprocess.run(
            ["nop", "-p"],
            input=graph_to_dot(graph).encode(),
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0 and not done.stderr


def test_a_table_is_shown_with_a_source_of_its_own() -> None:
    table = example("add10").table
    program = with_source(bare(table))
    assert program.table is table and program.definition and len(program.rules) == table.transitions
    assert families(table) and not texts(program, True) & {"v / keep, D"}


def test_a_difference_is_marked_where_it_is_and_nowhere_else() -> None:
    left, right = example("add2"), mutated()
    found = compare(left.table, right.table, WORLDS)
    wrong = [
        (right.table.states[q], right.table.symbols[x])
        for (q, x), mark in found.marks.items()
        if mark == DIFFERS
    ]
    assert wrong == [("ripple(1)", "_")] and not found.lost and not found.missing(right.table)
    assert found.cause and found.cause.step == found.step and not found.symptoms
    assert found.world in WORLDS and found.step == 16


def test_the_cause_is_told_apart_from_where_it_shows() -> None:
    text = (EXAMPLES / "add.grid").read_text().replace("shift((d+v) div base)", "shift(0)")
    left, right = example("add2"), load_source(Source("<careless>", text), {"base": "2"})
    compared = compare(left.table, right.table, WORLDS)
    marked = {
        right.table.states[q]: mark for (q, _), mark in compared.marks.items() if mark in (DIFFERS, SHOWS)
    }
    assert marked == {"carry(1)": DIFFERS, "ripple(0)": SHOWS}
    assert compared.cause and compared.cause.step < compared.step
    line = text.split("\n").index("  d in digit : write (d+v) mod base, D -> shift(0)") + 1
    assert right.rules[compared.cause.pair].span.line == line
    assert "carry(1) on 1 goes to shift(0), where carry(1) goes to shift(1)" in cause_in_words(
        left, right, compared
    )
    assert [left.table.states[p] for p in compared.lost] == ["shift(1)", "ripple(1)"]
    graph = difference_graph(left, right, compared)
    missing = {graph.nodes[edge.target].name for edge in graph.edges if edge.mark == "missing"}
    assert missing == {"shift(1)", "ripple(1)", "home"}


def test_a_smaller_agent_that_does_the_same_has_no_cause() -> None:
    table = example("mult2").table
    small = minimize_table(table).table
    compared = compare(
        table, small, [string_world(f"{a}*{b}") for a in ("1", "10", "11") for b in ("0", "11")]
    )
    assert len(small.states) <= len(table.states) and not compared.departures and not compared.symptoms
    assert compared.cause is None


def test_an_agent_does_not_differ_from_itself_nor_from_its_renamed_and_reordered_self() -> None:
    table = example("add2").table
    renamed, data = canonical(table), json.loads(table_to_json(table))
    turned = table_from_json(json.dumps({**data, "symbols": ["_", *reversed(table.symbols[1:])]}))
    for other in (renamed, turned):
        found = compare(table, other, WORLDS)
        assert set(found.marks.values()) <= {SAME, AWAY} and not found.departures and found.world is None
        assert found.matches == tuple((state,) for state in range(len(table.states)))


def test_what_is_no_svg_is_told_and_raises_nothing_else() -> None:
    with pytest.raises(GridError) as error:
        svg_to_png("<svg")
    assert error.value.diagnostics[0].code == "G174"
