"""Helpers of clauses, `let f(x) = …`: each use is replaced by the body, so a clause stands by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.source import Span
from gridlang.syntax import tree as s

MOST_NODES = 5_000  # of a clause with its helpers written out


class WrittenOut(NamedTuple):
    """Both clauses without helpers, what is wrong with these, and their names."""

    input: s.InputClause | None
    output: s.OutputClause | None
    complaints: list[Diagnostic]
    helpers: tuple[s.Helper, ...]


def written_out(lets: list[s.Let], clause: s.InputClause | None, output: s.OutputClause | None) -> WrittenOut:
    """Writes helpers out in both clauses; a helper may use those above it."""
    if not any(let.params for let in lets):
        return WrittenOut(clause, output, [], ())
    expand, found, declared = _Expansion(), list[Diagnostic](), dict[str, s.Name]()
    for let in lets:
        if not let.params:
            continue
        name = let.name.name
        try:
            if name in declared:
                raise _error(f"`{name}` is declared twice", let.name.span, "rename one of them")
            declared[name] = let.name
            body = expand.afresh().of(let.value)
            if any(isinstance(each, s.Call) and each.name.name == name for each in s.inside(body)):
                hint = "repeat a step with fold(STEP for x in WORD from s = START)"
                raise _error(f"the helper `{name}` uses itself", let.name.span, hint)
            expand.helpers[name] = let._replace(value=body)
        except GridError as error:
            found += error.diagnostics
    expand.afresh()
    try:
        if output:
            output = output._replace(value=expand.of(output.value))
        if clause and clause.condition:
            clause = clause._replace(condition=expand.of(clause.condition))
    except GridError as error:
        found += error.diagnostics
    helpers = tuple(s.Helper(named, name in expand.used) for name, named in declared.items())
    return WrittenOut(clause, output, found, helpers)


def _error(message: str, span: Span, hint: str = "") -> GridError:
    return GridError([Diagnostic("G091", message, span, "", hint)])


class _Expansion:
    """Replaces calls of helpers by their bodies, and parameters by arguments."""

    def __init__(self) -> None:
        self.helpers: dict[str, s.Let] = {}
        self.used: set[str] = set()
        self.nodes = 0

    def afresh(self) -> _Expansion:
        """The same, for another text: its parts are counted from 0."""
        self.nodes = 0
        return self

    def of(self, node: Any, values: Mapping[str, s.Expr] | None = None) -> Any:
        """The node with `values` in place of names."""
        values = values or {}
        if not s.is_node(node):
            return node
        if isinstance(node, s.Name):
            return values.get(node.name, node)
        if isinstance(node, s.Each):
            return self._each(node, values)
        if isinstance(node, s.Call):
            args = tuple(self.of(arg, values) for arg in node.args)
            return self._used(node, args) if node.name.name in self.helpers else node._replace(args=args)
        self.nodes += 1
        if self.nodes > MOST_NODES:
            message = f"with its helpers written out this clause has more than {MOST_NODES:,} parts"
            raise _error(message, node.span if hasattr(node, "span") else node[0].span)
        made = (self.of(child, values) for child in node)
        return type(node)(*made) if hasattr(node, "_fields") else tuple(made)

    def _used(self, node: s.Call, args: tuple[s.Expr, ...]) -> Any:
        helper = self.helpers[node.name.name]
        self.used.add(node.name.name)
        if len(args) != len(helper.params):
            wanted = f"{len(helper.params)} argument{'s' if len(helper.params) > 1 else ''}"
            declared = (
                f"it is declared `let {helper.name.name}({', '.join(p.name for p in helper.params)}) = …`"
            )
            raise _error(f"`{helper.name.name}` takes {wanted}, not {len(args)}", node.span, declared)
        return self.of(helper.value, {p.name: a for p, a in zip(helper.params, args, strict=True)})

    def _each(self, node: s.Each, values: Mapping[str, s.Expr]) -> s.Each:
        """The loop, its own names called otherwise where an argument mentions them."""
        own = [name for name in (node.variable, node.state) if name]
        inside = (each for value in values.values() for each in s.inside(value))
        mentioned = {each.name for each in inside if isinstance(each, s.Name)}
        renamed = {name.name: name.name for name in own}
        for name in own:
            while renamed[name.name] in mentioned:
                renamed[name.name] += "_"
        inner = {**values, **{old: s.Name(node.span, new) for old, new in renamed.items()}}
        return node._replace(
            body=self.of(node.body, inner),
            variable=node.variable._replace(name=renamed[node.variable.name]),
            over=self.of(node.over, values),
            state=node.state and node.state._replace(name=renamed[node.state.name]),
            start=self.of(node.start, values),
        )
