"""`Program`: an agent that has been read, checked and lowered, with what its file says about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import gridlang as gl
from gridlang.diagnostics import Diagnostic
from gridlang.display import html_of
from gridlang.syntax import tree as s
from gridlang.syntax.parser import Parsed
from gridlang.table import Table, size_in_words

if TYPE_CHECKING:
    from pathlib import Path

    from gridlang.world import World

_NONE: Mapping[Any, Any] = MappingProxyType({})


class Program(NamedTuple):
    """An agent that has been read, checked and lowered: what `load` gives.

    Its methods are the functions of `gridlang` with the agent in the first place, and take the same options.
    `arguments` are the values of the file's own parameters, `bound` those of the file that defines the
    states; `rules` says which source rule made each entry. `guesses` are entries that a model never showed.

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
    overridden: bool = False  # by -D: the file's tests do not apply
    file_bytes: bytes = b""  # of a table or a model; a source is in `definition`
    guesses: frozenset[tuple[int, int]] = frozenset()

    @property
    def name(self) -> str:
        return self.table.name

    def run(self, input: str | World = "", **options: Any) -> gl.Run:
        """Runs the agent on an input or a world: `gridlang.run`.

        >>> import gridlang as gl
        >>> gl.load("examples/add10.grid").run("47+85").result
        '132'
        """
        return gl.run(self, input, **options)

    def test(self, **options: Any) -> gl.Tested:
        """How the tests of its file go, and its `output` clause on many inputs: `gridlang.test`."""
        return gl.test(self, **options)

    def compile(self, *, minimize: bool = False) -> gl.Dfst:
        """The agent as exact weights: `gridlang.compile`, which also knows other targets."""
        return gl.compile(self, minimize=minimize)

    def minimize(self, **options: Any) -> gl.Minimized:
        """The agent with fewer states, which do the same: `gridlang.minimize`."""
        return gl.minimize(self, **options)

    def trace(self, rule: str | Iterable[str] | None = None, **options: Any) -> gl.Traces:
        """Records traces to learn from: `gridlang.trace`."""
        return gl.trace(self, rule, **options)

    def learn(self, **options: Any) -> gl.Learned:
        """Models that learn it until what they do is proven: `gridlang.learn`."""
        return gl.learn(self, **options)

    def equiv(self, other: Any, scope: str = "worlds", **options: Any) -> gl.Verdict:
        """Whether another does what this agent does: `gridlang.equiv`.

        >>> import gridlang as gl
        >>> agent = gl.load("examples/increment.grid")
        >>> agent.equiv(agent.minimize()).equivalent
        True
        """
        return gl.equiv(self, other, scope, **options)

    def prove(self, *other: Any, **options: Any) -> gl.Correctness:
        """That it is never stuck, and does what its `output` clause says: `gridlang.prove`."""
        return gl.prove(self, *other, **options)

    def view(self, **options: Any) -> gl.View:
        """Its state graph, with a replay in a page: `gridlang.view`."""
        return gl.view(self, **options)

    def to_source(self) -> str:
        """One self-contained `.grid` file that means the agent: imports and arguments written out."""
        from gridlang.printer import table_to_source
        from gridlang.syntax.formatter import layout

        parsed = self.definition
        if parsed is None or parsed.agent is None:
            return table_to_source(self.table)
        header = _with_defaults(parsed.agent.header, self.bound)
        return layout(
            tuple(
                line._replace(node=header) if isinstance(line.node, s.Header) else line
                for line in parsed.lines
                if not isinstance(line.node, s.Test)
            )
        )

    def as_read(self) -> bytes:
        """The text the agent was read from: its source with imports, or its file.

        The file may have changed since; claims are about this.
        """
        return self.to_source().encode() if self.definition else self.file_bytes or self.to_json().encode()

    def argument_texts(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.arguments.items()}

    def to_json(self) -> str:
        return self.table.to_json()

    def save(self, path: str | Path) -> None:
        """Writes its source to a `.grid` file, or its table to a `.json` file."""
        from gridlang.files import checked_ending, write_whole

        file = checked_ending("an agent", path, ".grid", ".json")
        write_whole(file, self.to_json() if file.endswith(".json") else self.to_source())

    def __repr__(self) -> str:
        return f"Program({self.name}: {size_in_words(self.table)}; {self.file})"

    def _repr_html_(self) -> str | None:
        return html_of(self)


def _with_defaults(header: s.Header, bound: Mapping[str, int | str]) -> s.Header:
    params = []
    for param in header.params:
        given, span, word = bound[param.name.name], header.span, param.relation == "="
        value: s.Expr = s.Number(span, given) if isinstance(given, int) else s.Direction(span, given)
        if word:
            value = s.Text(span, str(given))
        params.append(param._replace(default=value, domain=value if word else param.domain))
    return header._replace(params=tuple(params))
