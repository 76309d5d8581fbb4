"""Which rule of an instance applies to which symbol."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, Fix, Label, replacing
from gridlang.lowering.evaluator import Evaluator
from gridlang.lowering.explaining import with_values
from gridlang.lowering.values import Env, Fault, Instance, Klass
from gridlang.syntax import tree as s
from gridlang.vocabulary import quote

Report = Callable[[Diagnostic, Instance | None], None]  # of a fault of one instance, or of none


class Chosen(NamedTuple):
    """The rule that applies to a symbol in an instance, with its names bound."""

    rule: s.Rule
    env: Env


class RuleChoices:
    """The rules of all instances that were asked; overlaps and faults of guards are reported."""

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
            hint = "write `else` instead of `any`: it takes what the other rules leave"
            fixes = (replacing(second.pattern.span, "else"),) if not second.pattern.variable else ()
        else:
            hint = f"exclude it from one of them, as in `... except {quote(char)}`, or give them guards"
        also = (Label(first.pattern.span, "matched here first"),)
        span, label = second.pattern.span, "matched again here"
        self.report(Diagnostic("G040", message, span, label, hint, also=also, fixes=fixes), None)
