"""`gridlang grade`: twenty submissions, among them endless, broken and hostile ones."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import pytest

from gridlang.compiler.testing.input_runs import InputRuns
from gridlang.learners.grading.grade import Question, Task, judged
from gridlang.learners.grading.pages import class_csv
from gridlang.learners.grading.submissions import Graded, Judgement, Submission, find_submissions
from gridlang.loading import load
from tests.programs import EXAMPLES
from tests.support.command_line import answer, invoke

EXPERT = str(EXAMPLES / "increment.grid")
ALICE = (EXAMPLES / "class" / "alice.grid").read_text(encoding="utf-8")
HOSTILE = '<script>alert("1")<&>.grid'
FILES: dict[str, str | bytes] = {
    "nested/own_claims.grid": ALICE.replace("0..1", "0..9").replace(
        "start to", "input b = bit*\noutput b\nstart to"
    )
    + '\ntest "1" = "1"\n',
    "=1+1.grid": ALICE.replace("1     : write 0", "1     : write 1"),
    HOSTILE: ALICE.replace("to_the_end", '"</script><b>"').replace(
        "0 | _ : write 1, R", "0 | _ : write 1, L"
    ),
    "late_mistake.grid": ALICE.replace("-> add", "-> near")
    .replace(
        "state add",
        "state near\n  1 : write 0, L -> next\n  0 : write 1, R -> halt\nstate next\n  1 : write 0, L -> add\n  0 : write 1, R -> halt\n  _ : write 1, R -> halt\nstate add",
    )
    .replace("0 | _ : write 1, R", "0 : write 1, R -> halt\n  _ : R"),
    "circles.grid": ALICE.replace("1     : write 0, L", "1     : R -> to_the_end"),
    "walks_off.grid": "agent a\nalphabet\n  0..1\nstart go\nstate go\n  any : R\n",
    "stuck.grid": ALICE.replace("0 | _ :", "0 :"),
    "letters.grid": "agent a\nalphabet\n  'a' | 'b'\nstart go\nstate go\n  any : halt\n",
    "library.grid": "library walks\nstate walk(way: move)\n  any : way\n",
    "homework.txt": "Dear teacher, the dog ate it.\n",
    "empty.grid": "",
    "picture.png": b"\x89PNG\r\n\x1a\n\x00\xff",
    "huge.grid": "#" * 4_100_000,
    "unfinished.grid": ALICE[:-20],
}
WANTED = {
    "=1+1.grid": "wrong",
    HOSTILE: "right",
    "alice.grid": "right",
    "bob.grid": "right",
    "carol.grid": "wrong",
    "circles.grid": "wrong",
    "dan.grid": "endless",
    "empty.grid": "broken",
    "eve.grid": "broken",
    "fifo.grid": "broken",
    "homework.txt": "broken",
    "huge.grid": "broken",
    "late_mistake.grid": "wrong",
    "letters.grid": "broken",
    "library.grid": "library",
    "loop": "broken",
    "nested/own_claims.grid": "right",
    "picture.png": "broken",
    "self.grid": "broken",
    "stuck.grid": "wrong",
    "unfinished.grid": "broken",
    "walks_off.grid": "wrong",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    for file in (EXAMPLES / "class").glob("*.grid"):
        (folder / file.name).write_bytes(file.read_bytes())
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "self.grid").symlink_to("self.grid")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "fifo.grid")
    (folder / ".hidden.grid").write_text("not for grading")
    return folder


@pytest.mark.usefixtures("graded_here")
def test_a_class_is_graded_whatever_its_files_hold_and_only_what_changes_is_graded_again(
    folder: Path, tmp_path: Path
) -> None:
    pages, table = tmp_path / "pages", tmp_path / "class.csv"
    command = ("grade", EXPERT, str(folder), "-o", str(pages))
    data = answer(*command, "--csv", str(table), code=1)
    rows: dict[str, Any] = {row["name"]: row for row in data["class"]}
    assert {name: row["verdict"] for name, row in rows.items()} == WANTED
    assert (data["right"], data["submissions"]) == (
        sum(v == "right" for v in WANTED.values()),
        len(WANTED) - 1,
    )
    assert rows["bob.grid"]["says"].startswith("proven: it halts and leaves `a + 1`")
    assert (rows["carol.grid"]["input"], rows["carol.grid"]["smallest"]) == ("1", True)
    assert (rows["carol.grid"]["expected"], rows["carol.grid"]["actual"]) == (
        'it halts with "10"',
        'it halts with "0"',
    )
    assert rows["late_mistake.grid"]["input"] == "11"
    assert rows["eve.grid"]["line"] == 11
    index = (pages / "index.html").read_text(encoding="utf-8")
    assert "<script" not in index and "&lt;script&gt;alert" in index
    for row in rows.values():
        page = (pages / row["page"]).read_text(encoding="utf-8")
        assert "</script><b>" not in page and 'alert("1")' not in page.partition("<body")[0]
    assert "wrong on " in (pages / rows["carol.grid"]["page"]).read_text(encoding="utf-8")
    with table.open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for line in csv.reader(file) for cell in line]
    assert "'=1+1.grid" in cells and not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@")]

    made = {path: path.stat().st_mtime_ns for path in pages.glob("*-*.html")}
    (folder / "stuck.grid").write_text(ALICE)
    again = answer(*command, code=1)
    assert {row["name"]: row["verdict"] for row in again["class"]} == {**WANTED, "stuck.grid": "right"}
    changed = {path for path, moment in made.items() if path.stat().st_mtime_ns != moment}
    unread = [name for name in rows if name in ("fifo.grid", "loop", "self.grid", "huge.grid")]
    assert changed == {pages / rows[name]["page"] for name in ("stuck.grid", *unread)}


def test_a_class_that_is_all_right_exits_with_0_and_an_expert_that_is_wrong_is_refused(
    tmp_path: Path,
) -> None:
    alice = str(EXAMPLES / "class" / "alice.grid")
    assert "1 of 1 are right: 1 proven" in invoke("grade", EXPERT, alice, "--scope", "inputs").output
    wrong = tmp_path / "expert.grid"
    wrong.write_text(Path(EXPERT).read_text(encoding="utf-8").replace("output a + 1", "output a + 2"))
    refused = invoke("grade", str(wrong), alice)
    assert refused.exit_code == 2 and "G196" in refused.output and '"0"' in refused.output
    assert "G197" in invoke("grade", EXPERT, EXPERT).output


def test_results_on_worlds_are_graded_where_the_expert_declares_no_inputs(tmp_path: Path) -> None:
    expert = EXAMPLES / "flood.grid"
    careless = tmp_path / "careless.grid"
    text = expert.read_text(encoding="utf-8")
    careless.write_text(
        "agent a\nalphabet\n  '#' | 'o'\nstart go\nstate go\n  _ : write 'o', R\n  '#' | 'o' : halt\n"
    )
    question = Question(str(expert), {}, "io", 20.0, 100_000, 0, True)
    wrong = judged(Task(Submission("careless.grid", str(careless)), question))
    assert wrong.judgement.verdict == "wrong" and "[_]" in str(wrong.judgement.world) and wrong.page
    same = tmp_path / "same.grid"
    same.write_text(text.replace("agent flood", "agent mine"))
    right = judged(Task(Submission("same.grid", str(same)), question)).judgement
    assert (right.verdict, right.evidence) == ("right", "proven")


def test_what_borrows_the_experts_states_is_no_submission(tmp_path: Path) -> None:
    expert, thief = tmp_path / "expert.grid", tmp_path / "thief.grid"
    expert.write_text(Path(EXPERT).read_text(encoding="utf-8"))
    thief.write_text('agent thief = increment(base = 2) from "expert.grid"\n')
    question = Question(str(expert), {}, "io", 20.0, 100_000, 0, False)
    judgement = judged(Task(Submission("thief.grid", str(thief)), question)).judgement
    assert judgement.verdict == "broken" and judgement.says.startswith("G195")


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", " =", "\t=", "\r", "\n=", "\x1b[2J", "\u202e=", "\0=", "a;="]
)
def test_no_cell_of_the_table_is_a_formula_or_has_a_raw_control_character(start: str) -> None:
    cell = f"{start}cmd|' /C calc'!A0\x1b]0;x\x07"
    judgement = Judgement("wrong", cell, expected=cell, actual=cell, world=cell)
    graded = Graded(load(EXPERT), "io", ((Submission(cell, "x"), judgement),))
    written = class_csv(graded).removeprefix("\ufeff")
    assert all(line.isprintable() for line in written.split("\r\n")) and written.count("\n") == 2
    _, row = csv.reader(io.StringIO(written))
    shown = [text for text in row if "A0" in text]
    assert len(shown) == 5 and all(r"\x1b]0;x\x07" in text for text in shown)
    assert not any(text.lstrip()[:1] in ("=", "+", "-", "@") for text in row)
    assert all(cell.startswith('"') for cell in written.splitlines())


def test_names_of_files_that_are_no_text_have_pages_too(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9\n.grid")
    (tmp_path / name).write_text(ALICE)
    (submission,) = find_submissions([str(tmp_path)], EXPERT)
    question = Question(EXPERT, {}, "io", 20.0, 100_000, 0, True)
    done = judged(Task(submission, question))
    assert done.judgement.verdict == "right" and done.page and submission.page.isascii()


def test_what_grading_wrote_among_the_submissions_is_no_submission(tmp_path: Path) -> None:
    (tmp_path / "alice.grid").write_text(ALICE)
    command = [
        "grade",
        EXPERT,
        str(tmp_path),
        "-o",
        str(tmp_path / "pages"),
        "--csv",
        str(tmp_path / "t.csv"),
    ]
    for _ in range(2):
        assert [row["name"] for row in answer(*command)["class"]] == ["alice.grid"]
    assert invoke("grade", EXPERT, str(tmp_path), "-o", str(tmp_path)).exit_code == 2


def test_what_takes_too_long_is_late_and_the_time_is_kept(tmp_path: Path) -> None:
    (tmp_path / "long.grid").write_text(ALICE + "state s\n" + "  0 : R\n" * 200_000)
    (row,) = answer("grade", EXPERT, str(tmp_path), "--time", "1", code=1)["class"]
    assert (row["verdict"], row["says"]) == ("late", "it was not judged within 1 s") and row["seconds"] > 0


def _knowing_a_word(word: str, ending: str, first: str = "w0") -> str:
    """Alice, who walks right in states that know one word, and ends otherwise on that."""
    states = "".join(
        f"state w{at}\n  {bit} : R -> w{at + 1}\n  {1 - int(bit)} : R -> to_the_end\n  _ : L -> add\n"
        for at, bit in enumerate(word)
    )
    last = f"state w{len(word)}\n  bit : R -> to_the_end\n  _ : L -> {'add' if not ending else 'bad'}\n"
    detour = "state aside\n  any : D -> again\nstate again\n  any : U -> w0\n"
    text = ALICE.replace("start to_the_end", f"start {first}") + states + last
    return text + (detour if first == "aside" else "") + (f"state bad\n{ending}" if ending else "")


WORDS = ("01101000110100011", "0110100011010001101000110")
ENDINGS = {
    "errs": ("  any : halt\n", "wrong"),
    "circles": ("  bit : R\n  _ : L\n", "wrong"),
    "walks": ("  any : D\n", "wrong"),
    "stuck": ("  bit : R -> worse\nstate worse\n  bit : R\n", "wrong"),
    "endless": (
        "  1 | 0 : L\n  _ : write 1, R -> on\nstate on\n  bit : R\n  _ : write 1, L -> bad\n",
        "endless",
    ),
    "right in its own way": ("  bit : R -> to_the_end\n", "right"),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "first", "word"),
    [*((kind, "w0", WORDS[0]) for kind in ENDINGS), ("endless", "aside", WORDS[1])],
)
def test_a_mistake_on_one_long_input_is_found_whatever_the_steps_before(
    kind: str, first: str, word: str, tmp_path: Path
) -> None:
    ending, verdict = ENDINGS[kind]
    file = tmp_path / "knows.grid"
    file.write_text(_knowing_a_word(word, ending, first))
    question = Question(EXPERT, {}, "io", 60.0, 100_000, 0, False)
    judgement = judged(Task(Submission("knows.grid", str(file)), question)).judgement
    assert (judgement.verdict, judgement.input) == (verdict, None if verdict == "right" else word)
    assert not judgement.smallest


def test_a_table_of_thousands_of_states_is_tested_in_time(tmp_path: Path) -> None:
    """What a run costs does not grow with the rules that it does not use."""
    file = tmp_path / "slow.grid"
    down = "  any if i < 4499  : D -> down(i+1)\n  any if i == 4499 : U -> up(4499)\n"
    up = "  any if i > 1  : U -> up(i-1)\n  any if i == 1 : as to_the_end\n"
    walks = f"state down(i in 0..4499)\n{down}state up(i in 1..4499)\n{up}"
    file.write_text(ALICE.replace("start to_the_end", "start down(0)") + walks)
    table = load(str(file)).table
    runs = InputRuns(table)
    for _ in range(40):
        assert runs.run("1011", 100_000).done.result == "1100"
    assert len(table.states) > 8_990 and len(runs.used()) > 8_990
