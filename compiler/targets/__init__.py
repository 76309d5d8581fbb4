"""The targets of `gridlang compile`, one small module each, registered here; files of other tools too."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from gridlang.program import Program


class Target(NamedTuple):
    """How a program becomes the content of a file."""

    extension: str
    module: str
    about: str

    def render(self, program: Program) -> bytes:
        make: Callable[[Program], bytes] = import_module(f"compiler.{self.module}").render
        return make(program)


TARGETS = {
    "dfst": Target("safetensors", "targets.tensors", "exact DFST tensors"),
    "table": Target("json", "targets.table_json", "the transition table as JSON"),
    "c": Target("c", "targets.c_program", "a standalone C program"),
    "dot": Target("dot", "targets.dot", "the state graph for graphviz"),
    "svg": Target("svg", "targets.svg", "the state graph as a picture"),
    "html": Target("html", "targets.html_page", "a page with the state graph and a replay"),
    "grid": Target("flat.grid", "targets.flat_grid", "the table as source, a state at a time"),
    "turingmachine": Target("yaml", "foreign.turingmachine_io", "a machine for turingmachine.io"),
    "jflap": Target("jff", "foreign.jflap", "an automaton or a Turing machine for JFLAP"),
    "bbchallenge": Target("bb", "foreign.bbchallenge", "one line, as on bbchallenge.org"),
    "mealy-dot": Target("dot", "foreign.mealy_dot", "a Mealy machine for AALpy"),
}
