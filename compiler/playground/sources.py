"""What the playground is made of: files of a checkout, or of the packages as they are installed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
OWN = ("gridlang", "gridlang.compiler")
OTHERS = ("click",)  # pure Python
RESOURCES = {".c", ".css", ".grid", ".html", ".js", ".lark", ".py", ".toml"}
# `agents` and `docs` are those of an installed package, which stand elsewhere in the browser.
LEFT_OUT = {"__pycache__", "agents", "dist", "docs", "node_modules", "tests"}
PACKAGES_INSIDE = {"compiler", "learners"}  # packages of their own, though in one folder
TOOLS = ("package.json", "package-lock.json", "bundle.mjs")


def agents_folder() -> Path:
    """The examples: those of a checkout, or the copy that an installed package has."""
    root = _root()
    return root / "examples" if root else HERE / "agents"


def documentation() -> Iterator[tuple[Path, Path]]:
    """The pages and pictures of the documentation: where they are, and their paths inside of it."""
    root = _root()
    folder = root / "docs" if root else HERE / "docs"
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".md", ".png", ".svg"}:
            yield path, path.relative_to(folder)


def _root() -> Path | None:
    """The checkout with this module."""
    root = HERE.parents[1]
    return root if (root / "pyproject.toml").is_file() else None


def package_files(name: str) -> Iterator[tuple[Path, Path]]:
    """The files of a package that a browser needs: where they are, and their paths inside of it."""
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None
    root = Path(spec.origin).parent
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        left_out = LEFT_OUT & set(inside.parts) or inside.parts[0] in PACKAGES_INSIDE
        if path.suffix in RESOURCES and not left_out:
            yield path, inside


def fingerprint() -> str:
    """A digest of all sources; a playground built from others is out of date."""
    named = [
        (f"{package.replace('.', '/')}/{inside.as_posix()}", path)
        for package in OWN
        for path, inside in package_files(package)
    ]
    named += [(tool, HERE / tool) for tool in TOOLS]
    named += [(f"agents/{path.name}", path) for path in sorted(agents_folder().glob("*.grid"))]
    named += [(f"docs/{inside.as_posix()}", path) for path, inside in documentation()]
    digest = hashlib.sha256()
    for name, path in named:
        digest.update(f"{name}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
