"""A state graph that nobody wrote becomes a program that does what was seen, with families that were found."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from statistics import median, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.compiler.automata.equivalence import follows
from gridlang.compiler.drawing.graphs import GUESSED, state_graph
from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.compiler.weights.families.readable import Readable, named_in, readable
from gridlang.loading import load, load_source
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from gridlang.table import Entry, Table, canonical
from tests.programs import EXAMPLES, PROGRAMS, ROOT
from tests.strategies import canonical_tables
from tests.support.weights import TABLES, rotated

MODELS = ["add2", "add10", "mult2", pytest.param("mult10", marks=pytest.mark.long)]
GOLDEN = ROOT / "tests" / "golden" / "families"


def bare(table: Table) -> Table:
    """Without names and families."""
    return replace(table, states=tuple(f"q{n}" for n in range(len(table.states))), families=(), output="")


@cache
def from_bare(name: str) -> Readable:
    return readable(bare(next(example for example in PROGRAMS if example.name == name).load().table))


def declared(text: str) -> list[str]:
    return re.findall(r"^state (\w+)", text, re.MULTILINE)


def code(text: str) -> list[str]:
    lines = (line.split(" #")[0].strip() for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith(("#", "test", "output"))]


@st.composite
def partly_seen(draw: st.DrawFn) -> Table:
    """A table of which some entries were never seen; none of the states is without one."""
    table = draw(canonical_tables)
    pairs = [(q, x) for q, x, _ in table.entries()]
    hidden = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    rows = tuple(
        tuple(None if (q, x) in hidden else entry for x, entry in enumerate(row))
        for q, row in enumerate(table.rows)
    )
    return bare(canonical(replace(table, rows=rows, families=())))


@given(partly_seen())
def test_all_that_was_seen_is_done_the_same_and_the_rest_is_a_guess(raw: Table) -> None:
    found = readable(raw)
    table = load_source(Source("<found>", found.text)).table
    assert table == found.table and follows(raw, table)
    seen = {(found.home[q], x) for q, x, _ in raw.entries()}
    assert {(q, x) for q, x, _ in table.entries()} - seen <= found.guesses | seen
    assert all(table.rows[q][x] is not None for q, x in found.guesses)


@given(partly_seen())
def test_where_a_model_was_asked_and_undecided_there_is_no_rule(raw: Table) -> None:
    stuck = frozenset(raw.missing())
    found = readable(raw, stuck)
    assert all(found.table.rows[found.home[q]][x] is None for q, x in stuck)


@pytest.mark.parametrize("name", MODELS)
def test_a_shipped_model_is_printed_as_one_would_have_written_it(name: str) -> None:
    """With at most one state more than the expert declares, proven equal to it, and nothing numbered."""
    found = extract(read_dfst(str(EXAMPLES / "models" / f"{name}.safetensors")))
    text, expert = found.to_source(), (EXAMPLES / f"{name.rstrip('0123456789')}.grid").read_text()
    assert text == (GOLDEN / f"{name}.grid").read_text()
    assert len(declared(text)) <= 1 + len(declared(expert))
    assert len(code(text)) <= 1.1 * len(code(format_source(Source("<expert>", expert))))
    assert not re.search(r"_\d", " ".join(declared(text)))
    assert found.table and prove(TABLES[name], found.table, "inputs").equivalent


def test_what_is_found_in_bare_tables_is_as_short_as_what_was_written() -> None:
    """In the examples and in agents that nobody tuned for; some examples take all from another file."""
    ratios = []
    for path in (
        path
        for folder in ("examples", "examples/suite", "tests/agents")
        for path in (ROOT / folder).glob("*.grid")
    ):
        text = path.read_text(encoding="utf-8")
        if "\nstate " in text and "\nagent " in f"\n{text}":
            found = readable(bare(load(path).table)).text
            ratios.append(len(code(found)) / len(code(format_source(Source("<expert>", text)))))
            assert not re.search(r"_\d", " ".join(declared(found)))
    assert len(ratios) > 50 and median(ratios) <= 1 and quantiles(ratios, n=10)[-1] <= 1.3


@pytest.mark.parametrize("page", ["README.md", "docs/guide/learning.md"])
def test_a_page_shows_what_a_command_prints(page: str) -> None:
    (shown,) = re.findall(r"\n\n```\n(state .*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert set(shown.strip().split("\n\n")) <= set((GOLDEN / "mult10.grid").read_text().split("\n\n"))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("add10", "  d in digit : write (v+d) mod base, D -> mark_plus((v+d) div base)"),
        ("mult10", "  d in digit : write (v*d + c) mod base, L -> times(v, (v*d + c) div base)"),
        ("mult2", "state add(c in 0..base)"),
        ("twice", "state carry_right(v in letter)"),  # no digits
        ("ant", "state face(m: move except S)"),
        ("ant", "  _   : write '#', right(m) -> face(right(m))"),
        ("flood", "  arrow | home if m != U : m -> turn_back(m)"),  # one of four is no turn of another
        ("brackets", "state hold(v in verdict)"),
    ],
)
def test_families_over_digits_letters_and_moves_are_found(name: str, line: str) -> None:
    squeezed = [" ".join(each.split()) for each in from_bare(name).text.split("\n")]
    assert " ".join(line.split()) in squeezed


def broken(table: Table, state: str, symbol: str, **change: str) -> Table:
    q, x = table.states.index(state), table.symbols.index(symbol)
    rows = [list(row) for row in table.rows]
    entry = rows[q][x]
    assert entry is not None
    write, after = change.get("write"), change.get("next")
    rows[q][x] = Entry(
        table.symbols.index(write) if write else entry.write,
        entry.move,
        table.states.index(after) if after else entry.next,
    )
    return canonical(replace(table, rows=tuple(map(tuple, rows)), families=()))


@pytest.mark.parametrize("change", [{"write": "3"}, {"next": "look"}], ids=["write", "next"])
def test_an_entry_that_breaks_a_formula_is_told(change: dict[str, str]) -> None:
    table = TABLES["add10"]
    wrong = broken(broken(table, "carry(2)", "7", **change), "carry(8)", "2", **change)
    found = readable(bare(wrong))
    assert [str(odd) for odd in found.odd] == [
        "these 2 of 100 entries break `(v+d) mod base`: `add(2)` on 7, `add(8)` on 2"
    ]
    lines = [" ".join(line.split()) for line in found.text.split("\n")]
    assert sum(line.startswith(("7 if v == 2 :", "2 if v == 8 :")) for line in lines) == 2
    assert sum(line.endswith("# breaks (v+d) mod base") for line in lines) == 2
    assert prove(wrong, found.table, "table").equivalent


@pytest.mark.parametrize(
    ("name", "slips", "told"),
    [
        ("add10", ["carry(2) 7"], "this 1 of 100 entries breaks `(v+d) mod base`: `carry(2)` on 7"),
        (  # where it comes to is stuck on some inputs
            "add10",
            ["carry(2) 7", "carry(8) 2", "carry(5) 5"],
            "these 3 of 100 entries break `(v+d) mod base`: `carry(2)` on 7, `carry(5)` on 5, `carry(8)` on 2",
        ),
        pytest.param(
            "mult10",
            ["times(4,0) 6", "times(7,3) 4"],
            "these 2 of 460 entries break `(v*d + c) mod base`: `times(4,0)` on 6, `times(7,3)` on 4",
            marks=pytest.mark.long,
        ),
    ],
)
def test_weights_broken_on_purpose_are_read_and_equiv_points_at_what_breaks(
    name: str, slips: list[str], told: str
) -> None:
    wrong = TABLES[name]
    for slip in slips:
        wrong = broken(wrong, *slip.split(), write="3", **({"next": "look"} if slip == "carry(5) 5" else {}))
    verdict = gl.equiv(TABLES[name], rotated(wrong), scope="inputs")
    assert verdict.equivalent is False and verdict.odd[0] == told
    places = [slip.replace(" ", "` on ") for slip in slips]
    assert re.sub(r"step \d+ is at one of them: `", "", verdict.odd[1]) in places


def test_a_guess_is_remarked_in_the_source_and_dimmed_in_the_picture() -> None:
    table = TABLES["add10"]
    rows = [list(row) for row in table.rows]
    q, x = table.states.index("carry(3)"), table.symbols.index("_")
    rows[q][x] = None
    found = readable(bare(replace(table, rows=tuple(map(tuple, rows)))))
    assert found.guesses == {(found.home[q], x)} and found.text.count("# 1 of 10 not seen") == 1
    program = load_source(Source("<found>", found.text))._replace(guesses=found.guesses)
    dimmed = [line for line in state_graph(program, fold=False).all_lines() if line.mark == GUESSED]
    assert [line.pairs for line in dimmed] == [((found.home[q], x),)]


def test_extract_view_and_a_notebook_show_the_same_states_and_families() -> None:
    model = EXAMPLES / "models" / "add2.safetensors"
    found, drawn = gl.extract(model), gl.view(model)
    assert found.table and drawn.program.table == found.table
    names = [name.split("(")[0] for name in found.table.states]
    assert all(name in drawn.render("svg").decode() and name in found._repr_html_() for name in names)


def test_a_state_that_no_run_comes_to_is_not_named_after_another() -> None:
    table = TABLES["add2"]
    found = readable(table)
    homes = (*found.home[:-1], -1)
    assert named_in(replace(found, home=homes), table).states[-1] == "unreached"


def test_a_graph_without_any_order_takes_bounded_time() -> None:
    """Which grows with its entries: what is tried is counted."""
    symbols, size = "_0123456789", 150
    rows = tuple(
        tuple(
            Entry((7 * q + x * x) % 11, (q + x * q) % 4, (q * q + 3 * x + q // 7) % size) for x in range(11)
        )
        for q in range(size)
    )
    raw = canonical(
        Table("wild", tuple(symbols), tuple(map(str, range(size))), rows, (("digit", symbols[1:]),))
    )
    assert follows(raw, readable(raw).table)
