"""Runs a notebook as IPython does, each cell as it stands; `python -m tests.notebooks FILE` keeps the outputs.

No kernel and no sockets: the cells run in this process, in the folder of the notebook.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with what its cells print and show; RuntimeError for one that fails."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    number = 0
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            with capture_output() as captured:
                done = shell.run_cell("".join(cell["source"]), store_history=True)
            if not done.success:
                raise RuntimeError(f"cell {number} fails: {done.error_before_exec or done.error_in_exec!r}")
            outputs: list[dict[str, Any]] = []
            if done.result is not None:
                data, metadata = shell.display_formatter.format(done.result)
                kept = {kind: text for kind, text in data.items() if kind == "text/html"} or data
                told = {"text/plain": f"<{type(done.result).__name__}>", **kept}
                outputs.append(
                    {
                        "output_type": "execute_result",
                        "execution_count": number,
                        "data": told,
                        "metadata": metadata,
                    }
                )
            elif captured.stdout:
                outputs.append({"output_type": "stream", "name": "stdout", "text": captured.stdout})
            cell = {**cell, "execution_count": number, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def main(path: Path, output: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    os.chdir(path.parent)
    output.write_text(json.dumps(executed(notebook), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[-1]).resolve())
