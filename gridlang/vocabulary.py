"""The words of the language, and how names, symbols and strings are spelt in it."""

from __future__ import annotations

import os
import re

HEADERS = ("agent", "library", "use", "alphabet", "let", "input", "output", "start", "state", "test")
HEADER_WORDS = {"symbols": "alphabet", "machine": "agent"}  # what people type for them
RESERVED = frozenset(
    [*HEADERS, "if", "write", "halt", "as", "in", "any", "else", "except", "and", "or", "not", "div", "mod"]
)
# keywords in one kind of line, names elsewhere
IMPORT_WORDS = ("from",)
INPUT_WORDS = ("where",)
TEST_WORDS = ("halts", "stuck", "loops", "after", "within", "steps", "step")
PARAMETER_KINDS = ("move", "class", "state", "word")
LOCAL_WORDS = {
    **dict.fromkeys(("agent", "library", "use"), IMPORT_WORDS),
    "input": INPUT_WORDS,
    "test": (*TEST_WORDS, "state"),
}
BEFORE_STATES = ("->", "as", "state", "start", "use")
TURNS = {
    "left": dict(zip("ULDRS", "LDRUS", strict=True)),
    "right": dict(zip("URDLS", "RDLUS", strict=True)),
    "back": dict(zip("UDLRS", "DURLS", strict=True)),
}
MOVE_WORDS = {
    **dict.fromkeys(("up", "u", "n", "north"), "U"),
    **dict.fromkeys(("down", "d", "s", "south"), "D"),
    **dict.fromkeys(("left", "l", "w", "west"), "L"),
    **dict.fromkeys(("right", "r", "e", "east"), "R"),
    **dict.fromkeys(("stay", "none", "stop"), "S"),
}
BLANK = "_"
HALT_WORDS = ("stop", "end", "exit")  # what people type for it
HALT = "halt"  # as a target: halts on every symbol, needs no declaration
MARKED = "marked"  # copies a class, under `alphabet` only
NUMBER_FUNCTIONS = {"min": min, "max": max}
_NAME = re.compile(r"[^\W\d]\w*")


def is_symbol(char: str) -> bool:
    """Whether a character may stand on the grid."""
    return len(char) == 1 and char.isprintable() and not char.isspace()


def is_name(text: str) -> bool:
    """Whether a text can be declared as a name without quotes."""
    move = len(text) == 1 and text in "UDLRS_"
    return bool(_NAME.fullmatch(text)) and text not in RESERVED and not move


def agent_name(text: str) -> str:
    """A name for the agent, as near to a text or a path as the language allows."""
    stem = os.path.splitext(os.path.basename(text.strip("<>")))[0]
    word: str = re.sub(r"\W+", "_", stem).strip("_") or "machine"
    word = word if not word[0].isdigit() else f"machine_{word}"
    return word if is_name(word) else f"{word}_"


def is_state_name(text: str) -> bool:
    """Whether a state needs no quotes: the letters of moves may name states too."""
    return is_name(text) or (len(text) == 1 and text in "UDLRS")


def unescape(text: str) -> str:
    """Backslash keeps the next character as it is."""
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else text


def quote(char: str) -> str:
    r"""A symbol as written in source: `_`, `7`, `'+'`, `'\''`."""
    if char == "_" or (char.isascii() and char.isdigit()):
        return char
    return "'\\" + char + "'" if char in "'\\" else f"'{char}'"


def quote_text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
