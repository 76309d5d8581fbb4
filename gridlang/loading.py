"""From a path to a `Program`: imports resolved, parameters bound, everything checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from gridlang import syntax as s
from gridlang.checker import check_agent
from gridlang.diagnostics import Diagnostic, GridError, did_you_mean, fail, in_order
from gridlang.display import html_of
from gridlang.domains import in_domain, in_moves
from gridlang.files import read_source
from gridlang.lower import lower
from gridlang.parser import Parsed, parse
from gridlang.source import Source, Span
from gridlang.table import Table, size_in_words, table_from_json
from gridlang.values import Arg, Evaluator, Fault, Val, show

if TYPE_CHECKING:
    from pathlib import Path

    from gridlang import Dfst, Minimized, Run, Tested, View
    from gridlang.world import World

MAX_IMPORTS = 20  # A longer chain of files is a mistake; each of them costs a parse.
_NONE: Mapping[Any, Any] = MappingProxyType({})


class Program(NamedTuple):
    """An agent that has been read, checked and lowered: what `load` gives.

    Its methods are the functions of `gridlang` with the agent in the first place, and take the same options.
    `arguments` are the values of the file's own parameters, `bound` those of the file that
    defines the states; `rules` says which source rule made each entry.

    >>> import gridlang as gl
    >>> gl.load("examples/add10.grid")
    Program(add10: 20 states, 12 symbols, 206 rules; examples/add10.grid)
    """

    table: Table
    file: str
    arguments: Mapping[str, int | str] = _NONE
    bound: Mapping[str, int | str] = _NONE
    tests: tuple[s.Test, ...] = ()
    rules: Mapping[tuple[int, int], s.Rule] = _NONE
    warnings: tuple[Diagnostic, ...] = ()
    definition: Parsed | None = None
    given: bool = False  # It says whether -D changed an argument; the file's tests do not apply then.

    @property
    def name(self) -> str:
        return self.table.name

    def run(self, input: str | World = "", **options: Any) -> Run:
        """What the agent does on an input or a world: `gridlang.run`.

        >>> import gridlang as gl
        >>> gl.load("examples/add10.grid").run("47+85").result
        '132'
        """
        import gridlang

        return gridlang.run(self, input, **options)

    def test(self, **options: Any) -> Tested:
        """How the tests of its file go, and its `output` clause on many inputs: `gridlang.test`."""
        import gridlang

        return gridlang.test(self, **options)

    def compile(self, *, minimize: bool = False) -> Dfst:
        """The agent as exact weights: `gridlang.compile`, which also knows other targets."""
        import gridlang

        return gridlang.compile(self, minimize=minimize)

    def minimize(self, **options: Any) -> Minimized:
        """The agent with fewer states, which do the same: `gridlang.minimize`."""
        import gridlang

        return gridlang.minimize(self, **options)

    def view(self, **options: Any) -> View:
        """Its state graph, with a replay in a page: `gridlang.view`."""
        import gridlang

        return gridlang.view(self, **options)

    def to_source(self) -> str:
        """One self-contained `.grid` file that means the agent: imports and arguments written out."""
        return flattened(self)

    def to_json(self) -> str:
        """Its table as JSON."""
        return self.table.to_json()

    def save(self, path: str | Path) -> None:
        """Writes its table where the path ends in `.json`, else its source."""
        from gridlang.files import write_whole

        write_whole(path, self.to_json() if str(path).endswith(".json") else self.to_source())

    def __repr__(self) -> str:
        return f"Program({self.name}: {size_in_words(self.table)}; {self.file})"

    def _repr_html_(self) -> str | None:
        return html_of(self)


class Loaded(NamedTuple):
    """A program, or None with the errors that stand in its way."""

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]


def load(
    path: str | Path, definitions: Mapping[str, str] | None = None, /, **parameters: int | str
) -> Program:
    """The agent in a `.grid` file or a table; GridError with everything that is wrong.

    Parameters of the agent are given by name, or all together as `-D` gives them.

    >>> import gridlang as gl
    >>> agent = gl.load("examples/add.grid", base=2)
    >>> agent.name, len(agent.table.states)
    ('add', 12)
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"an agent is read from a path, not from {type(path).__name__}")
    if "\n" in str(path):
        raise ValueError("this is a text, not a path: read it with `gridlang.loads`")
    if str(path).endswith(".safetensors"):
        raise fail("G001", "this file holds a model", "read it with `gridlang.load_model`", str(path))
    loaded = try_load(path, _texts(definitions, parameters))
    if loaded.program is None:
        raise GridError(loaded.diagnostics)
    return loaded.program


def loads(text: str, /, **parameters: int | str) -> Program:
    """The agent in a text: source, or a table as JSON.

    >>> import gridlang as gl
    >>> flip = gl.loads('''
    ... agent flip
    ... alphabet
    ...   bit = 0..1
    ... input bit+
    ... start walk
    ... state walk
    ...   b in bit : write 1 - b, R
    ...   _        : halt
    ... ''')
    >>> flip.run("1011").result
    '0100'
    """
    source = Source("<text>", text)
    read = _load_table if text.lstrip()[:1] == "{" else _load_source
    loaded = read(source, _texts(None, parameters))
    if loaded.program is None:
        raise GridError(loaded.diagnostics)
    return loaded.program


def _texts(definitions: Mapping[str, str] | None, parameters: Mapping[str, int | str]) -> dict[str, str]:
    """Parameters as they are typed behind `-D`."""
    return {**(definitions or {}), **{name: str(value) for name, value in parameters.items()}}


def load_source(source: Source, definitions: Mapping[str, str] | None = None) -> Program:
    """The program in a text."""
    loaded = _load_source(source, definitions or {})
    if loaded.program is None:
        raise GridError(loaded.diagnostics)
    return loaded.program


def try_load(path: str | Path, definitions: Mapping[str, str] | None = None) -> Loaded:
    """Like `load`, but errors are values.

    >>> import gridlang as gl
    >>> gl.try_load("examples/add2.grid").program.name
    'add2'
    """
    try:
        source = read_source(path)
        if source.text.lstrip()[:1] == "{" or str(path).endswith(".json"):
            return _load_table(source, definitions or {})
        return _load_source(source, definitions or {})
    except GridError as error:
        return Loaded(None, tuple(error.diagnostics))


def _load_table(source: Source, definitions: Mapping[str, str]) -> Loaded:
    from gridlang.outputs import output_rule

    table = table_from_json(source.text, source.path)
    for name in definitions:
        raise GridError([Diagnostic("G026", f"a table has no parameter `{name}`", None, file=source.path)])
    output_rule(table)  # This raises where its clauses make no sense.
    return Loaded(Program(table, source.path), ())


def _load_source(source: Source, definitions: Mapping[str, str]) -> Loaded:
    parsed = parse(source)
    if parsed.agent is None:
        return Loaded(None, tuple(in_order(parsed.diagnostics)))
    try:
        arguments = given_arguments(parsed.agent.header, definitions)
        return _resolve(parsed, parsed.agent, arguments, bool(definitions))
    except Fault as fault:
        return Loaded(None, (fault.diagnostic,))
    except GridError as error:
        return Loaded(None, tuple(error.diagnostics))


def _resolve(parsed: Parsed, agent: s.Agent, arguments: dict[str, Arg], given: bool) -> Loaded:
    """Follows `from` to the file that defines the states, then lowers it under this name."""
    top, file, tests = agent, parsed.source.path, agent.tests
    shown = arguments
    seen = [os.path.realpath(file)]
    while agent.header.origin:
        parsed, inner = _import(agent.header.origin, seen)
        arguments = _bound(agent.header.origin, inner, arguments)
        agent = inner
    checked = check_agent(agent)
    if any(d.is_error for d in checked):
        return Loaded(None, tuple(in_order(checked)))
    renamed = agent._replace(header=agent.header._replace(name=top.header.name))
    lowered = lower(renamed, arguments)
    diagnostics = [*checked, *lowered.diagnostics]
    if lowered.table is not None:
        diagnostics += check_clauses(agent, lowered.table, arguments)
        diagnostics += _check_tests(tests, lowered.table) if not given else []
    if lowered.table is None or any(d.is_error for d in diagnostics):
        return Loaded(None, tuple(in_order(diagnostics)))
    warnings = () if given or top is not agent else tuple(in_order(diagnostics))
    program = Program(
        table=lowered.table,
        file=file,
        arguments=_plain(shown),
        bound=_plain(arguments),
        tests=tests,
        rules=lowered.rules,
        warnings=warnings,
        definition=parsed._replace(agent=renamed),
        given=given,
    )
    return Loaded(program, warnings)


def _plain(arguments: Mapping[str, Arg]) -> dict[str, int | str]:
    return {
        name: value.number if isinstance(value, Val) else show(value) for name, value in arguments.items()
    }


def _import(origin: s.Origin, seen: list[str]) -> tuple[Parsed, s.Agent]:
    """The file that an agent is taken from; it lies in the importing file's folder or below."""
    span = origin.path.span
    here = os.path.dirname(seen[-1])
    try:
        path = os.path.realpath(os.path.join(here, origin.path.value))
        inside = os.path.commonpath([here, path]) == here
        exists = os.path.isfile(path)
    except (OSError, ValueError):
        path, inside, exists = "", True, False
    if not inside:
        hint = "move it beside this file, or below"
        raise Fault("G052", "this file lies outside the importing file's folder", span, hint=hint)
    if path in seen:
        circle = " -> ".join(map(os.path.basename, [*seen[seen.index(path) :], path]))
        message = f"these files import each other: {circle}" if len(seen) > 1 else "this file imports itself"
        raise Fault("G051", message, span, "closes the circle here", "let one of them declare the states")
    if not exists:
        near = [name for name in os.listdir(here) if name.endswith(".grid")] if os.path.isdir(here) else []
        hint = did_you_mean(
            os.path.basename(origin.path.value), near, "paths are relative to the folder of this file"
        )
        raise Fault("G050", f'there is no file "{origin.path.value}"', span, "", hint)
    if path.endswith(".json"):
        raise Fault("G050", "this is a table: an agent is taken from a `.grid` file", span)
    if len(seen) >= MAX_IMPORTS:
        raise Fault("G051", f"more than {MAX_IMPORTS} files import each other", span)
    shown = os.path.join(os.path.dirname(span.source.path), origin.path.value)
    parsed = parse(read_source(path, shown))
    seen.append(path)
    if parsed.agent is None:
        raise GridError(parsed.diagnostics)
    name = parsed.agent.header.name.name
    if name != origin.agent.name:
        message = f'"{origin.path.value}" defines `{name}`, not `{origin.agent.name}`'
        raise Fault("G053", message, origin.agent.span, hint=f"write `{name}`")
    return parsed, parsed.agent


def _bound(origin: s.Origin, inner: s.Agent, env: Mapping[str, Arg]) -> dict[str, Arg]:
    """The arguments that an importing line gives."""
    params = inner.header.params
    given: dict[str, tuple[Val | str, Span]] = {}
    evaluator = Evaluator((), {})
    for place, binding in enumerate(origin.bindings):
        if binding.name is None and place >= len(params):
            raise Fault("G024", f"`{origin.agent.name}` takes {len(params)} arguments", binding.span)
        name = binding.name.name if binding.name else params[place].name.name
        if name not in {p.name.name for p in params}:
            known = [p.name.name for p in params]
            assert binding.name
            raise Fault(
                "G026",
                f"`{origin.agent.name}` has no parameter `{name}`",
                binding.name.span,
                "",
                did_you_mean(name, known),
            )
        if name in given:
            raise Fault("G022", f"`{name}` is given twice", binding.span, hint="keep one of them")
        given[name] = (_constant(binding.value, evaluator, env), binding.value.span)
    return _arguments(inner.header, given)


def _constant(node: s.Expr, evaluator: Evaluator, env: Mapping[str, Arg]) -> Val | str:
    try:
        if isinstance(node, s.Direction):
            return node.move
        return evaluator.value(node, env)
    except (KeyError, AssertionError):
        raise Fault("G025", "an argument is a number or a move", node.span) from None


def given_arguments(header: s.Header, definitions: Mapping[str, str]) -> dict[str, Arg]:
    """The arguments from `-D NAME=VALUE`, in range, with defaults for the rest."""
    known = [p.name.name for p in header.params]
    given: dict[str, tuple[Val | str, Span]] = {}
    for name, text in definitions.items():
        if name not in known:
            hint = did_you_mean(
                name, known, f"its parameters are {', '.join(known)}" if known else "it has none"
            )
            message = f"`{header.name.name}` has no parameter `{name}`"
            raise GridError([Diagnostic("G026", message, header.span, hint=hint)])
        span = header.params[known.index(name)].span
        if text in tuple("UDLRS"):
            given[name] = (text, span)
        elif text.lstrip("-").isascii() and text.lstrip("-").isdigit() and len(text) < 10:
            given[name] = (Val(int(text)), span)
        else:
            param = header.params[known.index(name)]
            example = "a move, as in L" if param.relation == ":" else "a number of its range, as in 2"
            message = f"`{text[:40]}` is no value for parameter `{name}`"
            raise GridError([Diagnostic("G034", message, span, hint=f"give {example}: -D {name}=…")])
    return _arguments(header, given)


def _arguments(header: s.Header, given: Mapping[str, tuple[Val | str, Span]]) -> dict[str, Arg]:
    evaluator = Evaluator((), {})
    env: dict[str, Arg] = {}
    for param in header.params:
        name = param.name.name
        if name in given:
            value, span = given[name]
        elif param.default:
            value, span = _constant(param.default, evaluator, env), param.default.span
        else:
            message = f"parameter `{name}` has no value"
            raise Fault(
                "G027",
                message,
                param.span,
                "no default",
                f"give one with -D {name}=VALUE, or add ` = VALUE` here",
            )
        env[name] = _in_range(value, param, evaluator, env, span)
    return env


def _in_range(
    value: Val | str, param: s.Param, evaluator: Evaluator, env: Mapping[str, Arg], span: Span
) -> Arg:
    if (param.relation == ":") != isinstance(value, str):
        kind = "a move" if param.relation == ":" else "a number"
        raise Fault("G034", f"parameter `{param.name.name}` takes {kind}", span)
    try:
        if isinstance(value, str):
            return in_moves(value, param, evaluator, span)
        return in_domain(value, param, evaluator, env, span)
    except (KeyError, AssertionError):
        raise Fault("G025", "this is no range of numbers", param.domain.span) from None
    except Fault as fault:
        raise Fault(
            "G034", fault.diagnostic.message, span, fault.diagnostic.label, fault.diagnostic.hint
        ) from None


def check_clauses(agent: s.Agent, table: Table, env: Mapping[str, Arg]) -> Iterable[Diagnostic]:
    """Complaints about the input and output clauses, with places in the file itself."""
    from gridlang.inputs import language_of
    from gridlang.outputs import make_rule

    if agent.input is None:
        return []
    try:
        language = language_of(table)
        if agent.output and language:
            values = {name: value.number for name, value in env.items() if isinstance(value, Val)}
            make_rule(agent.output.value, table, language, values)
    except GridError as error:
        return [
            d if d.span and not d.span.source.path.startswith("<") else d._replace(span=agent.input.span)
            for d in error.diagnostics
        ]
    return []


def _check_tests(tests: tuple[s.Test, ...], table: Table) -> Iterable[Diagnostic]:
    from gridlang.cases import expected_result, test_world

    for test in tests:
        try:
            test_world(test, table.symbols)
            expected_result(test, table.symbols)
        except GridError as error:
            yield from error.diagnostics


def flattened(program: Program) -> str:
    """One self-contained file that means the program: imports and arguments written out."""
    from gridlang.formatter import layout
    from gridlang.printer import table_to_source

    parsed = program.definition
    if parsed is None or parsed.agent is None:
        return table_to_source(program.table)
    span = parsed.agent.header.span
    params = tuple(
        param._replace(default=_literal(program.bound[param.name.name], span))
        for param in parsed.agent.header.params
    )
    header = parsed.agent.header._replace(params=params)
    lines = [
        line._replace(node=header) if isinstance(line.node, s.Header) else line
        for line in parsed.lines
        if not isinstance(line.node, s.Test)
    ]
    return layout(tuple(lines))


def _literal(value: int | str, span: Span) -> s.Expr:
    return s.Number(span, value) if isinstance(value, int) else s.Direction(span, value)
