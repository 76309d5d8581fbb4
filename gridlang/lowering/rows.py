"""Rules to rows: from an `Agent` and the values of its parameters to its `Table`.

States are instantiated from the start state on, breadth first, so only what is reachable is
built. What can go wrong in one instance is reported once a place, with the instance named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import dropwhile
from typing import NamedTuple

from gridlang.checking.against_table import warnings_of
from gridlang.clauses.position_automaton import counted_by
from gridlang.diagnostics import Diagnostic, Fault
from gridlang.evaluator import Evaluator
from gridlang.lowering.alphabet import build_alphabet
from gridlang.lowering.rules import Chosen, Instances, RuleChoices, idle, not_in_class, with_values
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax import unparse
from gridlang.table import MAX_STATES, MOVES, STAY, Entry, Family, Member, Table
from gridlang.values import (
    LONGEST_WORD,
    Arg,
    Env,
    Instance,
    Val,
    clause_values,
    member,
    plain,
)
from gridlang.vocabulary import HALT, quote_text

MOST_CHOICES = 2 * MAX_STATES  # states made, with those that only `as` leads to
MOST_ERRORS = 30  # more in one file add nothing


class Effect(NamedTuple):
    """The step on a symbol; no target means halt."""

    write: str
    move: str
    target: Instance | None
    rule: s.Rule


class Lowered(NamedTuple):
    """The table (None after an error), its rules' places, and everything found on the way."""

    table: Table | None
    rules: Mapping[tuple[int, int], s.Rule]
    diagnostics: tuple[Diagnostic, ...]


def lower(agent: s.Agent, arguments: Mapping[str, Arg], most: int = MAX_STATES) -> Lowered:
    """The table of a checked agent; no more states than `most` are looked at, and more leave no table."""
    lowering = _Lowering(agent, arguments)
    lowering.run(most)
    return Lowered(lowering.table(), lowering.origins, tuple(lowering.diagnostics))


class _TooMany(Fault):
    """Ends the lowering: the rest may be endless."""


class _Lowering:
    """The states reached so far, their rows, and what was found wrong on the way."""

    def __init__(self, agent: s.Agent, arguments: Mapping[str, Arg]) -> None:
        self.agent = agent
        self.env: Env = arguments
        self.states = {name.name: state for state in agent.states for name in state.header.names}
        self.halt: Instance | None = None if HALT in self.states else Instance(HALT)
        span = agent.header.span
        self.states.setdefault(HALT, s.StateDecl(s.StateLine(span, (s.Name(span, HALT),), ()), ()))
        self.diagnostics: list[Diagnostic] = []
        self.reported: set[tuple[str, str, int]] = set()
        self.order: list[Instance] = []
        self.index: dict[Instance, int] = {}
        self.rows: list[tuple[Entry | None, ...]] = []
        self.origins: dict[tuple[int, int], s.Rule] = {}
        self.effects: dict[int, Effect] = {}
        self.fired: set[int] = set()
        self.visited: set[int] = set()
        self.evaluator: Evaluator
        self.instances: Instances
        self.choices: RuleChoices

    def run(self, most: int) -> None:
        assert self.agent.start is not None
        try:
            self.evaluator = build_alphabet(self.agent, self.env)
            self.instances = Instances(self.states, self.env, self.evaluator)
            self.choices = RuleChoices(self.states, self.env, self.evaluator, self.report)
            for state in self.agent.states:
                self.instances.check_size(state.header)
            self.enter(self.instances.named(self.agent.start.target, self.env))
        except Fault as fault:
            self.report(fault.diagnostic)
            return
        for number, instance in enumerate(self.order):  # grows in the loop
            if len(self.diagnostics) >= MOST_ERRORS or number >= most:
                break
            try:
                self.rows.append(self.row(instance, number))
            except _TooMany as fault:
                self.report(fault.diagnostic, instance)
                break
        if not self.diagnostics:
            found = (self.evaluator.classes, self.visited, self.fired)
            for warning in warnings_of(self.agent, self.states, *found):
                self.report(warning)

    def report(self, diagnostic: Diagnostic, instance: Instance | None = None) -> None:
        key = (diagnostic.code, *diagnostic.place)
        if key in self.reported:
            return
        self.reported.add(key)
        if instance is not None and instance.args:
            diagnostic = diagnostic._replace(
                message=f"{diagnostic.message} (in state `{instance.short_label}`)"
            )
        self.diagnostics.append(diagnostic)

    def enter(self, instance: Instance) -> int:
        """The number of an instance, given out in the order of discovery."""
        known = self.index.get(instance)
        if known is not None:
            return known
        header = self.states[instance.state].header
        if len(self.order) >= MAX_STATES:
            hint = "give its parameters smaller ranges"
            message = f"this agent has more than {MAX_STATES:,} states"
            label = f"the family that passed the limit: {instance.short_label}"
            raise _TooMany("G043", message, header.span, label, hint)
        self.index[instance] = len(self.order)
        self.order.append(instance)
        self.visited.add(id(self.states[instance.state]))
        return self.index[instance]

    def row(self, instance: Instance, number: int) -> tuple[Entry | None, ...]:
        if instance == self.halt:
            return tuple(Entry(place, STAY, number) for place in range(len(self.evaluator.symbols)))
        entries: list[Entry | None] = []
        for place, char in enumerate(self.evaluator.symbols):
            entry = None
            try:
                effect = self.effect(instance, char)
                if effect:
                    entry = self.entry(char, effect, number)
                    self.origins[number, place] = effect.rule
            except _TooMany:
                raise
            except Fault as fault:
                self.report(fault.diagnostic, instance)
            entries.append(entry)
        return tuple(entries)

    def entry(self, char: str, effect: Effect, number: int) -> Entry:
        place = self.evaluator.place.__getitem__
        if effect.target is None:
            return Entry(place(char), STAY, number)
        after = self.enter(effect.target)
        if effect.write == char and effect.move == "S" and after != number:
            raise idle(effect.rule, char, effect.target.label)
        return Entry(place(effect.write), MOVES.index(effect.move), after)

    def effect(self, instance: Instance, char: str) -> Effect | None:
        """Resolves `as`: the step of an instance on a symbol; None where it is stuck."""
        seen: dict[Instance, None] = {}  # states `as` has led through, in order
        here = instance
        while True:
            chosen = self.choices.of(here).get(char)
            if chosen is None:
                return None
            self.fired.add(id(chosen.rule))
            action = chosen.rule.action
            if not isinstance(action, s.As):
                try:
                    return self.step(here, char, chosen)
                except Fault as fault:
                    names = self.choices.names(here, chosen.rule)
                    fault.diagnostics = [with_values(fault, names, chosen.env)]
                    raise
            seen[here] = None
            target = self.instances.named(action.target, chosen.env)
            if target == self.halt:
                return Effect(char, "S", None, chosen.rule)
            self.visited.add(id(self.states[target.state]))
            if target in seen:
                circle = " -> ".join(i.label for i in [*dropwhile(target.__ne__, seen), target])
                message = f"this `as` goes in a cycle on `{char}`: {circle}"
                raise Fault("G042", message, action.span, "never ends", "let one of them move or halt")
            here = target
            if len(self.choices.known) > MOST_CHOICES:
                message = f"more than {MOST_CHOICES:,} states are entered through `as`"
                hint = "give its parameters smaller ranges"
                raise _TooMany("G043", message, action.span, "here", hint)

    def step(self, instance: Instance, char: str, chosen: Chosen) -> Effect:
        action = chosen.rule.action
        if not isinstance(action, s.Step):
            return Effect(char, "S", None, chosen.rule)
        known = self.effects.get(id(chosen))
        if known:
            return known if action.write else known._replace(write=char)
        effect = self.evaluated(instance, char, chosen, action)
        # the same for all matched symbols, except that a target `halt` may be idle on one
        if chosen.rule.pattern.variable is None and effect.target not in (None, self.halt):
            self.effects[id(chosen)] = effect
        return effect

    def evaluated(self, instance: Instance, char: str, chosen: Chosen, action: s.Step) -> Effect:
        evaluator, env = self.evaluator, chosen.env
        move = evaluator.move(action.move, env) if action.move else "S"
        target = self.instances.named(action.target, env) if action.target else instance
        word = evaluator.word(action.write, env) if action.write else char
        if word is None:
            assert action.write is not None
            word = self.symbol(evaluator.value(action.write, env), action.write.span)
        elif action.write:
            self.check_word(word, move, action.write.span)
        if len(word) > 1:
            target = self.rest(word[1:], move, target, chosen.rule)
        if target == self.halt and word == char and move == "S":
            return Effect(char, "S", None, chosen.rule)
        return Effect(word[0], move, target, chosen.rule)

    def symbol(self, value: Val, span: Span) -> str:
        if not value.char and value.home and not member(value.home, value.number):
            name = value.home.name
            decls = (decl for decl in self.agent.classes if decl.name and decl.name.name == name)
            raise not_in_class(value, span, next(decls, None))
        return self.evaluator.to_symbol(value, span)

    def check_word(self, word: str, move: str, span: Span) -> None:
        """Refuses a word that cannot be written, symbol by symbol."""
        if not word:
            raise Fault("G036", "there is nothing to write", span, "empty", "the blank is written `_`")
        if len(word) > LONGEST_WORD:
            message = f"this word has {len(word):,} symbols"
            raise Fault("G036", message, span, f"at most {LONGEST_WORD:,} can be written at once")
        for char in word:
            self.evaluator.known(char, span)
        if len(word) > 1 and move == "S":
            message = "a word is written symbol by symbol, so the head has to move"
            hint = f"say which way, as in `write {quote_text(word)}, R`"
            raise Fault("G036", message, span, "no move here", hint)

    def rest(self, word: str, move: str, target: Instance, rule: s.Rule) -> Instance:
        """The state that writes the rest of a word and goes on to the target; equal rests share it."""
        name = f"write {word}, {move} -> {target.label}"
        assert isinstance(rule.action, s.Step) and rule.action.write is not None
        span = rule.action.write.span
        if name in self.states and self.choices.afterwards.get(name) != target:
            message = f"the state that writes the rest of this word would be called `{name}`, as another is"
            raise Fault("G022", message, span, "", "rename that state")
        if name not in self.states:
            again = s.Step(
                rule.action.span, s.Text(span, word), s.Direction(span, move), s.Name(span, "target")
            )
            only = rule._replace(pattern=s.Pattern(span, None, s.AnySymbol(span)), guard=None, action=again)
            self.states[name] = s.StateDecl(s.StateLine(rule.span, (s.Name(span, name),), ()), (only,))
            self.choices.afterwards[name] = target
        return Instance(name)

    def table(self) -> Table | None:
        if any(d.is_error for d in self.diagnostics) or len(self.rows) < len(self.order):
            return None
        names = tuple(instance.label for instance in self.order)
        if len(set(names)) < len(names):
            message = f"two states are called `{next(n for n in names if names.count(n) > 1)}`"
            self.report(Diagnostic("G022", message, self.agent.header.span, "", "rename one of them"))
            return None
        agent, values = self.agent, clause_values(self.env)
        try:
            clause = agent.input and counted_by(agent.input, self.count)
        except Fault as fault:
            self.report(fault.diagnostic)
            return None
        return Table(
            agent.header.name.name,
            self.evaluator.symbols,
            names,
            tuple(self.rows),
            tuple((k.name, k.chars) for k in self.evaluator.classes.values()),
            unparse.input_clause(clause, values) if clause else "",
            unparse.expression(agent.output.value, values) if agent.output else "",
            tuple(self.families()),
        )

    def count(self, node: s.Expr) -> int:
        """A count of the input clause; Fault if it is negative."""
        number = self.evaluator.value(node, self.env).number
        if number < 0:
            raise Fault("G030", "a piece cannot repeat fewer than 0 times", node.span, f"this is {number}")
        return number

    def families(self) -> Iterator[Family]:
        """The declarations with parameters, and the instances of each that are reached."""
        members: dict[str, list[Member]] = {}
        for number, instance in enumerate(self.order):
            if instance.args:
                member = Member(number, tuple(map(plain, instance.args)))
                members.setdefault(instance.state, []).append(member)
        for name, reached in members.items():
            parameters = tuple(param.name.name for param in self.states[name].header.params)
            yield Family(name, parameters, tuple(reached))
