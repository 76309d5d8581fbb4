"""Sources: examples and broken files with tokens, lines and bytes changed, and programs drawn from the grammar."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.mutations import changed_bytes, changed_text
from tests.programs import EXAMPLES, ROOT

SECONDS = 20.0
BROKEN = ROOT / "tests" / "golden" / "diagnostics"
STRAY = "halts loops accept stuck 0..9 'x' \"01\" _ any else as halt write if in except div mod min max left(d) -> | ( ) : = , U D L R S *+? # [ ] rule[0] length(rule) marked(digit, 'A') library use walk from let n = 2 ^ { } where 1_000"


def prepare(home: Path) -> None:
    """Nothing: sources are in the project."""


def make(random: Random, home: Path, folder: Path) -> list[list[str]]:
    files = sorted(EXAMPLES.glob("*.grid")) if random.random() < 0.6 else sorted(BROKEN.glob("*.grid"))
    text = random.choice(files).read_text(encoding="utf-8", errors="surrogateescape")
    way = random.random()
    if way < 0.4:
        text = program(random)
    if way > 0.2:
        text = changed_text(text, STRAY + "\n" + text, random)
    data = text.encode(errors="surrogateescape")
    path = folder / random.choice(("agent.grid", "agent.grid", "agent.grid", "agent.json", "agent"))
    path.write_bytes(changed_bytes(data, random) if random.random() < 0.15 else data)
    for example in EXAMPLES.glob("*.grid"):
        (folder / example.name).write_bytes(example.read_bytes())
    name, more = path.name, random.choice(COMMANDS)
    steps = [["check", name], ["=program", name], [more[0], name, *more[1:]], ["check", "--json", name]]
    return [
        *steps,
        *([["=native", name]] if random.random() < 0.1 else []),
        ["fmt", name],
        ["=program", name],
    ]


COMMANDS = (
    ["run", "", "--steps", "100"],
    ["run", "01", "--steps", "100", "--trace"],
    ["run", "1+1", "--steps", "100", "--json"],
    ["run", "101", "--steps", "50", "--engine", "dfst"],
    ["compile", "--to", "table", "-o", "out.json"],
    ["compile", "--to", "c", "-o", "out.c"],
    ["compile", "--to", "dot", "-o", "out.dot"],
    ["compile", "-o", "out.safetensors", "--minimize"],
    ["compile", "--json"],
    ["view", "-o", "out.svg"],
    ["test", "--cases", "5"],
    ["fmt", "--check"],
)


def program(random: Random) -> str:
    """A program that is right more often than not: classes, families, guards, expressions, moves as values."""
    return _Writer(random).text()


class _Writer:
    """Draws a program; states are named first, so that rules can go to any of them."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.base = random.randint(2, 5)
        self.signs = random.sample("+#ab'\\é?", random.randint(0, 2))
        self.header = random.choice(
            ("", "(base in 2..10 = 3)", '(rule = "10")', '(rule = "LR", base in 2..9 = 3)')
        )
        self.uses, self.marks = random.random() < 0.3, random.random() < 0.3
        parameters = ("", "", "(n in digit)", "(n in 0..2)", "(d: move except S)", "(over: class)")
        names = ("seek", "back", "carry", "look", '"a b"', "S1", "D", "état")
        self.states = {name: random.choice(parameters) for name in random.sample(names, random.randint(1, 4))}

    def text(self) -> str:
        lines = [
            f"agent drawn{self.header}",
            *self.one_of([], ["let n0 = 2"], ["let n0 = 1 + 2^3", "let n1 = n0 * 1_000"]),
            "",
            *(['use walk, wipe from "walks.grid"', ""] if self.uses else []),
            "alphabet",
            f"  digit = 0..{self.base - 1}",
        ]
        lines += ["  sign = " + " | ".join(map(self.quoted, self.signs))] if self.signs else []
        lines += ["  seen = marked(digit, 'P')"] if self.marks else []
        lines += self.one_of(
            [],
            [
                "input a = digit+",
                self.one_of("", "output a + 1", "output reverse(a)", "output accept if a > 1 else stuck"),
            ],
            ["input a = digit*, b = any?"],
            ["input a = digit{1,3}, b = digit{2,} where a <= b", "output (b - a), _, a"],
        )
        lines += ["", f"start {self.target({})}", ""]
        for name, parameters in self.states.items():
            lines += [f"state {name}{parameters}", *self.rules(parameters), ""]
        lines += self.one_of([], ['test "1" stuck'], ['test "" = ""'], ['test "0" = "1" within 9 steps'])
        lines += self.one_of(
            [],
            ['test "1" loops'],
            [f'test "0" halts in state {self.one_of("halt", *self.states)}'],
            ['test name: """ [1] """ = """ 0[_] """'],
        )
        return "\n".join(lines) + "\n"

    def one_of(self, *choices):  # type: ignore[no-untyped-def]
        return self.random.choice(choices)

    def quoted(self, sign: str) -> str:
        return "'\\" + sign + "'" if sign in "'\\" else f"'{sign}'"

    def rules(self, parameters: str) -> list[str]:
        known = {"n": "number"} if "n in" in parameters else {"d": "move"} if "d:" in parameters else {}
        patterns = [("digit", known), ("_", known)]
        if self.random.random() < 0.6:
            patterns[0] = (f"x in digit{self.one_of('', ' except 0')}", {**known, "x": "number"})
        if self.signs:
            patterns.append((self.one_of("sign", self.quoted(self.signs[0])), known))
        if "over" in parameters:
            patterns = [("over", known)]
        patterns += [("else", known)] if self.random.random() < 0.3 else []
        return [
            f"  {pattern} : {self.action(names)}" for pattern, names in patterns if self.random.random() < 0.9
        ]

    def action(self, names: dict[str, str]) -> str:
        if self.random.random() < 0.2:
            return self.one_of("halt", f"as {self.target(names)}")
        write = f"write {self.symbol(names)}, " if self.random.random() < 0.5 else ""
        return f"{write}{self.move(names)}{self.one_of('', ' -> halt', f' -> {self.target(names)}')}"

    def symbol(self, names: dict[str, str]) -> str:
        choices = ["0", "_", f"({self.number(names)}) mod {self.base}", *map(self.quoted, self.signs)]
        choices += ["seen(0)", f"seen(({self.number(names)}) mod 2)"] if self.marks else []
        choices += (
            ["rule[1]", f"rule[({self.number(names)}) mod length(rule)]"] if '"10"' in self.header else []
        )
        choices += ['"01"', '"1"', '"100"', '"0_1"']
        return self.one_of(*choices, f"(0 if {self.condition(names)} else 1)")

    def move(self, names: dict[str, str]) -> str:
        ways = [
            "L",
            "R",
            "U",
            "D",
            *(["rule[0]"] if "LR" in self.header else []),
            f"({self.one_of('L', 'U')} if {self.condition(names)} else R)",
        ]
        return self.one_of(*ways, *(["d", "left(d)", "back(d)"] if names.get("d") == "move" else []))

    def number(self, names: dict[str, str], depth: int = 2) -> str:
        leaves = ["0", "1", str(self.base - 1), *(name for name, kind in names.items() if kind == "number")]
        if not depth or self.random.random() < 0.4:
            return self.one_of(*leaves)
        left, right = self.number(names, depth - 1), self.number(names, depth - 1)
        return self.one_of(
            f"{left} + {right}",
            f"({left} - {right})",
            f"{left} * ({right})",
            f"max({left}, {right})",
            f"2^({right})",
            f"({left} if {self.condition(names)} else {right})",
        )

    def condition(self, names: dict[str, str]) -> str:
        left, right = self.number(names, 0), self.number(names, 0)
        simple = f"{left} {self.one_of('==', '<', '>=', '!=')} {right}"
        return self.one_of(
            simple, f"not {simple}", f"({simple}) or {left} == 1", f"{simple} and ({right} < 2)"
        )

    def target(self, names: dict[str, str]) -> str:
        name, parameters = self.random.choice(list(self.states.items()))
        if self.uses and not parameters and self.random.random() < 0.3:
            return f"{self.one_of('walk', 'wipe')}({self.one_of('L', 'R')}, digit, {name})"
        numbers = [f"({self.number(names)}) mod 2", "0", "1"]
        given = {
            "(n": self.one_of(*numbers),
            "(d": self.one_of("L", "U", *(["d"] if "d" in names else [])),
            "(o": "digit",
        }
        return f"{name}({given[parameters[:2]]})" if parameters else name
