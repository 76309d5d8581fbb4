"""`gridlang compile` on the command line: its targets, what it counts, and that nothing partial is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from gridlang.compiler.targets import TARGETS
from tests.support.command_line import ADD10, answer, invoke


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


def test_interrupting_a_compilation_leaves_no_partial_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gridlang.files

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gridlang.files.os, "replace", interrupted)
    result = invoke("compile", ADD10, "-o", str(tmp_path / "out.safetensors"))
    assert result.exit_code == 130 and list(tmp_path.iterdir()) == []


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
