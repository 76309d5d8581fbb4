"""`gridlang view`: the files it writes, what it says, and models with their vectors."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from gridlang.cli import main
from gridlang.compiler.api.views import sampled_worlds
from gridlang.compiler.drawing.vector_projection import projected
from gridlang.compiler.tensors.dfst import dfst_to_bytes, read_dfst, table_to_dfst
from tests.programs import EXAMPLES, PROGRAMS

MODEL = EXAMPLES / "models" / "add10.safetensors"


def view(*args: object) -> Result:
    return CliRunner().invoke(main, ["view", *map(str, args)])


def data_of(page: Path) -> dict:  # type: ignore[type-arg]
    found: dict = json.loads(page.read_text().split('id="data">')[1].split("</script>")[0])  # type: ignore[type-arg]
    return found


@pytest.mark.parametrize(
    ("ending", "beginning"), [("svg", b"<svg"), ("dot", b"digraph"), ("html", b"<!doctype html>")]
)
def test_it_writes_what_the_ending_says(ending: str, beginning: bytes, tmp_path: Path) -> None:
    out = tmp_path / f"x.{ending}"
    done = view(EXAMPLES / "add2.grid", "-o", out, "--json")
    assert done.exit_code == 0 and out.read_bytes().startswith(beginning)
    assert json.loads(done.output.splitlines()[0])["output"] == str(out)


def test_folding_can_be_asked_for_and_refused(tmp_path: Path) -> None:
    counts = {}
    for fold in ("--fold", "--no-fold"):
        assert view(EXAMPLES / "add10.grid", fold, "-o", tmp_path / "x.dot").exit_code == 0
        counts[fold] = (tmp_path / "x.dot").read_text().count("peripheries") + (
            tmp_path / "x.dot"
        ).read_text().count("fillcolor")
    assert counts["--fold"] < counts["--no-fold"]


def test_an_input_a_world_or_the_first_test_is_replayed(tmp_path: Path) -> None:
    out = tmp_path / "x.html"
    picture = tmp_path / "room.txt"
    picture.write_text("_#\n[_]#\n")
    starts = []
    for file, more in (
        ("add10", ("--input", "1+2")),
        ("add10", ()),
        ("flood", ("--world", picture)),
        ("sort", ()),
    ):
        assert view(EXAMPLES / f"{file}.grid", *more, "-o", out).exit_code == 0
        starts.append(data_of(out)["start"]["text"])
    assert starts[0] == "1+2" and starts[1] == "47+85" and starts[2] == "_#\n[_]#" and starts[3]


def test_a_difference_is_told_with_its_world(tmp_path: Path) -> None:
    bad = tmp_path / "bad.grid"
    bad.write_text(
        (EXAMPLES / "add.grid").read_text().replace(": write c, L -> home", ": write 0, L -> home")
    )
    out = tmp_path / "x.html"
    done = view(bad, "--against", EXAMPLES / "add.grid", "-o", out, "--json")
    told = json.loads(done.output.splitlines()[0])
    assert done.exit_code == 0 and told["differs"] and told["differing_rules"] == 1
    page = data_of(out)
    assert [rule["text"] for rule in page["against"]["rules"]] == [
        "on _ does 0, L, where ripple(1) does 1, L"
    ]
    proven = view(bad, "--against", EXAMPLES / "add.grid", "--scope", "inputs", "-o", out, "--json")
    told = json.loads(proven.output.splitlines()[0])
    assert (
        told["verdict"]["equivalent"] is False and data_of(out)["start"]["text"] == told["verdict"]["input"]
    )


@pytest.mark.parametrize("name", ["add10", "flood", "sort", pytest.param("mult10", marks=pytest.mark.long)])
def test_samples_reach_most_of_an_example(name: str) -> None:
    from gridlang.compiler.drawing.differences import compare

    table = next(p for p in PROGRAMS if p.name == name).load().table
    found = compare(table, table, sampled_worlds(table))
    assert len(found.lost) <= len(table.states) // 10, name
    assert found.world is None and not found.departures and len(found.more) == len(found.lost)


def test_exact_weights_are_viewed_with_their_vectors(tmp_path: Path) -> None:
    table = next(p for p in PROGRAMS if p.name == "add2").load().table
    model, out = tmp_path / "m.safetensors", tmp_path / "x.html"
    model.write_bytes(dfst_to_bytes(table_to_dfst(table)))
    assert view(model, "-o", out).exit_code == 0
    page = data_of(out)
    assert {point[2] for point in page["model"]["points"]} == set(range(12))
    assert page["table"]["states"] == list(table.states)


@pytest.mark.long
def test_a_learned_model_is_viewed_beside_its_expert(tmp_path: Path) -> None:
    out = tmp_path / "x.html"
    done = view(MODEL, "--against", EXAMPLES / "add10.grid", "-o", out)
    assert done.exit_code == 0, done.output
    page = data_of(out)
    assert page["against"]["rules"] == [] and "tested, not proven" in page["against"]["verdict"]
    states = len(page["table"]["states"])
    assert len(page["model"]["clusters"]) == states and "cluster" in page["model"]["clusters"][0]
    assert len({point[2] for point in page["model"]["points"]}) == states
    assert "state seek" in page["source"]


def test_a_refused_model_is_said_and_exits_with_1(tmp_path: Path) -> None:
    dfst = read_dfst(str(MODEL))
    random = np.random.default_rng(1)
    noisy = tmp_path / "noise.safetensors"
    for tensor in (dfst.A, dfst.B, dfst.C):
        tensor[...] = random.normal(size=tensor.shape)
    noisy.write_bytes(dfst_to_bytes(dfst))
    done = view(noisy, "-o", tmp_path / "x.html")
    assert done.exit_code == 1 and "refused" in done.output and not (tmp_path / "x.html").exists()


def test_the_two_main_directions_hold_most_of_a_flat_cloud() -> None:
    random = np.random.default_rng(0)
    flat = random.normal(size=(60, 2)) @ random.normal(size=(2, 9)) + random.normal(size=9)
    plane = projected(flat.astype(np.float32))
    apart = np.linalg.matrix_rank(np.c_[plane, np.ones(60)])
    back, *_ = np.linalg.lstsq(np.c_[plane, np.ones(60)], flat, rcond=None)
    assert apart == 3 and np.abs(np.c_[plane, np.ones(60)] @ back - flat).max() < 1e-4


def test_what_no_layout_can_draw_is_written_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlang.compiler.drawing.layout.lay_out.MOST_EDGES", 3)
    for ending in ("svg", "html"):
        done = view(EXAMPLES / "add2.grid", "-o", tmp_path / f"{ending}.{ending}")
        assert done.exit_code == 2 and "G171" in done.output and f"{ending}.dot instead" in done.output
        assert not (tmp_path / f"{ending}.{ending}").exists()
        assert (tmp_path / f"{ending}.dot").read_text().startswith("digraph")
