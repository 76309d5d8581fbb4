"""From an `Agent` and the values of its parameters to its `Table`.

States are instantiated from the start state on, breadth first, so only what is reachable is
built. What can go wrong in one instance is reported once a place, with the instance named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import dropwhile
from typing import NamedTuple

from gridlang.clauses.repetitions import counted_by
from gridlang.diagnostics import Diagnostic, Fix, Label, replacing
from gridlang.lowering.alphabet import build_alphabet
from gridlang.lowering.evaluator import Evaluator
from gridlang.lowering.explaining import idle, not_in_class, with_values
from gridlang.lowering.instances import Instances
from gridlang.lowering.limits import LIMITS
from gridlang.lowering.shared_numbers import shared_numbers
from gridlang.lowering.values import Arg, Env, Fault, Instance, Klass, Val, Word, Words, member, plain
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax import unparse
from gridlang.table import MAX_STATES, MOVES, STAY, Entry, Family, Member, Table
from gridlang.vocabulary import HALT, quote, quote_text


class Chosen(NamedTuple):
    """The rule that applies to a symbol in an instance, with its names bound."""

    rule: s.Rule
    env: Env


class Effect(NamedTuple):
    """What happens on a symbol; no target means halt."""

    write: str
    move: str
    target: Instance | None
    rule: s.Rule


class Lowered(NamedTuple):
    """The table (None after an error), its rules' places, and everything found on the way."""

    table: Table | None
    rules: Mapping[tuple[int, int], s.Rule]
    diagnostics: tuple[Diagnostic, ...]


def lower(
    agent: s.Agent, arguments: Mapping[str, Arg], most: int = MAX_STATES, unreached: bool = False
) -> Lowered:
    """The table of a checked agent; no more states than `most` are looked at, and more leave no table.

    With `unreached` it has those states, too, that no rule leads to.
    """
    lowering = _Lowering(agent, arguments)
    lowering.run(most, unreached)
    return Lowered(lowering.table(), lowering.origins, tuple(lowering.diagnostics))


def _undeclared(name: str, span: Span) -> s.StateDecl:
    """A state that no line declares."""
    return s.StateDecl(s.StateLine(span, (s.Name(span, name),), ()), ())


class _TooMany(Fault):
    """Ends the lowering: what is left could take for ever."""


class _Lowering:
    """The states reached so far, their rows, and what was found wrong on the way."""

    def __init__(self, agent: s.Agent, arguments: Mapping[str, Arg]) -> None:
        self.agent = agent
        self.env: Env = arguments
        self.states = {name.name: state for state in agent.states for name in state.header.names}
        self.halt: Instance | None = None if HALT in self.states else Instance(HALT)
        self.states.setdefault(HALT, _undeclared(HALT, agent.header.span))
        self.diagnostics: list[Diagnostic] = []
        self.reported: set[tuple[str, str, int]] = set()
        self.order: list[Instance] = []
        self.index: dict[Instance, int] = {}
        self.rows: list[tuple[Entry | None, ...]] = []
        self.origins: dict[tuple[int, int], s.Rule] = {}
        self.choices: dict[Instance, dict[str, Chosen]] = {}
        self.effects: dict[int, Effect] = {}
        self.afterwards: dict[str, Instance] = {}  # rest of a word -> the state after it
        self.fired: set[int] = set()
        self.visited: set[int] = set()
        self.evaluator: Evaluator
        self.instances: Instances

    def run(self, most: int, unreached: bool) -> None:
        assert self.agent.start is not None
        try:
            self.evaluator = build_alphabet(self.agent, self.env)
            self.instances = Instances(self.states, self.env, self.evaluator)
            for state in self.agent.states:
                self.instances.check_size(state.header)
            self.enter(self.instances.named(self.agent.start.target, self.env))
            for state in self.agent.states if unreached else ():
                for instance in self.instances.members(state.header):
                    self.enter(instance)
        except Fault as fault:
            self.report(fault.diagnostic)
            return
        for number, instance in enumerate(self.order):  # grows in the loop
            if len(self.diagnostics) >= LIMITS.errors or number >= most:
                break
            try:
                self.rows.append(self.row(instance, number))
            except _TooMany as fault:
                self.report(fault.diagnostic, instance)
                break
        if not self.diagnostics:
            self.warn()

    def report(self, diagnostic: Diagnostic, instance: Instance | None = None) -> None:
        assert diagnostic.span is not None
        key = (diagnostic.code, diagnostic.span.source.path, diagnostic.span.start)
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
        """What an instance does on a symbol, following `as`; None where it is stuck."""
        seen: dict[Instance, None] = {}  # states `as` has led through, in order
        here = instance
        while True:
            chosen = self.chosen(here).get(char)
            if chosen is None:
                return None
            self.fired.add(id(chosen.rule))
            action = chosen.rule.action
            if not isinstance(action, s.As):
                try:
                    return self.step(here, char, chosen)
                except Fault as fault:
                    fault.diagnostic = with_values(fault, self.names(here, chosen.rule), chosen.env)
                    raise
            seen[here] = None
            target = self.instances.named(action.target, chosen.env)
            if target == self.halt:
                return Effect(char, "S", None, chosen.rule)
            self.visited.add(id(self.states[target.state]))
            if target in seen:
                circle = " -> ".join(i.label for i in [*dropwhile(target.__ne__, seen), target])
                message = f"this `as` goes in a circle on `{char}`: {circle}"
                raise Fault("G042", message, action.span, "never ends", "let one of them move or halt")
            here = target
            if len(self.choices) > LIMITS.choices:
                message = f"more than {LIMITS.choices:,} states are asked what they do"
                hint = "give its parameters smaller ranges"
                raise _TooMany("G043", message, action.span, "by way of `as`", hint)

    def names(self, instance: Instance, rule: s.Rule) -> list[str]:
        """The names that a rule may have values for: its own, then the parameters of its state."""
        own = [rule.pattern.variable.name] if rule.pattern.variable else []
        return own + [param.name.name for param in self.states[instance.state].header.params]

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
        """The symbol that a value is written as."""
        if not value.char and value.home and not member(value.home, value.number):
            name = value.home.name
            decls = (decl for decl in self.agent.classes if decl.name and decl.name.name == name)
            raise not_in_class(value, span, next(decls, None))
        return self.evaluator.to_symbol(value, span)

    def check_word(self, word: str, move: str, span: Span) -> None:
        """Refuses a word that cannot be written, symbol by symbol."""
        if not word:
            raise Fault("G036", "there is nothing to write", span, "empty", "the blank is written `_`")
        if len(word) > LIMITS.word:
            message = f"this word has {len(word):,} symbols"
            raise Fault("G036", message, span, f"at most {LIMITS.word:,} can be written at once")
        for char in word:
            self.evaluator.known(char, span)
        if len(word) > 1 and move == "S":
            message = "several symbols are written one behind the other, so the head has to move"
            hint = f"say which way, as in `write {quote_text(word)}, R`"
            raise Fault("G036", message, span, "no move here", hint)

    def rest(self, word: str, move: str, target: Instance, rule: s.Rule) -> Instance:
        """The state that writes the rest of a word and goes on to the target; equal rests share it."""
        name = f"write {word}, {move} -> {target.label}"
        assert isinstance(rule.action, s.Step) and rule.action.write is not None
        span = rule.action.write.span
        if name in self.states and self.afterwards.get(name) != target:
            message = f"the state that writes the rest of this word would be called `{name}`, as another is"
            raise Fault("G022", message, span, "", "rename that state")
        if name not in self.states:
            again = s.Step(
                rule.action.span, s.Text(span, word), s.Direction(span, move), s.Name(span, "target")
            )
            only = rule._replace(pattern=s.Pattern(span, None, s.AnySymbol(span)), guard=None, action=again)
            self.states[name] = s.StateDecl(s.StateLine(rule.span, (s.Name(span, name),), ()), (only,))
            self.afterwards[name] = target
        return Instance(name)

    def chosen(self, instance: Instance) -> dict[str, Chosen]:
        """From symbol to the one rule that applies; overlaps are reported."""
        known = self.choices.get(instance)
        if known is not None:
            return known
        decl = self.states[instance.state]
        env = dict(self.env)
        env.update(zip((p.name.name for p in decl.header.params), instance.args, strict=True))
        if instance.state in self.afterwards:
            env["target"] = self.afterwards[instance.state]
        choices: dict[str, Chosen] = {}
        self.choices[instance] = choices
        for rule in decl.rules:
            if rule.pattern.members is not None and self.may_apply(instance, rule, env):
                self.match(instance, rule, self.pattern(instance, rule, env), env, choices)
        rest = Klass("else", "".join(c for c in self.evaluator.symbols if c not in choices))
        for rule in decl.rules:
            if rule.pattern.members is None and rest.chars and self.may_apply(instance, rule, env):
                self.match(instance, rule, rest, env, choices)
        return choices

    def may_apply(self, instance: Instance, rule: s.Rule, env: Env) -> bool:
        """Whether a guard that is the same for all symbols holds; if not, the pattern need have no value."""
        if rule.guard is None or rule.pattern.variable:
            return True
        try:
            return self.evaluator.truth(rule.guard, env)
        except Fault as fault:
            self.report(with_values(fault, self.names(instance, rule), env), instance)
            return False

    def pattern(self, instance: Instance, rule: s.Rule, env: Env) -> Klass:
        assert rule.pattern.members is not None
        try:
            return self.evaluator.klass(rule.pattern.members, env)
        except Fault as fault:
            self.report(fault.diagnostic, instance)
            return Klass("", "")

    def match(
        self, instance: Instance, rule: s.Rule, klass: Klass, env: Env, choices: dict[str, Chosen]
    ) -> None:
        variable, same = rule.pattern.variable, Chosen(rule, env)
        home = klass if klass.name in self.evaluator.classes else None
        for char in klass.chars:
            chosen = same
            if variable:
                chosen = Chosen(rule, {**env, variable.name: self.evaluator.symbol_value(char, home)})
            try:
                if rule.guard and variable and not self.evaluator.truth(rule.guard, chosen.env):
                    continue
            except Fault as fault:
                self.report(with_values(fault, self.names(instance, rule), chosen.env), instance)
                continue
            if char in choices:
                self.overlap(instance, char, choices[char].rule, rule)
            else:
                choices[char] = chosen

    def overlap(self, instance: Instance, char: str, first: s.Rule, second: s.Rule) -> None:
        message = f"two rules of `{instance.label}` match `{char}`"
        fixes: tuple[Fix, ...] = ()
        if second.pattern.members is None:
            hint = "give the `else` rules guards that exclude each other"
        elif isinstance(second.pattern.members, s.AnySymbol):
            hint = "write `else` instead of `any`: it takes what the other rules leave"
            fixes = (replacing(second.pattern.span, "else"),) if not second.pattern.variable else ()
        else:
            hint = f"exclude it from one of them, as in `... except {quote(char)}`, or give them guards"
        also = (Label(first.pattern.span, "matched here first"),)
        span, label = second.pattern.span, "matched again here"
        self.report(Diagnostic("G040", message, span, label, hint, also=also, fixes=fixes))

    def table(self) -> Table | None:
        if any(d.is_error for d in self.diagnostics) or len(self.rows) < len(self.order):
            return None
        names = tuple(instance.label for instance in self.order)
        twice = next((n for n in names if names.count(n) > 1), "") if len(set(names)) < len(names) else ""
        if twice:
            span = self.agent.header.span
            self.report(
                Diagnostic("G022", f"two states are called `{twice}`", span, hint="rename one of them")
            )
            return None
        values: dict[str, int | str | tuple[str, ...]] = {}
        for name, value in self.env.items():
            if isinstance(value, Val | Word):
                values[name] = value.number if isinstance(value, Val) else value.letters
            elif isinstance(value, Words):
                values[name] = value.entries
        agent = self.agent
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
            self.output(values),
            tuple(self.families()),
        )

    def output(self, values: unparse.Values) -> str:
        """The output clause as a table holds it; another agent is no part of a table."""
        clause = self.agent.output
        no_clause = clause is None or isinstance(clause.value, s.Oracle)
        return "" if clause is None or no_clause else unparse.output_clause(clause.value, values)

    def count(self, node: s.Expr) -> int:
        """How often something stands in the input, which is never negative."""
        number = self.evaluator.value(node, self.env).number
        if number < 0:
            raise Fault("G030", "nothing can stand there less than 0 times", node.span, f"this is {number}")
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

    def warn(self) -> None:
        """Unreachable states, rules of reachable ones that never fire, and symbols that count alike."""
        for warning in shared_numbers(self.agent, self.evaluator.classes):
            self.report(warning)
        own = [(state, state.header.names[0]) for state in self.agent.states if self.is_own(state)]
        used = [(self.states[name.name], name) for use in self.agent.uses for name in use.names]
        for state, name in [*own, *used]:
            if id(state) not in self.visited:
                message = f"state `{name.name}` cannot be reached"
                self._warning("G060", message, name.span, "no rule leads here from the start state")
                continue
            if self.agent.header.params or not self.is_own(state):
                continue  # with other arguments the rule may fire
            for rule in state.rules:
                if id(rule) not in self.fired:
                    message = f"this rule of `{name.name}` can never fire"
                    label = "matches no symbol in any state that is reached"
                    self._warning("G062", message, rule.pattern.span, label)

    def is_own(self, state: s.StateDecl) -> bool:
        """Whether a state is declared in the file of the agent, not used from another."""
        return state.header.span.source is self.agent.header.span.source

    def _warning(self, code: str, message: str, span: Span, label: str) -> None:
        self.report(Diagnostic(code, message, span, label, severity="warning"))
