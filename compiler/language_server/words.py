"""A line on each word of the language, and on each function: what hovering over one shows."""

from __future__ import annotations

# From a word to how it is written, and what it means.
WORDS = {
    "agent": ("agent NAME(base in 2..10 = 10)", "Names the agent of this file, and its parameters."),
    "library": ("library NAME", "A file of states for others to use; it has no alphabet and no start."),
    "use": ('use walk, wipe from "walks.grid"', "Takes states of another file, and those that they lead to."),
    "from": ('agent add2 = add(base = 2) from "add.grid"', "The file, in this folder or below."),
    "alphabet": ("alphabet", "The lines below name classes of symbols. The blank `_` always exists."),
    "let": ("let last = 2^n - 1", "Names a number, a move or a word."),
    "input": ("input a = digit+, '+', b = digit+", "What may stand on the grid at the start."),
    "where": ("input a = bit+ where a > 3", "What the inputs must meet besides their form."),
    "output": (
        "output a + b",
        "What must be left on the grid; `gridlang test` looks for an input that fails.",
    ),
    "start": ("start STATE", "The state that a run starts in."),
    "state": (
        "state NAME(v in digit)",
        "A state, or with parameters a family of states; its rules stand below.",
    ),
    "test": ('test "12+3" = "15"', "An input and what it leads to: a result, `halts`, `stuck`, `loops`."),
    "if": ("PATTERN if CONDITION : …", "Narrows a pattern; also `A if CONDITION else B`."),
    "write": ("write SYMBOL, MOVE -> STATE", "Writes a symbol, or a word symbol by symbol."),
    "halt": ("PATTERN : halt", "Ends the run; `-> halt` ends it after a last step."),
    "as": ("PATTERN : as STATE", "Does what that state would do here; costs no step."),
    "in": (
        "d in CLASS",
        "Matches a class and names the symbol that was read; in a condition: is it one of them?",
    ),
    "any": ("any", "Every symbol, the blank included."),
    "else": ("else : …", "Every symbol that no other rule of the state takes."),
    "except": ("digit except 0", "Takes symbols away; binds weaker than `|`."),
    "and": ("A and B", "Both conditions."),
    "or": ("A or B", "At least one of the conditions."),
    "not": ("not A", "The opposite of a condition."),
    "div": ("a div b", "Division, rounded down."),
    "mod": ("a mod b", "The rest of a division."),
    "_": ("_", "The blank, which fills the rest of the grid."),
    "halts": ('test "1" halts', "It halts, whatever it leaves."),
    "stuck": ('test "1" stuck', "It gets to a state and symbol without a rule."),
    "loops": ('test "1" loops', "It repeats an earlier configuration."),
    "after": ('test "" after 11 steps = "1"', "What stands there after a number of steps."),
    "within": ('test "1" = "2" within 70 steps', "In at most this number of steps."),
    "steps": ('test "1" = "2" in 41 steps', "In exactly this number of steps; `within` allows fewer."),
    "accept": ("output accept if a mod 3 == 0 else stuck", "It must halt, whatever it leaves."),
    "move": ("way: move except S", "A parameter that is a move."),
    "class": ("over: class", "A parameter that is a class of symbols."),
    "word": (
        "rest: word",
        "A parameter that is a word; `rest[0]` is its first letter, `rest[1..]` all others.",
    ),
}
MOVES = {
    "U": "up, to the row above",
    "D": "down, to the row below",
    "L": "left",
    "R": "right",
    "S": "stay: the head does not move",
}
# Functions of rules, then those of `output`, each with its arguments.
RULE_FUNCTIONS = {
    "min": (("a", "b", "…"), "The least of some numbers."),
    "max": (("a", "b", "…"), "The greatest of some numbers."),
    "length": (("word",), "How many letters a word has."),
    "marked": (("class", "first"), "Declares a marked copy of each symbol, in a row from the first on."),
    "left": (("move",), "The move turned to the left."),
    "right": (("move",), "The move turned to the right."),
    "back": (("move",), "The opposite move."),
}
OUTPUT_FUNCTIONS = {
    "reverse": (("a",), "The text turned around."),
    "sorted": (("a",), "The text in the order of the alphabet."),
    "join": (("a", "b", "…"), "Texts one behind the other."),
    "repeat": (("a", "n"), "The text n times."),
    "cancel": (("a", '"()"', "…"), "What is left when these texts are crossed out again and again."),
    "replace": (("a", '"x"', '"y"'), "The text with the second text in place of the first."),
    "every": (("a", "first", "n"), "Its symbols from this place on, counted from 1, each n-th."),
    "length": (("a",), "How many symbols it has."),
    "count": (("a", "'x'"), "How often a symbol or a text stands in it."),
    "number": (("a",), "Text read as a number by its class."),
    "value": (("a",), "The value of an expression with + - * and brackets."),
    "text": (("n",), "A number in digits."),
    "sqrt": (("n",), "The square root, rounded down."),
}
