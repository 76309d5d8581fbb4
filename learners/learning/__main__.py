"""`python -m learners.learning QUERY.json`: asks again about a model whose judging crashed, right here."""

from __future__ import annotations

import sys
from pathlib import Path

from gridlang.terminal.console import emit
from learners.learning.seed_verdicts import query_from_json, seed_result


def main(file: str) -> None:
    """Prints the result; an exception shows itself with its traceback, which is what this is for."""
    emit(seed_result(query_from_json(Path(file).read_bytes())).as_json())


if __name__ == "__main__":
    main(sys.argv[1])
