"""The instances of states: what an expression such as `mul(m, c + 1)` names, each argument in its domain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gridlang.clauses.names import names_in
from gridlang.lowering.domains import domain_range, in_domain, in_moves, in_range, is_range
from gridlang.lowering.evaluator import Evaluator
from gridlang.lowering.limits import LIMITS
from gridlang.lowering.values import Arg, Env, Fault, Instance, Val, Word
from gridlang.syntax import tree as s
from gridlang.table import MAX_STATES


class Instances:
    """The declared states of an agent, whose own parameters are in `env`."""

    def __init__(self, states: Mapping[str, s.StateDecl], env: Env, evaluator: Evaluator) -> None:
        self.states, self.env, self.evaluator = states, env, evaluator
        self._bounds: dict[int, tuple[int, int]] = {}  # id(param) -> range, where all instances share it

    def check_size(self, header: s.StateLine) -> None:
        """Refuses a family whose declared size is hopeless before anything is built."""
        size = 1
        for param in header.params:
            try:
                size *= self._domain_size(param)
            except (KeyError, Fault):
                continue  # depends on an earlier parameter; the states are limited anyway
        if size > LIMITS.family:
            message = f"the family `{header.names[0].name}` has {size:,} states"
            hint = (
                f"a family may have {LIMITS.family:,} at most, and an agent {MAX_STATES:,} that are reached"
            )
            raise Fault("G043", message, header.span, "declared here", hint)

    def _domain_size(self, param: s.Param) -> int:
        if param.relation == ":":
            return 1
        if param.relation == "in" and not (isinstance(param.domain, s.Binary) and param.domain.op == ".."):
            return len(self.evaluator.klass(param.domain, self.env).chars)
        low, high = domain_range(param, self.evaluator, self.env)
        return max(high - low + 1, 1)

    def members(self, header: s.StateLine) -> Iterator[Instance]:
        """All instances of a family, but of one whose parameters are states, classes or words."""
        some: list[tuple[Arg, ...]] = [()]
        for param in header.params:
            some = [(*args, value) for args in some for value in self._values(param, header, args)]
        return (Instance(header.names[0].name, args) for args in some)

    def _values(self, param: s.Param, header: s.StateLine, before: tuple[Arg, ...]) -> Iterable[Arg]:
        """The domain of a parameter, given those before it."""
        inner = {**self.env, **{p.name.name: value for p, value in zip(header.params, before, strict=False)}}
        if is_range(param):
            low, high = domain_range(param, self.evaluator, inner)
            return map(Val, range(low, high + 1))
        if param.relation != ":":
            klass = self.evaluator.klass(param.domain, inner)
            return [self.evaluator.symbol_value(char, klass) for char in klass.chars]
        word = param.domain.name if isinstance(param.domain, s.Name) else ""
        return () if word in ("state", "class", "word") else self.evaluator.move_set(param.domain)

    def named(self, node: s.Expr, env: Env) -> Instance:
        """The state that an expression names, with its arguments in range."""
        if isinstance(node, s.Name) and isinstance(env.get(node.name), Instance):
            argument = env[node.name]
            assert isinstance(argument, Instance)
            return argument
        name = node.value if isinstance(node, s.Text) else ""
        args: tuple[s.Expr, ...] = ()
        if isinstance(node, s.Name | s.Direction):
            name = node.name if isinstance(node, s.Name) else node.move
        elif isinstance(node, s.Call):
            name, args = node.name.name, node.args
        header = self.states[name].header
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
        """Refuses states within states that could grow for ever."""
        name = instance.state
        if instance.depth > LIMITS.nested_states:
            message = f"`{name}` is instantiated without end"
            hint = "a state that passes a larger state to itself never stops; pass its own parameter on"
            raise Fault("G044", message, node.span, "each use makes a new state", hint)
        if instance.size > LIMITS.states_inside:
            message = f"this instance of `{name}` is made of more than {LIMITS.states_inside} states"
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
        word = param.domain.name if isinstance(param.domain, s.Name) else ""
        if word == "state":
            return self.named(arg, env)
        if word == "word":
            letters = evaluator.word(arg, env)
            return Word(
                evaluator.letter(arg, env) if letters is None and isinstance(arg, s.Index) else letters or ""
            )
        if word == "class":
            chars = sorted(evaluator.klass(arg, env).chars, key=evaluator.place.__getitem__)
            return evaluator.class_with("".join(chars))
        return in_moves(evaluator.move(arg, env), param, evaluator, arg.span)
