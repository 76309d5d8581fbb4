"""The proven checker is asked about smallest machines: it agrees with the first one, and refuses forged evidence."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from gridlang.compiler.proven.gridcheck import is_smallest, program
from gridlang.learners.methods.minimality.question import is_proven_smallest, question
from tests.support.refuted import refuted

pytest.importorskip("pysat")
pytestmark = pytest.mark.skipif(program() is None, reason="gridcheck is not built: make -C compiler/proven")
Question = dict[str, Any]


def asked(seed: int) -> Question:
    traces, text = refuted(seed)
    data: Question = json.loads(question(json.loads(text), traces))
    return data


def answer(data: Question) -> bool | None:
    return is_smallest(json.dumps(data).encode())


@pytest.mark.parametrize("seed", [3, 4, 8, 10])
def test_what_the_search_refutes_is_proven(seed: int) -> None:
    traces, text = refuted(seed)
    assert is_proven_smallest(text, traces)


def test_a_clique_is_proven_and_says_no_more_than_it_shows() -> None:
    data = asked(4)
    clique, nodes = data["evidence"]["clique"], [[], *([] for _ in data["evidence"]["nodes"])]
    for number, (parent, read) in enumerate(data["evidence"]["nodes"], 1):
        nodes[number] = [*nodes[parent], read]
    words, suffixes = [nodes[node] for node in clique], data["evidence"]["suffixes"]
    data["evidence"] = {"kind": "clique", "clique": words, "suffixes": suffixes}
    assert answer(data) is False
    data["excluded"] = len(clique) - 1
    assert answer(data) is True
    suffixes[0] = suffixes[0][:-1]
    assert answer(data) is False


def one_more(data: Question) -> None:
    data["excluded"] += 1


def another_deed(data: Question) -> None:
    step = data["traces"][0][0]
    step[2] = (step[2] + 1) % 4


def another_rule(data: Question) -> None:
    rule = data["table"]["rules"][0]
    rule[3] = "L" if rule[3] != "L" else "R"


def first_given(data: Question) -> list[Any]:
    return next(line for line in data["evidence"]["lines"] if len(line) == 2)


def last(data: Question) -> list[Any]:
    line: list[Any] = data["evidence"]["lines"][-1]
    return line


FORGERIES: dict[str, Callable[[Question], object]] = {
    "one state more is excluded": one_more,
    "a trace shows another deed": another_deed,
    "the machine has another rule": another_rule,
    "the machine has no rule": lambda d: d["table"].update(rules=[]),
    "the empty clause is given": lambda d: d["evidence"]["lines"].insert(0, [10**6, []]),
    "the empty clause follows from nothing": lambda d: d["evidence"].update(lines=[[0, [], []]]),
    "a given clause has a literal less": lambda d: first_given(d)[1].pop(),
    "a given clause says the opposite": lambda d: first_given(d).__setitem__(1, [first_given(d)[1][0] ^ 1]),
    "the last clause is missing": lambda d: d["evidence"]["lines"].pop(),
    "a hint is missing": lambda d: last(d)[2].pop(),
    "hints are in another order": lambda d: last(d)[2].reverse(),
    "a hint is no line": lambda d: last(d)[2].__setitem__(-1, 10**6),
    "no edge is shown": lambda d: d["evidence"].update(edges=[]),
    "an edge has another deed": lambda d: d["evidence"]["edges"][0].__setitem__(3, 4),
    "an edge leads elsewhere": lambda d: d["evidence"]["edges"][0].__setitem__(4, 0),
    "nothing tells the clique apart": lambda d: d["evidence"].update(suffixes=[]),
    "a node of the clique stands twice": lambda d: d["evidence"]["clique"].append(d["evidence"]["clique"][0]),
    "nodes are told apart by nothing": lambda d: d["evidence"]["apart"].append([0, 0, []]),
    "no node is listed": lambda d: d["evidence"].update(inner=[]),
    "its kind is unknown": lambda d: d["evidence"].update(kind=None),
    "there is no evidence": lambda d: d.update(evidence=None),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_evidence_is_refused(name: str) -> None:
    data = copy.deepcopy(asked(4))
    FORGERIES[name](data)
    assert answer(data) is False


def test_fewer_traces_than_those_of_the_certificate_are_not_enough() -> None:
    data = asked(4)
    data["traces"] = data["traces"][:1]
    assert answer(data) is False
