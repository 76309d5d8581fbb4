"""The playground as a folder of static files: `python -m compiler.playground.build [FOLDER]`.

What it is made of comes from npm (`package-lock.json` pins it) and from the Python packages that are
installed here; the page itself asks no network for anything.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from compiler.drawing.palette import page_style
from compiler.drawing.templates import render, resource
from compiler.playground.examples import FIRST, examples
from gridlang.diagnostics import GridError, fail
from gridlang.files import cache_folder
from gridlang.syntax.grammar import grammar_tables
from gridlang.terminal.console import say

HERE = Path(__file__).resolve().parent
BUILT = HERE / "dist"  # `gridlang play` serves it, and the wheel holds it
OWN = ("gridlang", "compiler")
OTHERS = ("click", "jinja2", "markupsafe", "networkx")  # pure Python, which drawing a page needs
RESOURCES = {".c", ".css", ".grid", ".html", ".js", ".lark", ".py", ".toml"}
LEFT_OUT = {"__pycache__", "check.c", "dist", "node_modules", "tests"}
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
FRAME_HASH = re.compile(r"script-src '(sha256-[^']+)'")


def examples_folder() -> Path:
    """The examples of a checkout; GridError where only the packages are installed."""
    folder = HERE.parents[1] / "examples"
    if not folder.is_dir():
        raise fail("G201", "the playground is built from a checkout, which has the examples", _HOW)
    return folder


_HOW = "run `python -m gridlang play` at the root of a checkout, which builds it first"


def build(output: Path = BUILT) -> Path:
    """Builds the page into a folder, which is made anew; GridError says what is missing."""
    chosen = examples(examples_folder())
    _install_packages()
    with tempfile.TemporaryDirectory() as work:
        made, language = Path(work) / "made", Path(work) / "language"
        made.mkdir()
        _gather(language)
        _run(["node", str(HERE / "bundle.mjs"), str(language), str(made)])
        (made / "language.bin").write_bytes(_packed(language))
        _write_page(made, chosen)
        for name in PYODIDE:
            (made / "pyodide").mkdir(exist_ok=True)
            shutil.copyfile(HERE / "node_modules" / "pyodide" / name, made / "pyodide" / name)
        if output.exists():
            shutil.rmtree(output)
        shutil.copytree(made, output)
    return output


def _install_packages() -> None:
    if not shutil.which("npm"):
        raise fail("G201", "the playground is built with npm, which is not installed", "install Node.js 20")
    if not (HERE / "node_modules" / "pyodide").is_dir():
        _run(["npm", "ci", "--prefix", str(HERE), "--no-audit", "--no-fund"])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).split("\n")[-1][:300]
        raise fail("G201", f"the playground could not be built: `{command[0]}` said: {last}")


def _gather(language: Path) -> None:
    """The packages, the examples and the grammar's tables, as they lie in the browser's worker."""
    for name in (*OWN, *OTHERS):
        spec = find_spec(name)
        assert spec is not None and spec.origin is not None
        root = Path(spec.origin).parent
        for path in root.rglob("*"):
            inside = path.relative_to(root)
            if path.suffix in RESOURCES and not LEFT_OUT & set(inside.parts):
                (language / name / inside).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, language / name / inside)
    (language / "agents").mkdir()
    for path in examples_folder().glob("*.grid"):
        shutil.copyfile(path, language / "agents" / path.name)
    grammar_tables()
    (language / "cache").mkdir()
    for tables in Path(cache_folder()).glob("grammar-*.json"):
        shutil.copyfile(tables, language / "cache" / tables.name)


def _packed(folder: Path) -> bytes:
    """All files of a folder as one: a line with their names and sizes, then what is in them; zipped.

    A script writes them out in a tenth of the time that Python in a browser takes for an archive.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in paths]
    names = [path.relative_to(folder).as_posix() for path in paths]
    sizes = [[name, len(content)] for name, content in zip(names, contents, strict=True)]
    return gzip.compress(json.dumps(sizes).encode() + b"\n" + b"".join(contents), mtime=0)


def _write_page(made: Path, chosen: list[dict[str, object]]) -> None:
    page = (made / "pages" / f"{FIRST}.html").read_text(encoding="utf-8")
    hashed = FRAME_HASH.search(page)
    assert hashed is not None
    web = "compiler.playground/web"
    index = render(f"{web}/index.html", frame_hash=hashed[1], first=FIRST)
    (made / "index.html").write_text(index, encoding="utf-8")
    style = page_style() + resource(f"{web}/playground.css")
    (made / "playground.css").write_text(style, encoding="utf-8")
    starter = (files("gridlang") / "starter.grid").read_text(encoding="utf-8")
    data = json.dumps({"examples": chosen, "starter": starter}, ensure_ascii=False)
    (made / "examples.json").write_text(data, encoding="utf-8")


if __name__ == "__main__":
    try:
        say(str(build(*map(Path, sys.argv[1:2]))))
    except GridError as error:
        sys.exit(str(error))
