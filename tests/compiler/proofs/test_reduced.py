"""Words in which letters cancel each other: agents that leave what is left of them are proven, no others."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked
from gridlang.compiler.verifier.values.reduced.clauses import PartWord, ReducedClause, reduced_clause
from gridlang.compiler.verifier.values.reduced.words import Reducing, Unknown
from gridlang.loading import load
from gridlang.outcomes import Outcome
from tests.programs import EXAMPLES
from tests.support.agents import BACKSPACE, BALANCED, PARENTHESES, REPLACED, REST, UNDO
from tests.support.changed_rules import changed, changes, errs
from tests.support.command_line import invoke
from tests.support.stored_values import evidence_of, is_valid, places, put

A = ["part", 0]
ENDED = (Outcome.HALTED, Outcome.STUCK)
BRACKETS = ["if", ["==", ["cancel", A, "()", "[]"], ""], 1, 0]


@cache
def _text(path: str) -> str:
    table = load(EXAMPLES / path).table
    evidence = evidence_of(table)
    assert evidence.pop("kind") == "reduced"
    return json.dumps([certified_table(table), evidence])


def _example(path: str = "brackets.grid") -> tuple[dict[str, Any], dict[str, Any]]:
    """A table and its evidence; both may be changed."""
    table, evidence = json.loads(_text(path))
    return table, evidence


@pytest.mark.parametrize(
    "path", ["brackets.grid", pytest.param("suite/stack_manipulation.grid", marks=pytest.mark.long)]
)
def test_why_an_example_leaves_what_is_left_is_valid(path: str) -> None:
    table, evidence = _example(path)
    assert is_valid(table, evidence, "reduced")
    for kind in ("reduced acceptance", "words", "values"):
        assert not is_valid(table, evidence, kind)


@pytest.mark.parametrize("source", [BACKSPACE, PARENTHESES, REPLACED, BALANCED, UNDO])
def test_agents_of_newcomers_are_proven(source: str) -> None:
    assert evidence_of(gl.loads(source).table)["invariants"]


def test_an_acceptor_of_brackets_is_proven_to_end_as_its_clause_says(tmp_path: Any) -> None:
    file, proof = tmp_path / "balanced.grid", str(tmp_path / "proof.json")
    file.write_text(BALANCED)
    assert gl.prove(str(file), certificate=proof)
    checked = gl.verify(proof)
    assert checked and checked.claim and checked.claim["halts"] and checked.claim["output"]
    told = invoke("verify", proof, "--kernel", str(tmp_path / "proof.v"))
    assert told.exit_code == 0 and (tmp_path / "proof.v").exists()


@pytest.mark.parametrize(
    ("clause", "reason"),
    [
        ('cancel(w, "ab", "ba")', "`a` is the first symbol of a pair that cancels and the second of one"),
        ('cancel(w, "ab", "b")', "`b` cancels alone and in a pair"),
        ('cancel(w, "aab")', "single symbols and pairs"),
        ('replace(w, "ab", "b")', "replaces one symbol by one"),
        ('replace(cancel(w, "ab"), "b", "a")', "only what is left itself"),
        ('join(w, replace(w, "a", "b"))', "`a` is replaced in one part"),
        ('sorted(replace(w, "a", "b"))', "`sorted`"),
        ("'a' if cancel(w, \"ab\") == \"a\" else 'b'", "only whether nothing is left"),
        ('w if cancel(w, "ab") == "" else "b"', "the clause chooses something other than a text or number"),
        ('"a" if cancel(w, "ab") == "" else stuck', "results beside `accept` and `stuck`"),
    ],
)
def test_other_clauses_say_why_they_are_not_proven(clause: str, reason: str) -> None:
    table = replace(gl.loads(REST).table, output=clause)
    with pytest.raises(Unsaid, match=reason):
        evidence_of(table)


@pytest.mark.long
def test_an_agent_that_is_not_proven_says_what_is_not_known() -> None:
    with pytest.raises(Unsaid, match="in which order words stand"):
        evidence_of(gl.loads(REST).table)


@pytest.mark.parametrize(
    "clause",
    [
        ["if", ["==", ["cancel", A, "()", "[]"], ""], 0, 1],
        ["if", ["!=", ["cancel", A, "()", "[]"], ""], 1, 0],
        ["if", ["not", ["==", ["cancel", A, "()", "[]"], ""]], 1, 0],
        ["if", ["==", ["cancel", A, "()"], ""], 1, 0],
        ["if", ["==", ["cancel", A, "(]", "[)"], ""], 1, 0],
        ["if", ["==", ["cancel", A, "()", "[]", "(]"], ""], 1, 0],
        ["if", ["==", ["cancel", ["cancel", A, "()", "[]"], "("], ""], 1, 0],
        ["if", ["==", ["cancel", A, "()", "[]", ")("], ""], 1, 0],
        ["if", ["==", ["cancel", A, "()", "[]", "["], ""], 1, 0],
        ["if", ["==", ["cancel", ["reverse", A], "()", "[]"], ""], 1, 0],
        ["if", ["==", ["cancel", ["replace", A, "(", "["], "()", "[]"], ""], 1, 0],
        ["if", ["==", ["cancel", A, "()", "[]"], "("], 1, 0],
        ["if", ["==", ["cancel", A, "()", "[]"], ""], 1, 2],
        ["if", ["==", ["cancel", A, "()", "[]"], ""], ["accept"], ["stuck"]],
        ["if", ["==", ["cancel", A, 7], ""], 1, 0],
        ["if", ["==", ["cancel", A], ""], 1, 0],
        ["if", ["==", ["cancel", ["part", 1], "()", "[]"], ""], 1, 0],
        ["cancel", A, "()", "[]"],
        *(
            ["cancel"],
            "1",
            [],
            None,
            7,
            ["if"],
            ["if", ["==", "", ""], 1],
            ["join"],
            ["replace", A, "a"],
            [A],
        ),
    ],
)
def test_evidence_is_refused_for_another_clause(clause: Any) -> None:
    table, evidence = _example()
    assert table["output"]["value"] == BRACKETS
    assert not is_valid(put(table, ("output", "value"), clause), evidence, "reduced")


def test_no_part_of_the_evidence_can_be_left_out_or_be_of_another_type() -> None:
    table, evidence = _example()
    for path in [path for path in places(evidence) if path[0] != "invariants" or path[1:2] in ((), (3,))]:
        for value in (None, 1.5, [[]], {}):
            assert not is_valid(table, put(evidence, path, value), "reduced"), (path, value)
    for name in evidence:
        less = {key: value for key, value in evidence.items() if key != name}
        assert not is_valid(table, less, "reduced")


def test_no_word_can_be_left_out_or_changed() -> None:
    table, evidence = _example()
    entries = evidence["invariants"]
    for index in range(0, len(entries), 4):
        others = [entry for entry in entries if _head(entry) != _head(entries[index])]
        assert not is_valid(table, {**evidence, "invariants": others}, "reduced")
        says = entries[index][6]
        changed = not says if isinstance(says, bool) else [*says, "("]
        assert not is_valid(table, put(evidence, ("invariants", index, 6), changed), "reduced"), entries[
            index
        ]


def _head(entry: list[Any]) -> list[Any]:
    return [*entry[:2], entry[3], entry[5]]


def test_a_spot_that_is_not_listed_has_the_longest_word_of_those_beside_it() -> None:
    table, evidence = _example()
    spot = [0, 0, [0], [1], [0], 0, [["U", 0, 0], ["F", 1, 0, 0]]]
    assert spot in evidence["invariants"]
    others = [entry for entry in evidence["invariants"] if entry != spot]
    assert is_valid(table, {**evidence, "invariants": others}, "reduced")


def test_a_symbol_of_the_input_has_no_other_image() -> None:
    table, evidence = _example()
    for symbol, image in product(range(len(table["symbols"])), ("", "(", ")", "x", "()")):
        if evidence["images"][symbol] != image and (symbol < 5 or len(image) > 1):
            assert not is_valid(table, put(evidence, ("images", symbol), image), "reduced"), (symbol, image)


@pytest.mark.parametrize("source", [BALANCED, PARENTHESES])
def test_no_changed_agent_that_ends_wrongly_is_proven(source: str) -> None:
    table, proven = gl.loads(source).table, 0
    for change in changes(table)[::240]:
        mutant = changed(table, change)
        try:
            evidence_of(mutant)
        except Unsaid:
            continue
        proven += 1
        rule = output_rule(mutant)
        assert rule is not None
        assert not errs(mutant, 5, ENDED if rule.acceptances else ENDED[:1]), change
    assert proven


@pytest.mark.parametrize(
    "clause",
    [
        'cancel(w, "ab")',
        'cancel(w, "ab", "cb")',
        'cancel(cancel(w, "ab", "cb"), "b")',
        'reverse(cancel(cancel(w, "ab"), "b", "c"))',
        'cancel(reverse(w), "ab", "c")',
        'cancel(replace(replace(w, "c", "b"), "b", "c"), "ac")',
        'cancel(join(w, "b", reverse(w), "a"), "ab")',
        'cancel(cancel(w, "c"), "ab")',
        'cancel(replace(w, "c", ""), "ab")',
        'replace(replace(w, "a", "b"), "b", "c")',
    ],
)
def test_what_is_left_is_what_a_clause_means(clause: str) -> None:
    table = replace(gl.loads(REST.replace("'a' | 'b'", "'a'..'c'")).table, output=clause)
    rule = output_rule(table)
    assert rule is not None
    read = reduced_clause(as_checked(table), [set("abc")])
    for word in (word for n in range(6) for word in product("abc", repeat=n)):
        assert _left(read, "".join(word)) == rule.expected("".join(word))


def _left(clause: ReducedClause, text: str) -> str:
    """What a clause leaves of its word, letter by letter from the left."""
    letters = [clause.images[x] for x in text]
    tokens = [
        letter
        for each in clause.word
        for letter in ((letters[::-1] if each.back else letters) if isinstance(each, PartWord) else [each])
    ]
    left = [
        str(token) for token in Reducing(clause).reduced(filter(None, tokens)) if token not in clause.erased
    ]
    return "".join(left[::-1] if clause.back else left)


TOKENS = st.lists(st.sampled_from(["a", "b", "c", "N", "F", "U"]), max_size=5)
LETTERS = st.sets(st.sampled_from(["", "a", "b", "c"]), min_size=1)


@given(
    TOKENS, LETTERS, LETTERS, LETTERS, st.sampled_from([["ab"], ["ab", "cb"], []]), st.sampled_from(["", "b"])
)
def test_what_is_said_of_unknown_words_is_so_of_all_words(
    shape: list[str], n: set[str], f: set[str], u: set[str], pairs: list[str], erased: str
) -> None:
    clause = ReducedClause(
        (PartWord(0, False),), {x: x for x in "abc"}, frozenset(pairs), frozenset(erased), False, None
    )
    reducing = Reducing(clause)
    names = {"N": ("N", 0, 0, 1), "F": ("F", 1, 0), "U": ("U", 0)}
    images = {names["N"]: frozenset(n), names["F"]: frozenset(f), names["U"]: frozenset(u)}
    tokens = [Unknown(names[x], False) if x in names else x for x in shape]
    reduced = reducing.reduced(tokens)
    empty = reducing.is_empty(reduced, lambda name: images[name])
    stays = reducing.is_left(reduced, lambda name: images[name])
    some = {
        x: {"".join(w) for k in (0, 1, 2) for w in product(sorted(of), repeat=k)}
        for x, of in (("N", n), ("F", f))
    }
    for word_n, word_f, cell in product(some["N"], some["F"], u):
        words = {"N": word_n, "F": word_f, "U": cell}
        text = "".join(words.get(x, x) for x in shape)
        same = "".join(each if isinstance(each, str) else words[str(each.name[0])] for each in reduced)
        assert _left(clause, text) == _left(clause, same)
        assert empty is None or empty is (_left(clause, text) == "")
        assert not stays or _left(clause, text) == same
