"""Names in expressions: looked up, and reported if unknown or of another kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from gridlang.diagnostics import Diagnostic, Edit, Fix, nearest, replacing, respelt
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.recovery import Doubt
from gridlang.syntax.unparse import parameters, state_name
from gridlang.values import ARITHMETIC
from gridlang.vocabulary import HALT, HALT_WORDS, MARKED, MOVE_WORDS, NUMBER_FUNCTIONS, is_state_name, quote

_A = {
    "value": "a symbol or number",
    "truth": "a condition",
    "move": "a move",
    "class": "a class",
    "state": "a state",
    "word": "a word",
}
# names a newcomer gives to a halting state
FINAL_NAMES = {"accept", "done", "end", "final", "finish", "finished", "halted", "stop"}
MOST_SUGGESTED = 30  # each compares with up to ten thousand names
# lines that may declare a name of each kind, by their first word; a line may have lost it
_DECLARED_BY = {
    "state": {"", "state", "use"},
    "class": {"", "class", "alphabet"},
    **{kind: {"", "agent", "let"} for kind in ("value", "move", "word", "truth")},
}


@dataclass(slots=True, eq=False)
class Bound:
    """A name in scope: what it may stand for, where it came from, and whether it was used.

    Its kind is empty where its declaration has an error.
    """

    kind: str
    name: s.Name
    what: str
    used: bool = False


Scope = dict[str, Bound]


class NameChecker:
    """Looks names up, notes which are used, and reports unknown ones."""

    def __init__(self, doubt: Doubt) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.doubt = doubt
        self.nameless = False  # in a state whose first line is broken: it may have any parameters
        self.skipped = 0  # doubtful names so far, and those reported
        self.unknown: set[str] = set()  # unknown names of this state
        self.called: set[str] = set()  # states that were given arguments, and take none
        self.classes: Scope = {}
        self.alone: dict[str, str] = {}  # the symbol of each class that has only one, as written
        self.states: dict[str, s.StateDecl] = {}
        self.places: Scope = {}  # the names of states, where they are declared
        self.missed: dict[tuple[Bound, str], list[Diagnostic]] = {}  # what may be meant -> unknown names
        self.halts: Span | None = None  # first use of the target `halt`
        self.suggested = 0
        self.library = False  # a library declares no alphabet

    def report(self, *found: Any, **more: Any) -> None:
        self.diagnostics.append(Diagnostic(*found, **more))

    def missing(self, name: str, scope: Scope) -> None:
        """Remembers that the last error is about a name close to one of these."""
        last = self.diagnostics[-1]
        for bound in (scope.get(near) for near in nearest(name, scope, most=1)) if last.fixes else ():
            if bound and last.span and bound.name.span.source is last.span.source:
                self.missed.setdefault((bound, name), []).append(last)

    def blame_declarations(self) -> None:
        """A name that nobody uses, where all want another that is nearly the same, is itself misspelt."""
        wanted = [bound for bound, _ in self.missed]
        for (bound, name), reported in self.missed.items():
            if bound.used or len(reported) == 1 or wanted.count(bound) > 1:
                continue
            uses = f"`{name}`, which is not declared, is used {len(reported)} times"
            message = f"the {bound.what} `{bound.name.name}` is never used"
            fixes = (replacing(bound.name.span, name),)
            self.diagnostics = [each for each in self.diagnostics if each not in reported]
            self.report(reported[0].code, message, bound.name.span, uses, f"did you mean `{name}`?", fixes)

    def is_doubtful(self, name: str, known: Iterable[str], kind: str) -> bool:
        """Whether a broken line may declare a name that is not known, and is not a known one misspelt."""
        hidden = self.doubt.kinds & _DECLARED_BY[kind] or (self.nameless and kind != "state")
        doubtful = name in self.doubt.names or (bool(hidden) and not nearest(name, known))
        self.skipped += doubtful
        return doubtful

    def was_reported(self, name: str, before: set[str]) -> bool:
        """Whether a name was reported before; remembers it."""
        known = name in before
        self.skipped += known
        before.add(name)
        return known

    def near(
        self,
        name: str,
        known: Iterable[str],
        span: Span,
        otherwise: str,
        spell: Callable[[str], str] = str,
    ) -> tuple[str, tuple[Fix, ...]]:
        """The hint and fixes that offer near names, for the first unknown names only."""
        self.suggested += 1
        if self.suggested > MOST_SUGGESTED:
            return otherwise, ()
        return respelt(name, known, span, otherwise, spell)

    def name(self, node: s.Name, kind: str, scope: Scope) -> None:
        bound = scope.get(node.name) or (self.classes.get(node.name) if kind == "class" else None)
        if bound is not None:
            bound.used = True
            if bound.kind not in ("", kind) and not (kind == "class" and bound.kind == "value"):
                message = f"`{node.name}` is {_A[bound.kind]}, not {_A[kind]}"
                hint = f"compare it with something, as in `{node.name} == 0`" if kind == "truth" else ""
                if bound.kind == "word":
                    hint = f"`{node.name}[0]` is its first letter, `length({node.name})` its length"
                self.report("G025", message, node.span, f"expected {_A[kind]}", hint)
            return
        label = f"expected {_A[kind]}"
        if node.name in self.classes:
            self.touch(node.name, self.classes)
            bind = f"to use the symbol that was read, bind it: `d in {node.name} : …`"
            hint, fixes = bind if kind == "value" else self.meant(node, kind)[0], tuple[Fix, ...]()
            if kind == "value" and node.name in self.alone:
                symbol = self.alone[node.name]
                hint, fixes = f"write `{symbol}`, its only symbol", (replacing(node.span, symbol),)
            self.report("G025", f"`{node.name}` is a class, not {_A[kind]}", node.span, label, hint, fixes)
            return
        known = [n for n, b in scope.items() if b.kind == kind or (kind == "class" and b.kind == "value")]
        known += self.classes if kind == "class" else [HALT] if kind == "move" else []
        known += _pattern_words(node.span) if kind == "class" else ()
        if self.is_doubtful(node.name, known, kind):
            return
        plain, meant = self.meant(node, kind)
        hint, fixes = self.near(node.name, known, node.span, plain)
        if not fixes:
            if kind == "value" and self.was_reported(node.name, self.unknown):
                return
            fixes = meant
        message = f"there is nothing named `{node.name}` here"
        self.report("G021", message, node.span, label, hint, fixes, otherwise=plain)
        self.missing(node.name, {**self.classes, **scope} if kind == "class" else scope)

    def meant(self, node: s.Name, kind: str) -> tuple[str, tuple[Fix, ...]]:
        """A hint and fixes for an unknown name: a move in words, or a symbol without quotes."""
        name, fixes = node.name, tuple[Fix, ...]()
        stops = kind == "move" and name in HALT_WORDS and name not in self.states
        if name == HALT or stops:
            fixes = (replacing(node.span, HALT, sure=False),) if stops else ()
            return "`halt` ends the run: alone, or after an arrow as in `write 1, R -> halt`", fixes
        if kind == "move" and name in self.states:
            return f"to go to a state, write `-> {name}`", ()
        if kind == "move" and name.lower() in MOVE_WORDS:
            move = MOVE_WORDS[name.lower()]
            return f"did you mean `{move}`?", (replacing(node.span, move),)
        if kind == "move":
            return "moves are U D L R S, turns left(…), right(…) and back(…)", ()
        if kind == "word":
            return f'a word is a parameter of the agent, as in `agent NAME({name} = "LR")`', ()
        if len(name) == 1 and kind in ("class", "value"):
            fixes = (replacing(node.span, quote(name), sure=kind == "class"),)
        if len(name) == 1 and kind == "value":
            return (
                f"bind the symbol that was read: `{name} in CLASS : …`; the symbol {name} is '{name}'",
                fixes,
            )
        if len(name) == 1:
            return f"the symbol {name} is written '{name}'", fixes
        if self.library and kind == "class":
            return f"a library has no classes: make it a parameter, as in `state walk({name}: class)`", ()
        return "" if kind != "class" else "classes are declared below `alphabet`", ()

    def touch(self, name: str, scope: Scope) -> None:
        if name in scope:
            scope[name].used = True

    def unknown_state(self, name: str, span: Span, node: s.Expr, scope: Scope) -> None:
        known = [*self.states, *(n for n, b in scope.items() if b.kind == "state")]
        if self.is_doubtful(name, known, "state"):
            return
        plain = f"add it: `state {name}` with rules below" if name.isidentifier() else ""
        hint, fixes = self.near(
            name, [*known, HALT], span, plain, lambda each: each if each == HALT else state_name(each)
        )
        fixes += self.new_state(name, node) if self.suggested <= MOST_SUGGESTED else ()
        if name in self.classes:
            hint = f"`{name}` is a class; " + hint
        if name.lower() in FINAL_NAMES:
            hint = f"`-> halt` ends the run; or {hint}"
            fixes = (replacing(node.span, HALT, sure=False), *(fix._replace(sure=False) for fix in fixes))
        if name.lower() == HALT:
            hint = "`-> halt` ends the run; write it in lower case, without quotes or arguments"
            fixes = (replacing(node.span, HALT),)
        message = f"there is no state named `{name}`"
        self.report("G020", message, span, "not a state of this agent", hint, fixes, otherwise=plain)
        self.missing(name, self.places)

    def unknown_function(self, node: s.Call) -> None:
        name, span = node.name.name, node.name.span
        if name == MARKED:
            hint = "write it below `alphabet`, on a line of its own: `seen = marked(digit)`"
            self.report("G037", "a marked class is declared by itself", node.span, "", hint)
            return
        known = [*NUMBER_FUNCTIONS, "length", *self.classes]
        if self.is_doubtful(name, known, "class"):
            return
        forms = "there are min(…), max(…), length(WORD), and CLASS(number)"
        hint, fixes = self.near(name, known, span, forms)
        self.report("G021", f"there is no function named `{name}`", span, "", hint, fixes, otherwise=forms)

    def new_state(self, name: str, node: s.Expr) -> tuple[Fix, ...]:
        """The fix that declares a state without parameters, behind all others of the file."""
        own = [state for state in self.states.values() if state.header.span.source is node.span.source]
        if isinstance(node, s.Call) or not own or not is_state_name(name):
            return ()
        spans = [state.header.span for state in own] + [rule.span for state in own for rule in state.rules]
        place = max(spans, key=lambda span: span.end)
        end = place.source.text.find("\n", place.end)
        at = len(place.source.text) if end < 0 else end
        text = f"\n\nstate {name}\n  any : halt"
        return (Fix(f"add `state {name}`", (Edit(Span(place.source, at, at), text),), sure=False),)

    def argument_count(self, name: str, span: Span, given: int, decl: s.StateDecl) -> None:
        wanted = len(decl.header.params)
        plural = "" if wanted == 1 else "s"
        message = f"`{name}` takes {wanted or 'no'} argument{plural}, but is given {given or 'none'}"
        hint = f"it is declared `state {name}{parameters(decl.header.params)}`"
        if not wanted:
            hint += f"; parameters follow the name: `state {name}(n in 0..9)`"
            if self.was_reported(name, self.called):
                return
        self.report("G024", message, span, "", hint)

    def wrong(self, node: s.Expr, kind: str) -> None:
        actual = "a string" if isinstance(node, s.Text) else _A.get(_kind(node), "this")
        hint, fixes = "", tuple[Fix, ...]()
        if isinstance(node, s.Text) and len(node.value) == 1:
            hint = f"a symbol has single quotes: '{node.value}'"
            fixes = (replacing(node.span, quote(node.value)),) if kind in ("class", "value") else ()
        elif kind == "class" and isinstance(node, s.Direction):
            hint = f"the letter {node.move} as a symbol is written '{node.move}'"
            fixes = (replacing(node.span, quote(node.move)),)
        elif kind == "truth":
            hint = "compare it with something, as in `n == 0`"
        elif kind == "move":
            hint = "moves are U D L R S, turns left(…), right(…) and back(…)"
        self.report("G025", f"expected {_A[kind]}, found {actual}", node.span, hint=hint, fixes=fixes)


def _pattern_words(span: Span) -> tuple[str, ...]:
    """The words that may stand where a class does; `else` is a whole pattern."""
    line, column = span.source.position(span.start)
    text = span.source.line(line)
    alone = not text[: column - 1].strip() and text[column - 1 + len(span.text) :].lstrip()[:1] == ":"
    return ("any", "else") if alone else ("any",)


def _kind(node: s.Expr) -> str:
    if isinstance(node, s.Direction):
        return "move"
    if isinstance(node, s.AnySymbol | s.Union) or (
        isinstance(node, s.Binary) and node.op in ("except", "..")
    ):
        return "class"
    if isinstance(node, s.Number | s.Symbol) or (isinstance(node, s.Binary) and node.op in ARITHMETIC):
        return "value"
    return "truth" if isinstance(node, s.Binary) or (isinstance(node, s.Unary) and node.op == "not") else ""
