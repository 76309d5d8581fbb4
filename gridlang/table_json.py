"""Tables as JSON, complete and stable: the format `gridlang-table/1`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gridlang.diagnostics import GridError, fail
from gridlang.table import BLANK, MOVES, Entry, Family, Member, Table

FORMAT = "gridlang-table/1"


def table_to_json(table: Table, *, families: bool = True) -> str:
    """Complete and stable: the same table gives the same text; without families, equal tables do."""
    data = table_data(table)
    rules = _listed(map(_text, data.pop("rules")))
    head = json.dumps(data, ensure_ascii=False, indent=1)[:-2]
    if families and table.families:
        head += f',\n "families": {_listed(map(_text, families_to_data(table)))}'
    return f'{head},\n "rules": {rules}\n}}\n'


def table_data(table: Table) -> dict[str, Any]:
    """The same as data, without families."""
    states, symbols = table.states, table.symbols
    return {
        "format": FORMAT,
        "name": table.name,
        "symbols": list(table.symbols),
        "blank": BLANK,
        "moves": list(MOVES),
        "states": list(table.states),
        "start": table.states[0],
        "classes": [[name, members] for name, members in table.classes],
        "input": table.input or None,
        "output": table.output or None,
        "rules": [
            [states[q], symbols[x], symbols[write], MOVES[move], states[after]]
            for q, x, (write, move, after) in table.entries()
        ],
    }


def _listed(items: Iterable[str]) -> str:
    return "[\n  " + ",\n  ".join(items) + "\n ]"


def _text(item: object) -> str:
    return json.dumps(item, ensure_ascii=False)


def families_to_data(table: Table) -> list[dict[str, Any]]:
    """Families for JSON; a member is a list of its state's name and its values."""
    return [
        {"name": f.name, "parameters": f.parameters, "members": [[table.states[q], *v] for q, v in f.members]}
        for f in table.families
    ]


def families_from_data(data: Sequence[Mapping[str, Any]], states: Sequence[str]) -> tuple[Family, ...]:
    """Reads what `families_to_data` gives; KeyError, TypeError or ValueError for anything else."""
    place = {name: state for state, name in enumerate(states)}
    return tuple(
        Family(
            str(family["name"]),
            tuple(map(str, family["parameters"])),
            tuple(Member(place[name], tuple(values)) for name, *values in family["members"]),
        )
        for family in data
    )


def table_from_json(text: str, file: str = "") -> Table:
    """Reads what `table_to_json` writes; GridError for anything else."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            stated = data.get("format") if isinstance(data, dict) else None
            known = f"is {stated!r}" if stated else "is not named"
            raise fail("G080", f"this is not a table: its format {known}; it should be {FORMAT!r}", file=file)
        return _from_dict(data)
    except GridError as error:
        raise GridError(d._replace(file=file) for d in error.diagnostics) from None
    except KeyError as missing:
        name = str(missing)[:60]
        raise fail("G080", f"this is not a table: {name} is missing or not declared", file=file) from None
    except (ValueError, TypeError, IndexError, RecursionError, AttributeError):
        hint = "make it again with `gridlang compile FILE --to table`"
        raise fail("G080", "this is not a table: it is not built like one", hint, file) from None


def _from_dict(data: Mapping[str, Any]) -> Table:
    if data["blank"] != BLANK or data["moves"] != list(MOVES):
        raise fail("G080", f"this is not a table: its blank must be `{BLANK}`, its moves {' '.join(MOVES)}")
    name, inputs, outputs = texts = (data["name"], data.get("input") or "", data.get("output") or "")
    if not all(isinstance(text, str) for text in texts) or not isinstance(data["rules"], list):
        raise fail("G080", "this is not a table: its name and clauses are texts, its rules a list")
    symbols = tuple(map(str, data["symbols"]))
    states = tuple(map(str, data["states"]))
    if data["start"] != states[0]:
        raise fail("G080", "this is not a table: its first state must be the start state")
    place, index, moves = ({name: i for i, name in enumerate(names)} for names in (symbols, states, MOVES))
    rows: list[list[Entry | None]] = [[None] * len(symbols) for _ in states]
    for state, symbol, write, move, after in data["rules"]:
        row, x = rows[index[state]], place[symbol]
        if row[x] is not None:
            raise fail("G080", f"this is not a table: two rules for `{state}` on `{symbol}`")
        row[x] = Entry(place[write], moves[move], index[after])
    classes = tuple((str(called), str(members)) for called, members in data.get("classes") or ())
    families = families_from_data(data.get("families") or (), states)
    return Table(name, symbols, states, tuple(map(tuple, rows)), classes, inputs, outputs, families)
