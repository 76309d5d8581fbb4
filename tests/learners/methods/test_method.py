"""What is asked of a method that it does not read is told, with what it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import gridlang as gl
from gridlang.cli import main
from tests.programs import EXAMPLES

AGENT = str(EXAMPLES / "increment.grid")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--method", "merg"), "'merg' is not one of 'dfst', 'ask', 'merge'"),
        (("--method", "ask", "--order", "breadth"), "--method ask does not read order"),
        (("--method", "merge", "--seeds", "3"), "--seeds is for models that are trained; --method merge"),
        (("--method", "merge", "--order", "depth"), "'depth' is not one of 'evidence', 'breadth'"),
    ],
)
def test_what_a_command_gets_wrong_is_told(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ("train", AGENT, *words))
    assert done.exit_code == 2 and told in " ".join(done.output.split()), done.output


def test_what_a_call_gets_wrong_is_told() -> None:
    with pytest.raises(ValueError, match="did you mean `merge`"):
        gl.train(AGENT, method="merg")
    with pytest.raises(ValueError, match="dfst does not read order"):
        gl.train(AGENT, order="breadth")
    with pytest.raises(ValueError, match="`evidence`"):
        gl.train(AGENT, method="merge", order="depth")
