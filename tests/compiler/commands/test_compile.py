"""`gridlang compile` on the command line: its targets, what it counts, and that nothing partial is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from gridlang.compiler.targets import TARGETS
from tests.programs import EXAMPLES
from tests.support.command_line import ADD10, answer, invoke

MULT2 = str(EXAMPLES / "mult2.grid")


def test_compile_counts_and_writes(tmp_path: Path) -> None:
    out = tmp_path / "out.safetensors"
    data = answer("compile", ADD10, "-o", str(out))
    assert data == {
        "schema": "gridlang-cli/1",
        "name": "add10",
        "arguments": {},
        "output": str(out),
        "target": "dfst",
        "states": 20,
        "symbols": 12,
        "moves": 5,
        "transitions": 206,
        "parameters": 8900,
    }
    assert out.stat().st_size > 4 * 8900
    given = answer("compile", str(EXAMPLES / "add.grid"), "-D", "base=2", "-o", str(out))
    assert (given["arguments"], given["parameters"]) == ({"base": 2}, 1020)


def test_a_file_that_ends_like_another_target_is_refused(tmp_path: Path) -> None:
    for name, other in (("add.svg", "svg"), ("add.grid", "grid"), ("add.json", "table")):
        refused = invoke("compile", ADD10, "-o", str(tmp_path / name))
        assert refused.exit_code == 2 and f"add --to {other}" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_outputs_follow_links_and_never_replace_devices_or_the_source(tmp_path: Path) -> None:
    real, link = tmp_path / "real.grid", tmp_path / "link.grid"
    real.write_text("agent ugly\nstart a\nstate a\n  any:halt\n", encoding="utf-8")
    link.symlink_to(real)
    answer("fmt", str(link))
    assert link.is_symlink() and "any : halt" in real.read_text(encoding="utf-8")
    before = real.read_text(encoding="utf-8")
    assert invoke("compile", str(real), "--to", "grid", "-o", str(real)).exit_code == 2
    assert invoke("compile", str(real), "--to", "grid", "-o", str(link)).exit_code == 2
    assert real.read_text(encoding="utf-8") == before
    assert invoke("compile", ADD10, "-o", "/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()


def test_a_table_cannot_be_formatted_or_taken_from(tmp_path: Path) -> None:
    table = tmp_path / "add10.json"
    answer("compile", ADD10, "--to", "table", "-o", str(table))
    assert answer("fmt", str(table), code=2)["diagnostics"][0]["code"] == "G001"
    (tmp_path / "taken.grid").write_text('agent taken = add10 from "add10.json"\n', encoding="utf-8")
    assert answer("check", str(tmp_path / "taken.grid"), code=1)["diagnostics"][0]["code"] == "G050"


def test_a_model_compiles_back_to_every_target(tmp_path: Path) -> None:
    model = tmp_path / "add10.safetensors"
    answer("compile", ADD10, "-o", str(model))
    for target in ("dfst", "table", "c", "dot", "grid"):
        out = tmp_path / f"out.{target}"
        data = answer("compile", str(model), "--to", target, "-o", str(out))
        assert (data["states"], data["transitions"]) == (20, 206) and out.stat().st_size > 1000
    assert answer("run", str(tmp_path / "out.grid"), "47+85")["result"] == "132"
    assert answer("equiv", ADD10, str(tmp_path / "out.grid"))["equivalent"] is True


def test_minimising_says_how_good_it_is_and_keeps_the_behaviour(tmp_path: Path) -> None:
    out = tmp_path / "small.safetensors"
    data = answer("compile", MULT2, "--minimize", "-o", str(out))
    assert data["minimized"]["from"] == 27 and data["states"] == data["minimized"]["to"] == 21
    assert data["minimized"]["exact"] is True
    assert "no table can have fewer" in invoke("compile", MULT2, "--minimize", "-o", str(out)).stdout
    assert answer("equiv", MULT2, str(out))["equivalent"] is True
    assert answer("run", str(out), "101*11")["result"] == "1111"


def test_interrupting_a_compilation_leaves_no_partial_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gridlang.files

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gridlang.files.os, "replace", interrupted)
    result = invoke("compile", ADD10, "-o", str(tmp_path / "out.safetensors"))
    assert result.exit_code == 130 and list(tmp_path.iterdir()) == []


def test_what_was_learned_or_written_by_hand_is_overwritten_by_force_alone(tmp_path: Path) -> None:
    learned, source = tmp_path / "add2.safetensors", tmp_path / "mine.grid"
    learned.write_bytes((EXAMPLES / "models" / "add2.safetensors").read_bytes())
    source.write_text((EXAMPLES / "increment.grid").read_text())
    add2 = str(EXAMPLES / "add2.grid")
    for path, target in ((learned, "dfst"), (source, "grid")):
        before, words = path.read_bytes(), ("compile", add2, "--to", target, "-o", str(path))
        assert answer(*words, code=2)["diagnostics"][0]["hint"].endswith("overwrite it with --force")
        assert path.read_bytes() == before
        assert answer(*words, "--force")["output"] == str(path)
        assert path.read_bytes() != before
        assert answer(*words)["output"] == str(path)  # made by this command


HAND_WRITTEN = {
    "table": '{"name": "my settings"}',
    "c": "int main(void) { return 0; }\n",
    "dot": "digraph mine { a -> b }\n",
    "svg": '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
    "html": "<!doctype html>\n<title>mine</title>\n",
    "turingmachine": "name: mine\n",
    "bbchallenge": "1RB1LB_1LA1RZ\n",
}
FLIP = """agent flip
alphabet
  bit = 0..1
start go
state go
  0 : write 1, R
  1 : write 0, R
"""


@pytest.mark.parametrize("target", HAND_WRITTEN)
def test_a_file_of_any_format_that_compile_did_not_write_is_kept(target: str, tmp_path: Path) -> None:
    agent, path = tmp_path / "flip.grid", tmp_path / f"mine.{TARGETS[target].extension}"
    agent.write_text(FLIP + "  _ : write 1, R -> halt\n")
    path.write_text(HAND_WRITTEN[target])
    words = ("compile", str(agent), "--to", target, "-o", str(path))
    assert "not written by" in answer(*words, code=2)["diagnostics"][0]["message"]
    assert path.read_text() == HAND_WRITTEN[target]
    for again in (("--force",), ()):
        assert answer(*words, *again)["output"] == str(path)
    if target in ("turingmachine", "bbchallenge"):
        assert answer("import", str(path), "-o", str(tmp_path / "back.grid"))["name"]
