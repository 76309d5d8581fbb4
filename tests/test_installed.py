"""What is installed: one package, which a user's own files beside a script cannot hide."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.programs import EXAMPLES, ROOT

OWN_FILES = ("compiler.py", "learners/__init__.py", "tests.py")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the installed wheel, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    own_tools = ["--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "wheel", *own_tools, "--wheel-dir", str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "install", *own_tools, "--target", str(folder / "site"), str(wheel)], check=True)
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


def test_no_module_has_two_names() -> None:
    for package in ("compiler", "learners"):
        code = f"import {package}"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
        assert f"this package is imported as gridlang.{package}" in done.stderr
