"""Names and kinds: every check that needs no instances of states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gridlang.checking.kinds import KindChecker, is_move_set
from gridlang.checking.names import Bound, Scope
from gridlang.clauses.functions import check_names, names_in
from gridlang.clauses.position_automaton import cells_of, counts_of
from gridlang.diagnostics import Diagnostic, Edit, Fix, Label, replacing
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.recovery import Doubt
from gridlang.syntax.unparse import expression, piece
from gridlang.vocabulary import HALT, MARKED, RESERVED, quote

LONGEST_SHOWN = 40  # letters of a clause repeated in a hint


class Checked(NamedTuple):
    """All errors and warnings, and what later checks still need."""

    diagnostics: list[Diagnostic]
    wrong_rules: frozenset[int]  # ids of rules with errors or doubtful names
    clauses_hold: bool  # `input` and `output` have neither
    frame_holds: bool  # nor has the rest: the alphabet, parameters, constants, the start


def check_agent(agent: s.Agent) -> list[Diagnostic]:
    """All errors and warnings about names, kinds and numbers of arguments."""
    return check_partial(agent, Doubt(), True).diagnostics


def check_header(header: s.Header) -> list[Diagnostic]:
    """Checks the name of an agent that is taken from another file."""
    checker = _Checker(s.Agent(header, (), None, None, None, (), ()), Doubt(), False)
    checker.fresh(header.name, "agent")
    return checker.diagnostics


def check_partial(agent: s.Agent, doubt: Doubt, clauses: bool) -> Checked:
    """Checks an agent without its broken lines, which may declare more names.

    `clauses` says whether names in `input` and `output` can be judged.
    """
    checker = _Checker(agent, doubt, clauses)
    checker.run()
    return Checked(
        checker.diagnostics,
        frozenset(checker.wrong_rules),
        not checker.clause_faults,
        checker.faults() == checker.rule_faults + checker.clause_faults,
    )


class _Checker(KindChecker):
    def __init__(self, agent: s.Agent, doubt: Doubt, clauses: bool) -> None:
        super().__init__(doubt)
        self.agent = agent
        self.judges_clauses = clauses
        self.wrong_rules: set[int] = set()
        self.rule_faults = self.clause_faults = 0
        self.library = agent.header.library
        self.declaring: set[str] = set()  # classes that declare symbols
        self.top: Scope = {}
        self.looked_at = self.failed = 0

    def run(self) -> None:
        agent = self.agent
        self.fresh(agent.header.name, "agent")
        self.top = self.params(agent.header.params, {}, "parameter of the agent")
        for let in agent.lets:
            self.let(let)
        for decl in agent.classes:
            self.alphabet_class(decl)
        for state in agent.states:
            for name in state.header.names:
                self.fresh(name, "state", self.places)
                if not name.name or not name.name.isprintable():
                    self.report("G023", "a state needs a name that can be printed", name.span)
                self.states.setdefault(name.name, state)
                self.places.setdefault(name.name, Bound("state", name, "state"))
        before = self.faults()
        self.clauses()
        self.clause_faults = self.faults() - before
        for state in agent.states:
            self.missing_line(state)
        self.rule_faults = self.faults() - self.clause_faults - before
        if agent.start:
            self.target(agent.start.target, self.top)
        for state in agent.states:
            self.state(state)
        self.halt_twice()
        self.unused(self.top)
        self.unused({n: b for n, b in self.classes.items() if n not in self.declaring})
        self.blame_declarations()

    def clauses(self) -> None:
        agent = self.agent
        if agent.input:
            self.input(agent.input)
        clauses = [agent.input and agent.input.condition, agent.output and agent.output.value]
        if any(clauses) and self.judges_clauses:
            self.diagnostics += check_names(agent)
        for name in (name for clause in clauses if clause for name in names_in(clause)):
            self.touch(name.name, self.top)

    def faults(self) -> int:
        """How many errors and doubtful names there are so far."""
        new = self.diagnostics[self.looked_at :]
        self.looked_at = len(self.diagnostics)
        self.failed += sum(d.is_error for d in new)
        return self.failed + self.skipped

    def fresh(self, name: s.Name, what: str, *taken: Mapping[str, Span | Bound]) -> bool:
        """Whether a name is free to declare; reports one that is `taken`."""
        if name.name in RESERVED and name.span.text == name.name:
            message = f"`{name.name}` is a word of the language"
            hint = f"call it `{name.name}_` or `my_{name.name}`"
            if name.name == HALT and what == "state":
                hint = "`-> halt` needs no state: remove this one; if it does more than halt, call it `done`"
            self.report("G023", message, name.span, f"cannot name a {what}", hint)
            return False
        other = next((names[name.name] for names in taken if name.name in names), None)
        if other is not None:
            first = (Label(other.name.span if isinstance(other, Bound) else other, "first declared here"),)
            message = f"`{name.name}` is declared twice"
            self.report("G022", message, name.span, f"this {what} again", "rename one of them", also=first)
            return False
        return True

    def let(self, let: s.Let) -> None:
        """A number or a move, computed from parameters and earlier constants, or a word."""
        kind, before = "move" if self.is_move(let.value, self.top) else "value", self.faults()
        if isinstance(let.value, s.Text):
            kind = "word"
        elif isinstance(let.value, s.Symbol):
            message, char = "a constant is a number, a move or a word, not a symbol", quote(let.value.char)
            named = f"name it as a class below `alphabet`: {let.name.name} = {char}"
            self.report("G025", message, let.value.span, "", f"write {char} where it is meant, or {named}")
        else:
            self.expect(let.value, kind, dict(self.top))
        if self.fresh(let.name, "constant", self.top):
            known = "" if self.faults() > before else kind
            self.top[let.name.name] = Bound(known, let.name, "constant")

    def halt_twice(self) -> None:
        """Complains of a file with both the target `halt` and a state named "halt"."""
        state = self.places.get(HALT)
        if self.halts is None or state is None or state.name.span.text == HALT:
            return
        also = (Label(self.halts, "halts without it"),)
        message = '`-> halt` and a state named "halt" cannot be told apart'
        hint = "rename the state, or remove it if it does nothing but halt"
        self.report("G022", message, state.name.span, "this state", hint, also=also)

    def alphabet_class(self, decl: s.ClassDecl) -> None:
        if s.is_marked(decl.members):
            self.marked(decl)
        else:
            self.expect(decl.members, "class", self.top)
        if decl.name and self.fresh(decl.name, "class", self.classes, self.top):
            self.classes[decl.name.name] = Bound("class", decl.name, "class")
            if isinstance(decl.members, s.Symbol | s.Number):
                self.alone[decl.name.name] = decl.members.span.text
            if _brings_symbols(decl.members):
                self.declaring.add(decl.name.name)

    def marked(self, decl: s.ClassDecl) -> None:
        """`seen = marked(digit)`, or with the first of its symbols, `marked(digit, 'A')`."""
        assert isinstance(decl.members, s.Call)
        args = decl.members.args
        if decl.name is None:
            hint = f"write NAME = {decl.members.span.text}"
            self.report("G037", "a marked class needs a name", decl.members.span, "", hint)
        if len(args) > 2:
            self.report(
                "G024", f"`{MARKED}` takes a class and a symbol, not {len(args)} arguments", decl.members.span
            )
            return
        self.expect(args[0], "class", self.top)
        first = args[1] if len(args) == 2 else None
        if first and not (isinstance(first, s.Symbol) or (isinstance(first, s.Number) and first.value < 10)):
            hint = f"quote it, as in {MARKED}({args[0].span.text}, 'A')"
            self.report("G037", "`marked` starts from a symbol", first.span, "", hint)

    def input(self, clause: s.InputClause) -> None:
        if not any(part.name for part in clause.parts):
            self.choice_beside_comma(clause.parts)
        parts: dict[str, Span] = {}
        for part in clause.parts:
            if part.name and self.fresh(part.name, "part of the input", self.classes, self.top, parts):
                parts[part.name.name] = part.name.span
            for cell in cells_of(part.piece):
                self.expect(cell.members, "class", {})
            for count in counts_of(part.piece):
                self.expect(count, "value", self.top)
            groups = (inner for inner in s.inside(part.piece) if isinstance(inner, s.Sequence))
            for group in groups:
                self.choice_beside_comma(group.parts)
                for name in (inner.name for inner in group.parts if inner.name):
                    hint = "name a part that stands by itself between the outer commas"
                    self.report("G090", "a part inside parentheses cannot be named", name.span, hint=hint)

    def choice_beside_comma(self, parts: tuple[s.Part, ...]) -> None:
        """Warns of a `|` between commas, which readers may group otherwise."""
        choices = [part.piece for part in parts if isinstance(part.piece, s.Choice)]
        if not choices or len(parts) == 1:
            return
        choice = choices[0]
        message = "`|` binds tighter than `,`"
        label = "it chooses only between these"
        shown = piece(choice)
        meant = f"({shown})" if len(shown) <= LONGEST_SHOWN else "( … )"
        hint = f"write `{meant}` if that is meant; else put parentheses around each choice, its commas inside"
        edits = tuple(Edit(each.span, f"({each.span.text})") for each in choices)
        fixes = (Fix("put each choice in parentheses", edits, sure=False),)
        self.report("G065", message, choice.span, label, hint, fixes, severity="warning")

    def params(self, params: tuple[s.Param, ...], outer: Scope, what: str) -> Scope:
        scope: Scope = {}
        for param in params:
            kind = self.param_kind(param, {**outer, **scope}, agent=what.endswith("agent"))
            states = self.places if kind == "state" else {}
            if self.fresh(param.name, what, outer, scope, self.classes, states):
                scope[param.name.name] = Bound(kind, param.name, what)
            if param.relation == "=":
                continue
            if param.default and not what.endswith("agent"):
                span, message = param.default.span, "only parameters of the agent have defaults"
                behind = Span(span.source, param.domain.span.end, param.span.end)
                fixes = (replacing(behind, "", title="remove the default"),)
                self.report("G025", message, span, hint="remove it", fixes=fixes)
            elif param.default:
                self.expect(param.default, kind, {})
        return scope

    def param_kind(self, param: s.Param, scope: Scope, agent: bool) -> str:
        if param.relation == "=":
            return self.word_kind(param, agent)
        if param.relation in ("<", "<="):
            self.expect(param.domain, "value", scope)
            return "value"
        if param.relation == "in":
            if isinstance(param.domain, s.Binary) and param.domain.op == "..":
                self.sides(param.domain, ("value", "value"), scope)
            elif agent:
                hint = "write a range, as in `base in 2..10 = 10`"
                self.report(
                    "G025", "a parameter of the agent takes numbers or moves", param.domain.span, hint=hint
                )
            else:
                self.expect(param.domain, "class", scope)
            return "value"
        return self.colon_kind(param, agent)

    def word_kind(self, param: s.Param, agent: bool) -> str:
        name = param.name.name
        if not isinstance(param.domain, s.Text):
            hint = f"a number has a range, as in `{name} in 0..9 = 3`, a move is `{name}: move = R`"
            self.report(
                "G025", "a parameter without a range is a word, in double quotes", param.domain.span, "", hint
            )
            return ""
        if not agent:
            hint = f"declare it after the agent's name: every state can use `{name}`"
            self.report("G025", "only parameters of the agent are words", param.span, "", hint)
        return "word"

    def colon_kind(self, param: s.Param, agent: bool) -> str:
        word = param.kind
        if word in ("class", "state", "word") and not agent:
            return word
        if is_move_set(param.domain):
            return "move"
        if self.is_doubtful(word, self.classes, "class"):
            return ""
        hint = "write `: move`, `: class`, `: state` or `: word`, or `in 0..9` for values"
        fixes: tuple[Fix, ...] = ()
        if word in self.classes or not word:
            meant = f"{param.name.name} in {param.domain.span.text}"
            span = Span(param.span.source, param.span.start, param.domain.span.end)
            hint, fixes = f"write `{meant}`", (replacing(span, meant),)
        self.report("G025", "this is not a kind of parameter", param.domain.span, hint=hint, fixes=fixes)
        return ""

    def state(self, state: s.StateDecl) -> None:
        scope = self.params(state.header.params, self.top, "parameter")
        self.nameless = not state.header.names
        self.unknown.clear()
        for rule in state.rules:
            before = self.faults()
            self.rule(rule, {**self.top, **scope})
            if self.faults() > before:
                self.rule_faults += self.faults() - before
                self.wrong_rules.add(id(rule))
        if not state.rules and state.header.names:
            name = state.header.names[0]
            message = f"state `{name.name}` has no rules"
            hint = "it is stuck on every symbol; add rules such as `any : halt`"
            fixes = (replacing(state.header.span.after(), "\n  any : halt", False, "add `any : halt`"),)
            self.report("G064", message, name.span, "", hint, fixes, severity="warning")
        self.unused(scope)

    def missing_line(self, state: s.StateDecl) -> None:
        """Reports once that rules seem to belong to another state, whose first line is missing."""
        strayed = _strayed(state.rules)
        if not strayed:
            return
        self.wrong_rules.update(map(id, strayed))
        unknown = {name for each in self.agent.states for name in _targets(each) if name not in self.states}
        name = unknown.pop() if len(unknown) == 1 else "NAME"
        self.doubt = self.doubt._replace(names=self.doubt.names | {name})
        message = f"from here on rules of `{state.header.names[0].name}` match again what those above match"
        hint = f"if another state begins here, write `state {name}` above"
        pattern, (source, start, _) = strayed[0].pattern.span, strayed[0].span
        line = Span(source, start, start - source.position(start)[1] + 1).after()
        fixes = (replacing(line, f"state {name}\n", False, f"add `state {name}`"),)
        self.report("G040", message, pattern, "matched above", hint, fixes)

    def rule(self, rule: s.Rule, scope: Scope) -> None:
        pattern = rule.pattern
        if pattern.members is not None:
            self.expect(pattern.members, "class", scope)
        bound: Scope = {}
        if pattern.variable and self.fresh(pattern.variable, "name", scope, self.classes):
            bound[pattern.variable.name] = Bound("value", pattern.variable, "name")
        inner = {**scope, **bound}
        if rule.guard:
            self.expect(rule.guard, "truth", inner)
        action = rule.action
        if isinstance(action, s.Step):
            if action.write:
                self.written(action.write, inner)
            if action.write and isinstance(action.move, s.Name) and action.move.name == HALT:
                hint = f"halting follows an arrow: `write {expression(action.write)} -> halt`"
                place = Span(action.span.source, action.write.span.end, action.move.span.end)
                fixes = (replacing(place, " -> halt"),) if not action.target else ()
                self.report("G025", "`halt` is not a move", action.move.span, "expected a move", hint, fixes)
            elif action.move:
                self.expect(action.move, "move", inner)
        if not isinstance(action, s.Halt) and action.target:
            self.target(action.target, inner)
        self.unused(bound)

    def written(self, node: s.Expr, scope: Scope) -> None:
        """Checks what is written: a symbol, a number, or a word."""
        if self.is_word(node, scope):
            self.word(node, scope)
        else:
            self.expect(node, "value", scope)

    def unused(self, scope: Scope) -> None:
        for bound in scope.values():
            if not bound.used and not bound.name.name.startswith("_") and not self.faults():
                message = f"the {bound.what} `{bound.name.name}` is never used"
                hint = f"remove it, or call it `_{bound.name.name}`"
                self.report(
                    "G061", message, bound.name.span, "", hint, _unused_fixes(bound), severity="warning"
                )


def _strayed(rules: tuple[s.Rule, ...]) -> tuple[s.Rule, ...]:
    """The rules from the first on that matches again, behind a blank line or with all that follow."""
    texts = list(map(_unguarded, rules))
    for place, rule in enumerate(rules):
        again = [text in texts[:place] for text in texts[place:] if text]
        apart = not rule.span.source.line(rule.span.line - 1).strip()
        if texts[place] in filter(None, texts[:place]) and (apart or (all(again) and len(again) > 1)):
            return rules[place:]
    return ()


def _unguarded(rule: s.Rule) -> str:
    """The pattern of a rule as written; empty where a guard or `else` narrows it."""
    members = rule.pattern.members
    return members.span.text if members and not rule.guard else ""


def _targets(state: s.StateDecl) -> Iterator[str]:
    """The names of the states that rules lead to, unless they are parameters."""
    bound = {HALT, *(param.name.name for param in state.header.params)}
    for action in (rule.action for rule in state.rules):
        target = None if isinstance(action, s.Halt) else action.target
        if isinstance(target, s.Name) and target.name not in bound:
            yield target.name


def _unused_fixes(bound: Bound) -> tuple[Fix, ...]:
    span = bound.name.span
    called = replacing(span, f"_{bound.name.name}", sure=False)
    if bound.what != "name":
        return (called,)
    text = span.source.text
    behind = text.index("in", span.end) + len("in")
    while text[behind] == " ":
        behind += 1
    removed = Fix(f"remove `{bound.name.name} in`", (Edit(Span(span.source, span.start, behind), ""),), False)
    return (removed, called)


def _brings_symbols(node: s.Expr) -> bool:
    if isinstance(node, s.Union):
        return any(map(_brings_symbols, node.parts))
    if isinstance(node, s.Binary) and node.op == "except":
        return _brings_symbols(node.left)
    return isinstance(node, s.Symbol | s.Number | s.Binary) or s.is_marked(node)
