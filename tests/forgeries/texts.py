"""Texts that no reader of JSON should read, or that two would read in two ways, and digests that do not fit."""

from __future__ import annotations

from collections.abc import Iterator

from tests.forgeries.edits import PARTS, Forged, Forgery, digest, put
from tests.forgeries.genuine import copied, genuine, text_of


def forged_numbers() -> Iterator[Forged]:
    """Numbers that not every reader would read alike."""
    for number in (2**63, -(2**63), 10**30, 10**4000):
        forged = put("evidence", "radius", value=number)
        yield Forged(f"a number of {len(str(number))} digits", "windows", forged, "certificate")
    for number in (0.0, 1.0, -0.0, 0.5, 1e300, float("nan"), float("inf"), float("-inf")):
        forged = put("evidence", "radius", value=number)
        yield Forged(f"a number is {number}", "windows", forged, "certificate")
        yield Forged(
            f"a seed is {number}",
            "extracted",
            put("right", "extraction", "seed", value=number),
            "certificate",
        )


def unsigned() -> Iterator[Forgery]:
    """What was changed by accident, or by a forger who cannot make digests."""
    for part in PARTS:
        data = copied(genuine("windows"))
        data["digests"][part] = "0" * 64
        yield Forgery(f"windows: the digest of {part} is another", text_of(data), part)
        data = copied(genuine("windows"))
        del data["digests"][part]
        yield Forgery(f"windows: the digest of {part} is missing", text_of(data), "digests")
    data = copied(genuine("windows"))
    data["digests"]["format"] = digest(data["format"])
    yield Forgery("windows: a digest too many", text_of(data), "digests")
    for side in ("left", "right"):
        data = copied(genuine("windows"))
        data[side]["table_sha256"] = "0" * 64
        data["digests"][side] = digest(data[side])
        yield Forgery(f"windows: the digest of the table of {side} is another", text_of(data), side)
        data = copied(genuine("windows"))
        data[side]["file"] = "other.grid"
        yield Forgery(f"windows: {side} is said to come from another file", text_of(data), side)


def forged() -> Iterator[Forgery]:
    """Texts that are no JSON, or that two readers would read in two ways."""
    text = text_of(genuine("windows"))
    for name, broken in {
        "nothing": "",
        "null": "null",
        "a list": "[]",
        "an object": "{}",
        "a number": "2",
        "a text": '"gridlang-certificate/2"',
    }.items():
        yield Forgery(name, broken, "certificate" if not broken else "format")
    for name, broken in {
        "half": text[: len(text) // 2],
        "without its end": text.rstrip()[:-1],
        "with more behind it": text + "{}",
        "twice": text + text,
        "a byte order mark": "\ufeff" + text,
        "a comma too many": text.rstrip()[:-1] + ",}",
        "a comment": "// proof\n" + text,
        "a line break in a text": text.replace("left.grid", "left\n.grid"),
        "single quotes": text.replace('"', "'"),
        "a key twice": text.replace('"format":', '"format": "gridlang-certificate/2", "format":', 1),
        "a key twice in the claim": text.replace('"says":', '"says": "nothing", "says":', 1),
        "a key twice, spelled otherwise": text.replace('"says":', '"says": "", "\\u0073ays":', 1),
        "half of a letter": text.replace("left.grid", "left\\ud800.grid"),
        "a number with a zero before it": text.replace('"radius": ', '"radius": 0', 1),
        "a number with a plus": text.replace('"radius": ', '"radius": +', 1),
        "an exponent": text.replace('"radius": ', '"radius": 1e', 1),
        "not a number": text.replace('"radius": ', '"radius": NaN, "is": ', 1),
        "a tab in a text": text.replace("left.grid", "left\t.grid"),
        "an escape that is none": text.replace("left.grid", "left\\x.grid"),
        "an escape cut short": text.replace("left.grid", "left\\u12g4"),
        "halves of letters turned round": text.replace("left.grid", "\\udc00\\ud800"),
        "a zero at the end": text + "\0",
        "another white space": "\x0b" + text,
        "minus zero": text.replace('"unobserved_branches": 0', '"unobserved_branches": -0', 1),
        "deep lists": text.rstrip()[:-1] + ', "more": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "deep lists without end": "[" * 100_000,
        "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    }.items():
        assert broken != text, name
        yield Forgery(name, broken, "certificate")
