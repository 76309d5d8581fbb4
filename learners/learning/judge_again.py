"""`python -m learners.learning.judge_again QUERY.json`: repeats the judging of a model that crashed."""

from __future__ import annotations

import sys
from pathlib import Path

from gridlang.terminal.console import emit
from learners.learning.seed_verdicts import query_from_json, seed_result


def main(file: str) -> None:
    """Prints the result, or the traceback of the crash."""
    emit(seed_result(query_from_json(Path(file).read_bytes())).as_json())


if __name__ == "__main__":
    main(sys.argv[1])
