"""States to rules: the instances of states, and which rule applies to which symbol."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from gridlang.clauses.functions import names_in
from gridlang.diagnostics import Diagnostic, Edit, Fault, Fix, Label, replacing
from gridlang.evaluator import Evaluator
from gridlang.lowering.parameters import domain_range, in_domain, in_moves, in_range, is_range
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression
from gridlang.table import MAX_STATES
from gridlang.values import Arg, Env, Instance, Klass, Val, Word, members, numbers, show
from gridlang.vocabulary import quote

MOST_DECLARED = 1_000_000  # states of one family, of which few may be reached
DEEPEST = 16  # states passed to states
MOST_INSIDE = 100  # states in one instance: two parameters passed on twice double it at each step
_WORD = re.compile(r"[^\W\d]\w*")


def with_values(fault: Fault, names: Iterable[str], env: Env) -> Diagnostic:
    """A fault's text with the values of its names: `this is 10 for d = 9`."""
    diagnostic = fault.diagnostic
    if not diagnostic.label.startswith("this is ") or diagnostic.span is None:
        return diagnostic
    used = set(_WORD.findall(diagnostic.span.text))
    values = [f"{name} = {show(env[name])}" for name in names if name in used and name in env]
    return diagnostic._replace(label=f"{diagnostic.label} for {', '.join(values)}") if values else diagnostic


def not_in_class(value: Val, span: Span, decl: s.ClassDecl | None) -> Fault:
    """A computed number outside its class; if the class counts, the hint is `mod`."""
    home = value.home
    assert home is not None
    message, label = f"{value.number} is not a symbol of class `{home.name}`", f"this is {value.number}"
    shared = [quote(char) for char in members(home, value.number)]
    if shared:
        message = f"{' and '.join(shared)} of class `{home.name}` both count as {value.number}"
        return Fault("G031", message, span, label, f"write one of them itself, as in {shared[0]}")
    if sorted(numbers(home).values()) != list(range(len(home.chars))):
        return Fault("G031", message, span, label, f"its symbols: {' '.join(home.chars[:40])}")
    wrapped = f"({span.text}) mod {_size(home, decl)}"
    hint = f"`{wrapped}` wraps around; or exclude the symbols for which it is not in 0..{len(home.chars) - 1}"
    return Fault("G031", message, span, label, hint, (replacing(span, wrapped, sure=False),))


def _size(home: Klass, decl: s.ClassDecl | None) -> str:
    """How many symbols a class has: by a parameter where it is declared `0..base-1`."""
    members = decl.members if decl else None
    if isinstance(members, s.Binary) and members.op == "..":
        right = members.right
        if isinstance(right, s.Binary) and right.op == "-" and right.right == s.Number(right.right.span, 1):
            return expression(right.left)
    return str(len(home.chars))


def idle(rule: s.Rule, char: str, target: str) -> Fault:
    """A step that keeps its symbol and stays, but changes the state."""
    action = rule.action
    assert isinstance(action, s.Step) and action.target is not None
    message = f"this rule is idle on `{char}`, so it halts and cannot go to `{target}`"
    named = action.target.span.text
    hint = f"`as {named}` does what `{named}` would do here, and costs no step"
    stays = action.move is None or (isinstance(action.move, s.Direction) and action.move.move == "S")
    fixes: tuple[Fix, ...] = ()
    if not stays:
        hint = f"`{expression(action.move)}` is S here; move another way" if action.move else ""
    elif action.write is None or _matches_only(rule, char):
        fixes = (replacing(action.span, f"as {named}"),)
    else:
        hint, fixes = _in_two(rule, action.write, named)
    return Fault("G041", message, action.span, "keeps the symbol and stays", hint, fixes)


def _matches_only(rule: s.Rule, char: str) -> bool:
    members = rule.pattern.members
    return (isinstance(members, s.Symbol) and members.char == char) or (
        isinstance(members, s.Number) and str(members.value) == char
    )


def _in_two(rule: s.Rule, write: s.Expr, named: str) -> tuple[str, tuple[Fix, ...]]:
    """The hint and fix for a rule that is idle on some symbols: they get a rule of their own."""
    pattern, written = rule.pattern, write.span.text
    guard = f" and ({expression(rule.guard)})" if rule.guard else ""
    simple = isinstance(write, s.Name | s.Number | s.Symbol)
    if pattern.variable:
        compared = f"({expression(write)})" if isinstance(write, s.Conditional) else written
        first = f"{pattern.span.text} if {compared} != {pattern.variable.name}{guard}"
        own = f"{pattern.span.text} if {compared} == {pattern.variable.name}{guard}"
    elif simple:
        own = written + (f" if {expression(rule.guard)}" if rule.guard else "")
        narrow = pattern.span.text if pattern.members is None else f"{pattern.span.text} except {written}"
        first = narrow + (f" if {expression(rule.guard)}" if rule.guard else "")
    else:
        return "where nothing changes it must move, or be a rule of its own with `as`", ()
    source = rule.span.source
    head = rule.pattern.span if rule.guard is None else rule.pattern.span.to(rule.guard.span)
    column = source.position(rule.span.start)[1] - 1
    edits = (Edit(head, first), Edit(rule.span.after(), f"\n{' ' * column}{own} : as {named}"))
    hint = f"let this rule match `{first}`, and add `{own} : as {named}`, which costs no step"
    return hint, (Fix(f"add `{own} : as {named}`", edits, sure=False),)


Report = Callable[[Diagnostic, Instance | None], None]  # of a fault of one instance, or of none


class Instances:
    """The declared states of an agent, whose own parameters are in `env`."""

    def __init__(self, states: Mapping[str, s.StateDecl], env: Env, evaluator: Evaluator) -> None:
        self.states, self.env, self.evaluator = states, env, evaluator
        self._bounds: dict[int, tuple[int, int]] = {}  # id(param) -> range, where all instances share it

    def check_size(self, header: s.StateLine) -> None:
        """Refuses a family that is declared too large, before anything is built."""
        size = 1
        for param in header.params:
            try:
                size *= self._domain_size(param)
            except (KeyError, Fault):
                continue  # depends on an earlier parameter; the states are limited anyway
        if size > MOST_DECLARED:
            message = f"the family `{header.names[0].name}` has {size:,} states"
            hint = f"a family has at most {MOST_DECLARED:,} states; an agent reaches at most {MAX_STATES:,}"
            raise Fault("G043", message, header.span, "declared here", hint)

    def _domain_size(self, param: s.Param) -> int:
        if param.relation == ":":
            return 1
        if param.relation == "in" and not (isinstance(param.domain, s.Binary) and param.domain.op == ".."):
            return len(self.evaluator.klass(param.domain, self.env).chars)
        low, high = domain_range(param, self.evaluator, self.env)
        return max(high - low + 1, 1)

    def named(self, node: s.Expr, env: Env) -> Instance:
        """The state that an expression names, with its arguments in range."""
        if isinstance(node, s.Name) and isinstance(env.get(node.name), Instance):
            argument = env[node.name]
            assert isinstance(argument, Instance)
            return argument
        named = s.state_of(node)
        assert named is not None
        header, args = self.states[named[0].name].header, named[1]
        inner: dict[str, Arg] = dict(self.env)
        values: list[Arg] = []
        for param, arg in zip(header.params, args, strict=True):
            values.append(self._argument(param, arg, env, inner))
            inner[param.name.name] = values[-1]
        instance = Instance(header.names[0].name, tuple(values))
        if any(isinstance(value, Instance) for value in values):
            self._check_nesting(instance, node)
        return instance

    def _check_nesting(self, instance: Instance, node: s.Expr) -> None:
        """Refuses states within states that could grow without end."""
        name = instance.state
        if instance.depth > DEEPEST:
            message = f"`{name}` is instantiated without end"
            hint = "a state that passes a larger state to itself never stops; pass its own parameter on"
            raise Fault("G044", message, node.span, "each use makes a new state", hint)
        if instance.size > MOST_INSIDE:
            message = f"this instance of `{name}` is made of more than {MOST_INSIDE} states"
            hint = "a state that passes two larger states to itself doubles; pass its own parameters on"
            raise Fault("G044", message, node.span, "too large here", hint)

    def _range(self, param: s.Param, inner: Env) -> tuple[int, int]:
        known = self._bounds.get(id(param))
        if known is None:
            known = domain_range(param, self.evaluator, inner)
            if all(name.name in self.env for name in names_in(param.domain)):
                self._bounds[id(param)] = known
        return known

    def _argument(self, param: s.Param, arg: s.Expr, env: Env, inner: Env) -> Arg:
        """The argument as a value in its parameter's domain; `inner` has the parameters before it."""
        evaluator = self.evaluator
        if param.relation != ":":
            if is_range(param):
                return in_range(evaluator.number(arg, env), param, self._range(param, inner), arg.span)
            return in_domain(evaluator.value(arg, env), param, evaluator, inner, arg.span)
        if param.kind == "state":
            return self.named(arg, env)
        if param.kind == "word":
            letters = evaluator.letter(arg, env) if isinstance(arg, s.Index) else evaluator.word(arg, env)
            return Word(letters or "")
        if param.kind == "class":
            chars = sorted(evaluator.klass(arg, env).chars, key=evaluator.place.__getitem__)
            return evaluator.class_with("".join(chars))
        return in_moves(evaluator.move(arg, env), param, evaluator, arg.span)


class Chosen(NamedTuple):
    """The rule that applies to a symbol in an instance, with its names bound."""

    rule: s.Rule
    env: Env


class RuleChoices:
    """The rule that applies, by instance and symbol; reports overlaps and faults of guards."""

    def __init__(
        self, states: dict[str, s.StateDecl], env: Env, evaluator: Evaluator, report: Report
    ) -> None:
        self.states, self.env, self.evaluator, self.report = states, env, evaluator, report
        self.known: dict[Instance, dict[str, Chosen]] = {}
        self.afterwards: dict[str, Instance] = {}  # rest of a word -> the state after it

    def of(self, instance: Instance) -> dict[str, Chosen]:
        """From symbol to the one rule that applies; overlaps are reported."""
        known = self.known.get(instance)
        if known is not None:
            return known
        decl = self.states[instance.state]
        env = dict(self.env)
        env.update(zip((p.name.name for p in decl.header.params), instance.args, strict=True))
        if instance.state in self.afterwards:
            env["target"] = self.afterwards[instance.state]
        choices: dict[str, Chosen] = {}
        self.known[instance] = choices
        for rule in decl.rules:
            if rule.pattern.members is not None and self.may_apply(instance, rule, env):
                self.match(instance, rule, self.pattern(instance, rule, env), env, choices)
        rest = Klass("else", "".join(c for c in self.evaluator.symbols if c not in choices))
        for rule in decl.rules:
            if rule.pattern.members is None and rest.chars and self.may_apply(instance, rule, env):
                self.match(instance, rule, rest, env, choices)
        return choices

    def names(self, instance: Instance, rule: s.Rule) -> list[str]:
        """The names that a rule may have values for: its own, then the parameters of its state."""
        own = [rule.pattern.variable.name] if rule.pattern.variable else []
        return own + [param.name.name for param in self.states[instance.state].header.params]

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
            hint = "write `else` instead of `any`: it matches what no other rule does"
            fixes = (replacing(second.pattern.span, "else"),) if not second.pattern.variable else ()
        else:
            hint = f"exclude it from one of them, as in `... except {quote(char)}`, or give them guards"
        also = (Label(first.pattern.span, "matched here first"),)
        span, label = second.pattern.span, "matched again here"
        self.report(Diagnostic("G040", message, span, label, hint, also=also, fixes=fixes), None)
