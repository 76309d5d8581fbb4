"""What packages hold besides modules: examples and documentation; the playground and gridcheck, if built."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlaygroundHook(BuildHookInterface):  # type: ignore[type-arg]
    """`python -m build` makes a wheel of an sdist; `pip install .` makes no sdist, and waits for nothing."""

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
            self._take_gridcheck(build_data)

    def _take_gridcheck(self, build_data: dict[str, Any]) -> None:
        """The proven checker, if `make -C compiler/proven` has built it: a wheel for this platform."""
        built = Path(self.root, "compiler", "proven", "build", "gridcheck")
        if built.exists():
            build_data["force_include"][str(built)] = "gridlang/compiler/proven/gridcheck"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

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
