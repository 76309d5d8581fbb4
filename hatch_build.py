"""What packages hold besides modules: examples and documentation; engine, playground, gridcheck, if built."""

from __future__ import annotations

import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlaygroundHook(BuildHookInterface):  # type: ignore[type-arg]
    """`python -m build` makes a wheel of an sdist; `pip install .` makes no sdist and no playground."""

    built = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            self._build()
        elif version != "editable":
            for path in sorted(Path(self.root, "examples").glob("*.grid")):
                build_data["force_include"][str(path)] = f"gridlang/compiler/playground/agents/{path.name}"
            for path in sorted(Path(self.root, "docs").rglob("*")):
                if path.suffix in {".md", ".png", ".svg"}:
                    inside = path.relative_to(self.root).as_posix()
                    build_data["force_include"][str(path)] = f"gridlang/compiler/playground/{inside}"
            built = {**self._engine(), **self._gridcheck()}
            if built:  # a wheel for this platform
                build_data["force_include"].update(built)
                build_data["pure_python"] = False
                build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, *_: Any) -> None:
        if self.built:
            shutil.rmtree(self.built)

    def _engine(self) -> dict[str, str]:
        """The engine, where there is a C compiler; else it is built when an agent first runs for long."""
        if self.root not in sys.path:
            sys.path.insert(0, self.root)
        from gridlang.compiler.native.build import CannotBuild
        from gridlang.compiler.simulation.native.agents import install_engine

        self.built = tempfile.mkdtemp()
        try:
            install_engine(self.built)
        except CannotBuild as error:
            self.app.display_warning(f"without the engine: {error}")
        libraries = Path(self.built).glob("*.so")
        return {str(path): f"gridlang/compiler/native/built/{path.name}" for path in libraries}

    def _gridcheck(self) -> dict[str, str]:
        """The proven checker, if `make -C compiler/proven` has built it."""
        built = Path(self.root, "compiler", "proven", "build", "gridcheck")
        return {str(built): "gridlang/compiler/proven/gridcheck"} if built.exists() else {}

    def _build(self) -> None:
        sys.path.insert(0, self.root)
        from gridlang.compiler.playground.build import build
        from gridlang.diagnostics import GridError

        try:
            build(progress=_Lines())
        except GridError as error:
            self.app.display_warning(f"without the playground, which users build then: {error}")


class _Lines:
    """Each thing that is done on a line, without its seconds."""

    last = ""

    def __call__(self, text: str) -> None:
        text = text.partition(" (")[0]
        if text != self.last:
            print(text, file=sys.stderr)
        self.last = text
