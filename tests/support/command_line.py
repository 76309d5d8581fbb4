"""Commands as tests give them: in this process, or in one of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from click.testing import CliRunner, Result

from gridlang.cli import main
from tests.programs import EXAMPLES, ROOT

ADD10 = str(EXAMPLES / "add10.grid")


def invoke(*arguments: str, input: str | None = None) -> Result:
    result = CliRunner().invoke(main, list(arguments), input=input)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def answer(*arguments: str, code: int = 0) -> dict[str, Any]:
    """The JSON object that a command prints."""
    result = invoke(*arguments, "--json")
    assert result.exit_code == code, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    assert data["schema"] == "gridlang-cli/1"
    return data


def refused(*arguments: str) -> dict[str, Any]:
    """The one diagnostic of a command that is used wrongly, or given what it cannot read."""
    (diagnostic,) = answer(*arguments, code=2)["diagnostics"]
    return dict(diagnostic)


def steps_of(*arguments: str, file: str) -> list[dict[str, Any]]:
    """The steps that `run --trace --json` prints, a line each before the run itself."""
    lines = invoke("run", file, *arguments, "--trace", "--json").stdout.splitlines()
    assert json.loads(lines[-1])["schema"] == "gridlang-cli/1"
    return [json.loads(line) for line in lines[:-1]]


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
