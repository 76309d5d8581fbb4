"""Learning in the playground: from runs to a table that is proven, by way of differences."""

from __future__ import annotations

from typing import Any

from gridlang.compiler.playground.learning import learn
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load_source
from gridlang.source import Source
from tests.programs import EXAMPLES

INCREMENT = (EXAMPLES / "increment.grid").read_text(encoding="utf-8")
Round = tuple[dict[str, Any], list[dict[str, Any]]]


def learned(source: str, count: int, more: list[str]) -> Round:
    """The answer, and what was told before it."""
    told: list[dict[str, Any]] = []
    return learn(Source("tried.grid", source), count, more, told.append), told


def rounds(source: str, count: int) -> list[Round]:
    """Differences become traces until there are none."""
    more: list[str] = []
    done = [learned(source, count, more)]
    while done[-1][0]["again"] is not None:
        assert done[-1][0]["again"] not in more
        more.append(done[-1][0]["again"])
        done.append(learned(source, count, more))
    return done


def test_differences_become_traces_until_the_learned_table_is_proven() -> None:
    first, *_, (last, told) = rounds(INCREMENT, 1)
    assert first[0]["equivalent"] is False and first[0]["page"]
    assert last["equivalent"] is True and last["words"][0].startswith("proven")
    assert verify(last["certificate"]).valid
    (table,) = (each["learned"] for each in told if "learned" in each)
    assert len(load_source(Source("learned.grid", table["source"])).table.states) == table["states"]


def test_traces_are_counted_and_shown_as_an_observer_sees_them() -> None:
    _, told = learned(INCREMENT, 4, ["111"])
    traces = told[0]["traces"]
    assert traces["count"] == 5 and traces["inputs"]
    assert traces["shown"][-1] == {"given": "111", "steps": "1:R 1:R 1:R _:L 1:0L 1:0L 1:0L _:1R 0:S"}


def test_an_agent_without_declared_inputs_is_learned_from_random_worlds() -> None:
    reply, told = learned((EXAMPLES / "ant.grid").read_text(encoding="utf-8"), 10, [])
    assert not told[0]["traces"]["inputs"]
    assert reply["equivalent"] is True and "on every world" in reply["words"][0]
