"""What is installed: one package, which a user's own files beside a script cannot hide."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gridlang.compiler.native.build import compiler
from tests.programs import EXAMPLES, ROOT

OWN_FILES = ("compiler.py", "learners/__init__.py", "tests.py")


PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
OWN_TOOLS = ["--no-deps", "--no-build-isolation"]


def wheel_in(folder: Path, **environment: str) -> Path:
    command = [*PIP, "wheel", *OWN_TOOLS, "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, env={**os.environ, **environment})
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the installed wheel, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = wheel_in(folder)
    subprocess.run([*PIP, "install", *OWN_TOOLS, "--target", str(folder / "site"), str(wheel)], check=True)
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"gridlang"}
    return folder / "site"


@pytest.mark.long
def test_the_commands_of_the_readme_run_beside_files_named_as_the_folders_here(
    installed: Path, tmp_path: Path
) -> None:
    for name in OWN_FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('the file of the user was imported')\n")
    (tmp_path / "examples").symlink_to(EXAMPLES)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    install_and_run = re.findall(r"^```sh\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)[0].split(" && ")
    assert install_and_run[0] == "pip install ."
    commands = [line.strip().split()[1:] for line in install_and_run[1:]]
    commands += [["equiv", "examples/add2.grid", "examples/models/add2.safetensors", "--scope", "inputs"]]
    commands += [["-c", "import gridlang.learners.api; print(gridlang.__file__)"]]
    outputs = []
    for words in commands:
        program = words if words[0] == "-c" else ["-m", "gridlang", *words]
        done = subprocess.run(
            [sys.executable, *program],
            cwd=tmp_path,
            env={
                "PYTHONPATH": str(installed),
                "GRIDLANG_CACHE": str(tmp_path / "cache"),
                "PATH": "/usr/bin:/bin",
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[1].splitlines()[0] == "132"
    assert Path(outputs[-1].strip()) == installed / "gridlang" / "__init__.py"


@pytest.mark.long
@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
def test_an_installed_engine_needs_no_compiler(installed: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gridlang", "run", str(EXAMPLES / "add10.grid"), "47+85"]
    environment = {"PYTHONPATH": str(installed), "GRIDLANG_CACHE": str(tmp_path), "CC": "/no/such/compiler"}
    done = subprocess.run(
        [*command, "--engine", "native"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout == "132\n" and done.stderr.startswith("halted after"), done.stderr
    assert not list(tmp_path.glob("native-*"))


@pytest.mark.long
def test_a_wheel_that_is_built_without_a_compiler_is_for_every_platform(tmp_path: Path) -> None:
    wheel = wheel_in(tmp_path, CC="/no/such/compiler")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]
    assert wheel.name.endswith("-none-any.whl") or (ROOT / "compiler/proven/build/gridcheck").exists()


def test_no_module_has_two_names() -> None:
    for package in ("compiler", "learners"):
        code = f"import {package}"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
        assert f"this package is imported as gridlang.{package}" in done.stderr
