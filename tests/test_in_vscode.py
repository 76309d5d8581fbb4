"""The VS Code extension in a real VS Code: code-server, where CODE_SERVER says how to start one.

    CODE_SERVER="node …/code-server/out/node/entry.js" pytest -m long tests/test_in_vscode.py

Get one with Node.js 24: `npm install --ignore-scripts code-server`, the same in its `lib/vscode` and
`lib/vscode/extensions`, then there `npm rebuild node-pty @vscode/spdlog @parcel/watcher`.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.programs import EXAMPLES, ROOT
from tests.support.browser import PATIENCE

EXTENSION = ROOT / "editors" / "vscode"
PARTS = ("package.json", "language-configuration.json", "dist", "media", "syntaxes")
SETTINGS = {
    "gridlang.path": str(Path(sys.executable).parent / "gridlang"),
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
}
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif("CODE_SERVER" not in os.environ, reason="CODE_SERVER does not name a code-server"),
    pytest.mark.skipif(not (EXTENSION / "dist").is_dir(), reason="the extension is not built"),
]


def waited(what: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """What something gives, as soon as it gives anything."""
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until, what
        time.sleep(0.2)
    return found


@pytest.fixture(scope="module")
def workbench(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A page with VS Code in it, the extension installed, and `add.grid` open."""
    home = tmp_path_factory.mktemp("vscode")
    for part in PARTS:
        copy = shutil.copytree if (EXTENSION / part).is_dir() else shutil.copy
        (home / "extensions" / "gridlang").mkdir(parents=True, exist_ok=True)
        copy(EXTENSION / part, home / "extensions" / "gridlang" / part)
    (home / "user" / "User").mkdir(parents=True)
    (home / "user" / "User" / "settings.json").write_text(json.dumps(SETTINGS))
    (home / "agents").mkdir()
    shutil.copy(EXAMPLES / "add.grid", home / "agents" / "add.grid")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [*shlex.split(os.environ["CODE_SERVER"]), "--auth", "none", "--bind-addr", address]
    command += ["--disable-telemetry", "--disable-update-check", "--config", str(home / "config.yaml")]
    command += ["--user-data-dir", str(home / "user"), "--extensions-dir", str(home / "extensions")]
    server = subprocess.Popen([*command, str(home / "agents")], stdout=subprocess.DEVNULL)
    try:
        waited(lambda: answers(f"http://{address}/healthz"))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://{address}/?folder={home / 'agents'}")
        page.locator(".monaco-workbench").wait_for(timeout=PATIENCE * 1000)
        page.locator(".explorer-folders-view >> text=add.grid").dblclick(timeout=PATIENCE * 1000)
        yield page
    finally:
        server.terminate()
        server.wait()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False


def panel(page: Any) -> Any:
    """The frame with the replay, if it is open."""
    for frame in page.frames:
        try:
            if frame.evaluate("typeof replay !== 'undefined'"):
                return frame
        except Exception:  # A frame may be gone.
            continue
    return None


def test_a_lens_runs_the_agent_beside_its_source(workbench: Any) -> None:
    lens = workbench.locator(".codelens-decoration a", has_text="Run")
    lens.first.click(timeout=PATIENCE * 1000)
    inner = waited(lambda: panel(workbench))
    waited(lambda: inner.evaluate("replay.run.total > 0"))
    assert inner.evaluate("table.states.includes('take')")


def test_a_state_and_its_line_lead_to_each_other(workbench: Any) -> None:
    inner = waited(lambda: panel(workbench))
    line = next(
        number
        for number, text in enumerate((EXAMPLES / "add.grid").read_text().splitlines(), 1)
        if text.startswith("state take")
    )
    inner.evaluate("replay.play(false); pick([table.states.indexOf('take')])")
    active = workbench.locator(".line-numbers.active-line-number")
    waited(lambda: active.first.text_content() == str(line))
    workbench.locator(".view-line", has_text="state").first.click()
    waited(
        lambda: inner.evaluate("picked.length > 0 && !picked.map((s) => table.states[s]).includes('take')")
    )
