"""Fixes mend what they say, and one slip in a right file is few errors."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from gridlang.diagnostics import Diagnostic, edited
from gridlang.fixes import Mended, mend_source
from gridlang.loading import Loaded, try_load, try_load_source
from gridlang.source import Source
from tests.programs import EXAMPLES
from tests.regenerate_golden import FOLDER

FILES = sorted(path for path in EXAMPLES.rglob("*.grid") if path.stat().st_size < 1_500)
SEEDS = range(60)
STRAY = """halt any else R L -> : | ( ) = , 0 1 'x' "x" _ write as if in * + . state D seek"""
_TOKENS = re.compile(r"#[^\n]*|\"\"\"[\s\S]*?\"\"\"|\"[^\"\n]*\"|'[^'\n]*'|\w+|->|\.\.|[=!<>]=|[^\w\s]|\s+")


def slipped(text: str, random: Random) -> str:
    """The text with one token lost, doubled, replaced, or swapped with the next."""
    parts = _TOKENS.findall(text)
    real = [i for i, part in enumerate(parts) if not part.isspace() and not part.startswith("#")]
    place = random.randrange(len(real) - 1)
    at, after = real[place], real[place + 1]
    way = random.randrange(5)
    if way == 0:
        parts[at] = ""
    elif way == 1:
        parts[at] += " " + parts[at]
    elif way == 2:
        parts[at], parts[after] = parts[after], parts[at]
    else:
        parts[at] = random.choice(STRAY.split() if way == 3 else [parts[i] for i in real])
    return "".join(parts)


def load(path: Path, text: str) -> Loaded:
    return try_load_source(Source(str(path), text), library=True)


def errors(found: Loaded) -> list[Diagnostic]:
    return [d for d in found.diagnostics if d.is_error]


def mend(source: Source) -> Mended:
    return mend_source(source, lambda source: try_load_source(source, library=True).diagnostics)


def test_every_fix_of_a_broken_file_takes_away_what_it_mends() -> None:
    tried = 0
    for path in sorted(FOLDER.glob("*.grid")):
        before = try_load(path, library=True).diagnostics
        for diagnostic in before:
            assert sum(fix.sure for fix in diagnostic.fixes) <= 1
            for fix in diagnostic.fixes:
                source = fix.edits[0].span.source
                after = load(Path(source.path), edited(source.text, fix.edits)).diagnostics
                told = (diagnostic.code, diagnostic.message)
                left, were = ([(d.code, d.message) for d in found].count(told) for found in (after, before))
                assert left < were, (path.name, fix)
                tried += 1
    assert tried > 50


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fix_of_the_only_error_leads_to_a_file_that_checks(seed: int) -> None:
    random = Random(seed)
    path = random.choice(FILES)
    before = load(path, slipped(path.read_text(encoding="utf-8"), random))
    if len(errors(before)) == 1:
        (error,) = errors(before)
        for fix in error.fixes:
            source = fix.edits[0].span.source
            left = errors(load(path, edited(source.text, fix.edits)))
            told = {(d.code, d.message) for d in left}
            assert (error.code, error.message) not in told, (error, fix.title)
            assert not left or fix.sure, (error, fix.title, told)  # sure ones go slip by slip


def test_one_slip_is_rarely_more_than_one_error() -> None:
    counts = []
    for seed in SEEDS:
        random = Random(seed)
        path = random.choice(FILES)
        counts.append(len(errors(load(path, slipped(path.read_text(encoding="utf-8"), random)))))
    assert sum(count > 1 for count in counts) <= len(SEEDS) // 10


@pytest.mark.parametrize("seed", range(12))
def test_mending_leaves_no_more_errors_than_there_were(seed: int) -> None:
    random = Random(1_000 + seed)
    path = random.choice(FILES)
    text = slipped(path.read_text(encoding="utf-8"), random)
    mended = mend(Source(str(path), text)).source.text
    assert len(errors(load(path, mended))) <= len(errors(load(path, text)))


BROKEN_RULE = (
    "agent a\nalphabet\n  bit = 0..1\nstart go\nstate go\n  {rule}\n  _ : R -> next\nstate next\n  {below}\n"
)


@pytest.mark.parametrize("rule", ["bit : R ->", "bit R R", "bit : walk(R", "bit : ‘x’ R", 'bit : write "1'])
@pytest.mark.parametrize(
    ("below", "code"), [("bits : R", "G021"), ("0 : R -> nowhere", "G020"), ("0 : R\n  bit : L", "G040")]
)
def test_a_broken_rule_hides_no_error_below_it(rule: str, below: str, code: str) -> None:
    codes = [d.code for d in load(Path("a.grid"), BROKEN_RULE.format(rule=rule, below=below)).diagnostics]
    assert len(codes) == 2 and codes[1] == code


@pytest.mark.parametrize(
    ("line", "broken"),
    [("bit = 0..1", "bit = 0..1 1"), ("state next", "state next("), ("state next", "sate next")],
)
def test_names_that_a_broken_line_declares_are_not_called_unknown(line: str, broken: str) -> None:
    text = BROKEN_RULE.format(rule="bit : R", below="bit : halt").replace(line, broken)
    assert len(load(Path("a.grid"), text).diagnostics) == 1
