"""The map of the code: which room may look into which, and that no two rooms look into each other."""

from __future__ import annotations

import ast
import re
from functools import cache, lru_cache
from pathlib import Path

import networkx as nx
import pytest

import gridlang as gl
from tests.programs import ROOT

PACKAGES = ("gridlang", "compiler", "learners")


def rows_of(package: str) -> list[tuple[list[str], str]]:
    """Rooms and what CONTRIBUTING tells of them, the lowest first: a room may use those on lower floors."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = re.search(rf"^\| `{package}/` \|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table is not None
    rows = (line.split(" | ") for line in table[1].splitlines()[1:])
    return [(re.findall(r"`(\w+)`", rooms), told) for rooms, told in rows]


FLOORS = {package: [rooms for rooms, _ in rows_of(package)] for package in PACKAGES}
FLOORS["gridlang"].append(["__main__"])
LOOKS_UP = {"gridlang.cli", "gridlang.display"}  # they import by name, when they are asked


def module_of(path: Path) -> str:
    """The name a module is imported by: `compiler/` and `learners/` are packages of `gridlang`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == "gridlang" else ("gridlang", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for package in PACKAGES for path in (ROOT / package).rglob("*.py")}


@cache
def statements_of(path: Path) -> tuple[ast.AST, ...]:
    """All statements of a module, also those inside others; `ast.walk` would look into every expression."""
    found: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in found:
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, field, ())
    return tuple(found)


@lru_cache
def imports() -> nx.DiGraph:
    """Every import of one module by another, also those inside functions and for types alone."""
    graph = nx.DiGraph()
    graph.add_nodes_from(MODULES)
    for module, path in MODULES.items():
        for node in statements_of(path):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{module} imports relatively"
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                target = next((n for n in (name, name.rpartition(".")[0]) if n in MODULES), None)
                if target and target != module:
                    graph.add_edge(module, target)
    return graph


def room_of(module: str) -> tuple[str, str]:
    """Its package and its room there: ("compiler", "proofs"); no room for a package itself."""
    first, second, third = (*module.split("."), "", "")[:3]
    return (second, third) if second in PACKAGES else (first, second)


def floor_of(module: str) -> tuple[int, int]:
    package, room = room_of(module)
    if not room:
        return PACKAGES.index(package), -1
    floor = next((i for i, rooms in enumerate(FLOORS[package]) if room in rooms), None)
    assert floor is not None, f"{module} is on no floor: add {room} to CONTRIBUTING.md"
    return PACKAGES.index(package), floor


def test_every_room_uses_only_lower_floors() -> None:
    upward = []
    for module, used in imports().edges:
        if room_of(module) == room_of(used) or module in LOOKS_UP or not room_of(module)[1]:
            continue
        if floor_of(used) >= floor_of(module):
            upward.append(f"{module} imports {used}")
    assert not upward


@pytest.mark.parametrize("package", PACKAGES)
def test_the_map_of_contributing_names_every_room_once(package: str) -> None:
    mapped = [room for floor in FLOORS[package] for room in floor]
    there = {
        path.stem
        for path in (ROOT / package).iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
        if not path.is_symlink()
    }
    assert sorted(mapped) == sorted(there - {"__init__"})


@pytest.mark.parametrize("package", PACKAGES)
def test_the_map_describes_rooms_by_files_that_they_hold(package: str) -> None:
    for rooms, told in rows_of(package):
        held = {path.name for room in rooms for path in (ROOT / package / room).rglob("*")}
        held |= {path.name for path in (ROOT / package).iterdir()}
        named = set(re.findall(r"`([^`]+)`", told))
        assert named <= held | {name.partition(".")[0] for name in held}, rooms


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = imports().copy()
    graph.remove_nodes_from([module for module in MODULES if room_of(module)[1] in ("", "__main__")])
    assert not [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1]


def test_the_verifier_uses_no_code_of_what_it_checks() -> None:
    """The wall: `verifier` may use nothing of the house but itself."""
    outside = {
        (a, b)
        for a, b in imports().edges
        if a.startswith("gridlang.compiler.verifier") and not b.startswith("gridlang.compiler.verifier")
    }
    assert not outside


@pytest.mark.parametrize("package", PACKAGES)
def test_tests_mirror_the_folders(package: str) -> None:
    """A folder of tests is named as the folder it tests."""
    tested = {
        path.name for path in (ROOT / "tests" / package).iterdir() if path.is_dir() and any(path.glob("*.py"))
    }
    assert tested <= {path.name for path in (ROOT / package).iterdir() if path.is_dir()}


def test_tests_share_helpers_through_modules_that_are_no_tests() -> None:
    """What several tests need is in `tests/support/`; importing a test would run it twice."""
    for path in (ROOT / "tests").rglob("*.py"):
        for node in statements_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
                assert ".test_" not in f"{node.module}.{node.names[0].name}", f"{path} imports {node.module}"


@lru_cache
def names_in(module: str) -> set[str]:
    """What can be imported from a module: what it defines or imports, its submodules, and its late names."""
    found = {name.rpartition(".")[2] for name in MODULES if name.rpartition(".")[0] == module}
    for node in statements_of(MODULES[module]):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {
                name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
            }
    return found | (set(gl.__all__) if module == "gridlang" else set())


def test_tests_import_what_there_is_even_those_that_need_a_gpu() -> None:
    """A module of tests that is skipped here is imported on a machine with a GPU."""
    missing = []
    for path in [*(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]:
        for node in statements_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in PACKAGES:
                known = names_in(node.module or "") if node.module in MODULES else set()
                missing += [
                    f"{path.name}: {node.module}.{alias.name}"
                    for alias in node.names
                    if alias.name not in known
                ]
    assert not missing
