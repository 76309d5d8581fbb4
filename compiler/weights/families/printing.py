"""Nodes and their rules as the text of a `.grid` file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gridlang.compiler.weights.families.formulas import READ
from gridlang.compiler.weights.families.nodes import Agent, Key
from gridlang.compiler.weights.families.rules import HALTS, Rule, Rules
from gridlang.printer import head_lines
from gridlang.source import Source
from gridlang.syntax.formatter import layout
from gridlang.syntax.parser import parse
from gridlang.table import BLANK, Table
from gridlang.vocabulary import HALT, quote


def in_order(agent: Agent, said: Mapping[Key, list[Rule]]) -> list[Key]:
    """The nodes as they are reached, by their rules."""
    order = [agent.start[0]]
    for key in order:
        after = [r.action.to for r in said[key] if r.action.to]
        order += dict.fromkeys(to for to in after if to in said and to not in order)
    return order


def to_text(
    table: Table, agent: Agent, rules: Rules, said: Mapping[Key, list[Rule]], names: Mapping[Key, str]
) -> str:
    order = [key for key in in_order(agent, said) if names[key] != HALT]
    domains = rules.domains(agent.nodes)
    key, values = agent.start
    first = [rules.literal(kind, value) for kind, value in zip(agent.nodes[key].kinds, values, strict=True)]
    states = []
    for key in order:
        lines = rule_lines(table, rules, said[key], lambda to: names[to])
        states.append("\n".join([f"state {names[key]}{domains[key].text}", *lines]))
    head = "\n".join(head_lines(table, target(names[agent.start[0]], first)))
    if any(re.search(r"\bbase\b", re.sub(r"#.*", "", state)) for state in states):
        head = with_base(head, rules.base)
    return laid_out("\n\n".join([head, *states]) + "\n")


def laid_out(text: str) -> str:
    return layout(parse(Source("<families>", text)).lines)


def with_base(head: str, base: int) -> str:
    """The base as a constant, by which the digits are declared."""
    name, _, rest = head.partition("\n")
    digits = rest.replace(f"= 0..{base - 1}\n", "= 0..base-1\n", 1)
    return f"{name}\n\nlet base = {base}\n{digits}"


def target(name: str, args: Sequence[str]) -> str:
    return f"{name}({', '.join(args)})" if args else name


def rule_lines(table: Table, rules: Rules, said: Sequence[Rule], name: Callable[[Key], str]) -> list[str]:
    """Symbols that are treated alike share a line."""
    groups: dict[tuple[str, str], list[tuple[bool, str]]] = {}
    for rule in said:
        if len(rule.symbols) == 1 and rule.group is not None:
            rule = with_symbol(rule, quote(table.symbols[rule.symbols[0]]))
        act = action_text(rule, name)
        guard = f" if {' and '.join(rule.tests)}" if rule.tests else ""
        note = f"  # breaks {rule.odd.formula}" if rule.odd else ""
        bound = bool(READ.search(act + guard))
        groups.setdefault((guard, act + note), []).append((bound, pattern(table, rules, rule)))
    lines = []
    for (guard, act), patterns in groups.items():
        plain = [text for bound, text in patterns if not bound]
        apart = [text for text in plain if " except " in text]
        together = " | ".join(text for text in plain if " except " not in text)
        each = [f"d in {text}" for bound, text in patterns if bound] + apart + [together] * bool(together)
        lines += [f"  {text}{guard} : {act}" for text in each]
    return lines


def action_text(rule: Rule, name: Callable[[Key], str]) -> str:
    action = rule.action
    if action.to == HALTS:
        return "halt"
    write = f"write {action.write}" if action.write else ""
    to = target(name(action.to), action.args if name(action.to) != HALT else ()) if action.to else ""
    if to == HALT and action.move == "S":
        return f"{write} -> halt"
    return ", ".join(filter(None, (write, action.move))) + (f" -> {to}" if to else "")


def with_symbol(rule: Rule, symbol: str) -> Rule:
    """The rule of one symbol, which stands for what is read."""
    put = partial(READ.sub, symbol)
    action = rule.action._replace(write=put(rule.action.write), args=tuple(map(put, rule.action.args)))
    return rule._replace(action=action, tests=tuple(map(put, rule.tests)))


def pattern(table: Table, rules: Rules, rule: Rule) -> str:
    names = {members: name for name, members in table.classes}
    chars = [table.symbols[x] for x in rule.symbols]
    if rule.group is None:
        return names.get(chars[0], quote(chars[0]))
    whole = [table.symbols[x] for x in rules.classes[rule.group].number]
    rest = [c for c in whole if c not in chars]
    if not rest:
        return rules.classes[rule.group].name
    if 2 * len(rest) < len(whole) and len(rest) <= 2:
        return f"{rules.classes[rule.group].name} except {' | '.join(map(quote, rest))}"
    start = whole.index(chars[0])
    if len(chars) > 2 and chars == whole[start : start + len(chars)] and BLANK not in chars:
        return f"{quote(chars[0])}..{quote(chars[-1])}"
    return " | ".join(map(quote, chars))
