"""Names across files, hover and completion, without a server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.language_server.analysis import Summary, summarise
from gridlang.compiler.language_server.documents import Documents
from gridlang.compiler.language_server.features.completion import completions
from gridlang.compiler.language_server.features.hovering import hover
from gridlang.compiler.language_server.features.outline import folds, symbols
from gridlang.compiler.language_server.features.renaming import Refused, rename
from gridlang.compiler.language_server.project import Project
from gridlang.diagnostics import edited
from gridlang.files import unsaved
from gridlang.loading import load, try_load_source
from gridlang.source import Source
from tests.programs import EXAMPLES

WALKS = """library walks

# Goes over symbols of a class.
state walk(way: move, over: class, next: state)
  over : way
  else : as next
"""
AGENT = """agent ends(base in 2..9 = 3)

use walk from "walks.grid"

let last = base - 1

alphabet
  digit = 0..last
  sign  = '+'

input a = digit+, b = digit*
output a + number(b)

start walk(R, digit, done(2))

state done(c in digit)   # what is left
  d in digit if d < c : write c, L -> done(d)
  _ : write c, R -> "the end"
  sign : left(L)

state "the end"
  any : halt

test "1" halts in state done
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = os.path.realpath(tmp_path)
    project = Project([folder])
    project.open[f"{folder}/walks.grid"] = WALKS
    project.open[f"{folder}/ends.grid"] = AGENT
    (tmp_path / "other.grid").write_text('agent other = ends(base = 2) from "ends.grid"\n', encoding="utf-8")
    return project


def path_of(project: Project, name: str = "ends.grid") -> str:
    return f"{project.folders[0]}/{name}"


def at(text: str, marked: str) -> int:
    """The offset of `¦` within some text."""
    return text.index(marked.replace("¦", "")) + marked.index("¦")


@pytest.mark.parametrize(
    ("place", "file", "line"),
    [
        ("start ¦walk(R", "walks.grid", 4),
        ("use ¦walk", "walks.grid", 4),
        ('"wal¦ks.grid"', "walks.grid", 1),
        ("-> do¦ne(d)", "ends.grid", 16),
        ('-> "the¦ end"', "ends.grid", 21),
        ("in state ¦done", "ends.grid", 16),
        ("write ¦c, L", "ends.grid", 16),
        ("done(¦d)", "ends.grid", 17),
        ("0..la¦st", "ends.grid", 5),
        ("= ba¦se - 1", "ends.grid", 1),
        ("number(¦b)", "ends.grid", 11),
    ],
)
def test_a_name_leads_to_what_declares_it(project: Project, place: str, file: str, line: int) -> None:
    _, entity = project.entity_at(path_of(project), at(AGENT, place))
    (declared,) = project.definitions(entity)
    assert (os.path.basename(declared.source.path), declared.line) == (file, line)


def test_references_are_found_in_files_that_are_open_and_in_others(project: Project) -> None:
    def named(file: str, text: str, place: str) -> list[tuple[str, int]]:
        _, entity = project.entity_at(path_of(project, file), at(text, place))
        assert entity
        return [(os.path.basename(path), o.span.line) for path, o in project.references(entity)]

    assert named("walks.grid", WALKS, "state ¦walk") == [
        ("walks.grid", 4),
        ("ends.grid", 3),
        ("ends.grid", 14),
    ]
    assert named("ends.grid", AGENT, "(¦base") == [("ends.grid", 1), ("ends.grid", 5), ("other.grid", 1)]
    assert named("ends.grid", AGENT, "¦d in digit if") == [("ends.grid", 17)] * 3
    assert named("ends.grid", AGENT, "done(¦c in") == [("ends.grid", n) for n in (16, 17, 17, 18)]


def test_renaming_anything_leaves_every_program_what_it_was() -> None:
    folder = os.path.realpath(EXAMPLES)
    project = Project([folder])
    for path in (f"{folder}/add.grid", f"{folder}/add2.grid", f"{folder}/ant.grid"):
        names = project.names(path)
        assert names
        known = {}
        for occurrence in names.occurrences:
            if occurrence.kind != "file":
                known.setdefault(project.entity(path, occurrence), occurrence.span.start)
        for entity, offset in known.items():
            assert entity
            edits = rename(project, path, offset, "fresh_name")
            texts = {file: edited(Path(file).read_text("utf-8"), each) for file, each in edits.items()}
            before = {file: load(file).table.rows for file in texts}
            token = unsaved.set(texts)
            for file, text in texts.items():
                after = try_load_source(Source(file, text))
                assert after.program and after.program.table.rows == before[file], entity
            unsaved.reset(token)


@pytest.mark.parametrize(
    ("place", "name", "reason"),
    [
        ("state ¦done", "walk", "a state named `walk` already"),
        ("state ¦done", "halt", "the end of a run"),
        ("state ¦done", "a b", "would need quotes"),
        ("state ¦done", "if", "a word of the language"),
        ("¦digit =", "sign", "a class named `sign` already"),
        ("¦digit =", "base", "a parameter named `base` already"),
        ("¦digit =", "2x", "is not a name"),
        ("¦digit =", "", "at least one letter"),
        ("¦c in digit)", "d", "there is a variable named `d`|would mean another thing"),
        ('from "¦walks', "x", "on the disk"),
        ("¦alphabet", "x", "no name to change"),
    ],
)
def test_a_name_that_is_none_or_taken_is_refused(
    project: Project, place: str, name: str, reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        rename(project, path_of(project), at(AGENT, place), name)


def test_a_state_without_arguments_may_get_any_name_in_quotes(project: Project) -> None:
    edits = rename(project, path_of(project), at(AGENT, 'state "¦the end'), "so it (ends)")
    assert 'state "so it (ends)"' in edited(AGENT, edits[path_of(project)])
    edits = rename(project, path_of(project), at(AGENT, 'state "¦the end'), "plain")
    assert "-> plain\n" in edited(AGENT, edits[path_of(project)])


@pytest.mark.parametrize(
    ("typed", "offered", "not_offered"),
    [
        ("  _ : R -> ¦", {"done", "walk", '"the end"', "halt"}, {"digit", "R"}),
        ("  _ : ¦", {"R", "write", "halt", "as", "left"}, {"done"}),
        ("  _ : write 1, ¦", {"R", "left"}, {"write"}),
        ("  d in digit : write ¦", {"d", "c", "base", "last", "min"}, {"done"}),
        ("  di¦", {"digit", "sign", "any", "else", "c"}, {"done"}),
        ("  _ : R -> walk(¦", {"R", "left"}, {"done"}),
        ("  _ : R -> walk(R, ¦", {"digit", "any"}, {"done"}),
        ("  _ : R -> walk(R, any, ¦", {"done", "halt"}, {"R"}),
        ("sta¦", {"state", "start", "test"}, set()),
        ("start ¦", {"done", "walk"}, {"digit"}),
        ("state x(n: ¦", {"move", "class", "state"}, set()),
        ("output ¦", {"a", "b", "reverse", "accept"}, {"done"}),
        ('use x from "¦', {"walks.grid", "other.grid"}, {"ends.grid"}),
        ('use ¦ from "walks.grid"', {"walk"}, {"done"}),
        ('agent x = ends(¦) from "ends.grid"', {"base"}, set()),
        ("# -> ¦", set(), {"done"}),
    ],
)
def test_completion_offers_what_may_stand_there(
    project: Project, typed: str, offered: set[str], not_offered: set[str]
) -> None:
    (Path(project.folders[0]) / "walks.grid").write_text(WALKS, encoding="utf-8")
    before, _, after = typed.partition("¦")
    head = AGENT[: AGENT.index("state done")] + "state done(c in digit)\n"
    rest = 'state "the end"\n  any : halt\n'
    text = f"{head}{before}{after}\n{rest}"
    project.open[path_of(project)] = text
    items, _ = completions(project, path_of(project), len(head + before))
    labels = {item.text for item in items}
    assert offered <= labels and not labels & not_offered


@pytest.mark.parametrize(
    ("place", "texts"),
    [
        ("0..¦last", ["let last = base - 1", "It is `2`"]),
        ("¦digit =", ["3 symbols: `0 1 2`"]),
        (
            "-> ¦done(d)",
            ["state done(c in digit)", "what is left", "3 states: `done(2)`, `done(0)`, `done(1)`"],
        ),
        ("-¦> done(d)", ["done(1), 0: write 1, L -> done(0)"]),
        ("(¦base", ["base in 2..9 = 3", "parameter of the agent", "It is `3`"]),
        ("start ¦walk", ["state walk(way: move", "Goes over symbols"]),
        ("¦left(L)", ["left(move)"]),
        ("¦any : halt", ["Every symbol"]),
        ("¦d in digit if", ["The symbol that was read", "`0 1 2`"]),
        ("write c, ¦R ->", ["right"]),
    ],
)
def test_hover_tells_what_becomes_of_a_name(project: Project, place: str, texts: list[str]) -> None:
    path, good = path_of(project), AGENT.replace("in state done\n", "\n").replace("test ", "# test ")
    project.open[path] = good
    summary = summarise(path, project.open)
    assert summary.size, summary.findings
    shown = hover(project, path, at(good, place), summary)
    assert shown
    for text in texts:
        assert text in shown[0]


def test_names_that_hold_markup_are_shown_as_they_are(project: Project) -> None:
    text = 'agent a\nstart "`<b>*x*"\n# [a](http://x) <img>\nstate "`<b>*x*"\n  any : halt\n'
    project.open[path_of(project)] = text
    shown = hover(project, path_of(project), at(text, 'start ¦"'), Summary())
    assert shown and "<img>" not in shown[0] and "\\[a\\]" in shown[0]


BROKEN = """agent broken(
alphabet
  digit = 0..
  sign = '+'
start seek
state seek(n in
  digit : R ->
  sign : L -> look
state look  # fine
  sign : -> se ek ) "
"""


def test_a_broken_file_still_has_symbols_definitions_and_completion(project: Project) -> None:
    path = path_of(project)
    project.open[path] = BROKEN
    names = project.names(path)
    assert names
    assert [s.name for s in symbols(names)] == ["broken", "digit", "sign", "seek", "look"]
    _, entity = project.entity_at(path, at(BROKEN, "L -> ¦look"))
    assert [span.line for span in project.definitions(entity)] == [9]
    assert {"seek", "look"} <= {item.text for item in completions(project, path, at(BROKEN, "R ->¦"))[0]}


@given(
    st.text("a\U0001f600é\n\u2028\x0b→", max_size=30),
    st.sampled_from(["utf-8", "utf-16", "utf-32"]),
    st.data(),
)
def test_places_lead_back_to_offsets_in_every_encoding(text: str, encoding: str, data: st.DataObject) -> None:
    documents, offset = Documents(), data.draw(st.integers(0, len(text)))
    documents.encoding = encoding
    documents.project.open["x"] = text
    place = documents.position(Source("x", text), offset)
    assert documents.offset("x", place) == offset
    form, unit = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    assert place["character"] == len(before.encode(form)) // unit


def test_what_belongs_together_folds_and_a_single_line_does_not() -> None:
    text = (
        "# one\n# two\nagent a\nalphabet\n  b = 0..1\n  # why\n  c = 2\nstart s\nstate s\n  b : R\n  broken\n\n"
        '# of t\nstate t\n  any : halt\n\ntest """\n  0\n""" halts\ntest "1" halts\n'
    )
    project = Project()
    project.open["x.grid"] = text
    names = project.names("x.grid")
    assert names is not None
    assert [tuple(fold) for fold in folds(names)] == [
        (1, 2, "comment"),
        (4, 7, ""),
        (9, 11, ""),
        (14, 15, ""),
        (17, 20, ""),
        (17, 19, ""),
    ]
