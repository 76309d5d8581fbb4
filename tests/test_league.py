"""The league: what is drawn, learned and judged is what its record says."""

from __future__ import annotations

import json

from benchmarks.league import LINES, Entry, played
from tests.programs import ROOT

RECORD = ROOT / "benchmarks" / "results" / "league.json"


def test_a_draw_is_learned_and_judged_as_the_record_says() -> None:
    line = next(line for line in LINES if line.name == "palindrome-reads")
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    for size, proven in ((50, False), (200, True)):
        entry = Entry(line, "merge", size, 0)
        (row,) = played(entry).values()
        kept = record[entry.key("merge")]["draws"][0]
        same = kept.keys() & row.keys() - {"seconds", "judging"}
        assert {name: row[name] for name in same} == {name: kept[name] for name in same}
        assert row["worlds"] is proven
