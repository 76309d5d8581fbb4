"""`gridlang compile` on the command line: its targets, what it counts, and that nothing partial is left."""

from __future__ import annotations

from pathlib import Path

import pytest

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
