"""The one list of agents that every stage is tested on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gridlang.loading import load
from gridlang.program import Program

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class Example:
    """An example file with inputs and what they leave; `endless` ones never halt."""

    name: str
    cases: tuple[tuple[str, str], ...] = ()
    endless: bool = False

    @property
    def path(self) -> Path:
        return EXAMPLES / f"{self.name}.grid"

    def load(self) -> Program:
        return _load(self.name)


@lru_cache
def _load(name: str) -> Program:
    return load(EXAMPLES / f"{name}.grid")


PROGRAMS = [
    Example("add", (("47+85", "132"), ("0+0", "0"), ("7+12345", "12352"), ("0099+1", "0100"))),
    Example("add2", (("1011+110", "10001"), ("1+1", "10"))),
    Example("add10", (("999+1", "1000"), ("5+4", "9"))),
    Example("subtract", (("132-85", "047"), ("1000-1", "0999"), ("7-007", "0000"))),
    Example("mult", (("12*34", "408"), ("0*0", "0"), ("007*8", "056"))),
    Example("mult2", (("101*11", "1111"), ("1*1", "1"))),
    Example("mult10", (("99*99", "9801"), ("12345*7", "86415"))),
    Example("increment", (("1011", "1100"), ("111", "1000"))),
    Example("palindrome", (("abcba", "1"), ("ab", "0"), ("", "1"))),
    Example("brackets", (("([])()", "1"), ("([)]", "0"), ("", "1"))),
    Example("sort", (("3141592653", "1123345569"), ("0", "0"))),
    Example("reverse", (("abcde", "edcba"), ("a", "a"))),
    Example("twice", (("abc", "abc=abc"), ("b", "b=b"))),
    Example("tag", (("aaa", "a"), ("bbcc", "a"), ("a", "a"))),
    Example("compare", (("12?9", ">"), ("007?7", "="), ("1?20", "<"))),
    Example("beaver", (("", "1_111111111111"),)),
    Example("flood"),
    Example("ant", endless=True),
]
NAMES = [program.name for program in PROGRAMS]
DISTINCT = [
    program for program in PROGRAMS if program.name not in ("add", "mult")
]  # their tables are those of add10 and mult10
