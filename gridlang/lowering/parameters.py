"""The domains of parameters, and the values of an agent's: from `-D`, an importing line, or a default."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gridlang.diagnostics import Fault, did_you_mean, respelt
from gridlang.evaluator import Evaluator, is_move
from gridlang.imported import Imported, parse_origin
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.values import LONGEST_WORD, Arg, Env, Val, Word, member, show
from gridlang.vocabulary import is_symbol

Stated = dict[str, tuple[Val | Word | str, Span]]  # name -> value, place
_DIGITS = re.compile(r"-?[0-9]+(?:_[0-9]+)*")
_NUMBER: tuple[type, str] = (Val, "a number")
_KINDS: dict[str, tuple[type, str]] = {":": (str, "a move"), "=": (Word, "a word, in double quotes")}


def given_arguments(header: s.Header, definitions: Mapping[str, str]) -> dict[str, Arg]:
    """The arguments from `-D NAME=VALUE`, in range, with defaults for the rest."""
    known = [p.name.name for p in header.params]
    stated: Stated = {}
    for name, text in definitions.items():
        if name not in known:
            others = f"its parameters: {', '.join(known)}" if known else "it has none"
            message = f"`{header.name.name}` has no parameter `{name}`"
            hint = did_you_mean(name, known, others)
            raise Fault("G026", message, header.span, hint=hint)
        param = header.params[known.index(name)]
        if param.relation == "=":
            stated[name] = (Word(text), param.span)
        elif text in tuple("UDLRS"):
            stated[name] = (text, param.span)
        elif _DIGITS.fullmatch(text) and len(text.replace("_", "")) < 10:
            stated[name] = (Val(int(text)), param.span)
        else:
            example = "a move, as in L" if param.relation == ":" else "a number of its range, as in 2"
            message = f"`{text[:40]}` is not a value of parameter `{name}`"
            raise Fault("G034", message, param.span, hint=f"give {example}: -D {name}=…")
    return _with_defaults(header, stated)


def imported_arguments(origin: s.Origin, inner: s.Agent, env: Mapping[str, Arg]) -> dict[str, Arg]:
    """The arguments that an importing line gives to the agent it imports."""
    known = [p.name.name for p in inner.header.params]
    stated: Stated = {}
    for place, binding in enumerate(origin.bindings):
        if binding.name is None and place >= len(known):
            raise Fault("G024", f"`{origin.agent.name}` takes {len(known)} arguments", binding.span)
        name = binding.name.name if binding.name else known[place]
        if binding.name and name not in known:
            message = f"`{origin.agent.name}` has no parameter `{name}`"
            raise Fault("G026", message, binding.name.span, "", *respelt(name, known, binding.name.span))
        if name in stated:
            raise Fault("G022", f"`{name}` is given twice", binding.span, hint="keep one of them")
        stated[name] = (_constant(binding.value, env), binding.value.span)
    return _with_defaults(inner.header, stated)


def _with_defaults(header: s.Header, stated: Stated) -> dict[str, Arg]:
    """A value in range for every parameter; a default may speak of the parameters before it."""
    env: dict[str, Arg] = {}
    for param in header.params:
        name = param.name.name
        if name in stated:
            value, span = stated[name]
        elif param.default:
            value, span = _constant(param.default, env), param.default.span
        else:
            hint = f"give one with -D {name}=VALUE, or add ` = VALUE` here"
            raise Fault("G027", f"parameter `{name}` has no value", param.span, "no default", hint)
        env[name] = _in_range(value, param, env, span)
    return env


def constants(agent: s.Agent, arguments: Mapping[str, Arg]) -> dict[str, Arg]:
    """The values of `let` lines; each may use parameters and earlier constants."""
    env = dict(arguments)
    for let in agent.lets:
        env[let.name.name] = _constant(let.value, env)
    return {let.name.name: env[let.name.name] for let in agent.lets}


def _constant(node: s.Expr, env: Mapping[str, Arg]) -> Val | Word | str:
    if isinstance(node, s.Symbol):
        hint = "a class of one symbol is declared below `alphabet`"
        raise Fault("G025", "a constant is a number or a move, not a symbol", node.span, hint=hint)
    evaluator = Evaluator()
    word = evaluator.word(node, env)
    try:
        if word is not None:
            return Word(word)
        return evaluator.move(node, env) if is_move(node, env) else evaluator.value(node, env)
    except (KeyError, AssertionError):
        raise Fault("G025", "a constant is a number, a move or a word", node.span) from None


def _in_range(value: Val | Word | str, param: s.Param, env: Mapping[str, Arg], span: Span) -> Arg:
    kind, what = _KINDS.get(param.relation, _NUMBER)
    if type(value) is not kind:
        name, hint = param.name.name, ""
        if param.relation == "=" and not isinstance(param.domain, s.Text):
            hint = f"a number has a range, as in `{name} in 0..9 = 3`, a move is `{name}: move = R`"
        raise Fault("G034", f"parameter `{name}` takes {what}", span, hint=hint)
    evaluator = Evaluator()
    try:
        if isinstance(value, Word):
            return _checked_word(value, param, span)
        if isinstance(value, str):
            return in_moves(value, param, evaluator, span)
        return in_domain(value, param, evaluator, env, span)
    except (KeyError, AssertionError):
        raise Fault("G025", "this is not a range of numbers", param.domain.span) from None
    except Fault as fault:
        problem = fault.diagnostic
        raise Fault("G034", problem.message, span, problem.label, problem.hint) from None


def _checked_word(word: Word, param: s.Param, span: Span) -> Word:
    """The word; Fault unless its letters could stand on the grid."""
    name = param.name.name
    odd = next((char for char in word.letters if not is_symbol(char)), "")
    if not word.letters or odd:
        message = f"the word `{name}` has no letters" if not odd else f"the word `{name}` holds {odd!r}"
        raise Fault("G034", message, span, "", f"give printable letters without spaces: -D {name}=…")
    if len(word.letters) > LONGEST_WORD:
        message = f"the word `{name}` has {len(word.letters):,} letters"
        raise Fault("G034", message, span, f"at most {LONGEST_WORD:,}")
    return word


def home_of(file: Imported, arguments: dict[str, Arg]) -> tuple[Imported, tuple[str, ...], dict[str, Arg]]:
    """Follows `from` to the file with the states: that file, the paths to it, its arguments."""
    chain: tuple[str, ...] = (file.path,)
    while file.agent.header.origin:
        inner = parse_origin(file.agent.header.origin, chain)
        arguments = imported_arguments(file.agent.header.origin, inner.agent, arguments)
        file, chain = inner, (*chain, inner.path)
    return file, chain, arguments


def _outside(value: str, param: s.Param, span: Span, allowed: str) -> Fault:
    message = f"{value} is out of range for parameter `{param.name.name}`"
    return Fault("G030", message, span, f"this is {value.strip('`')}", allowed)


def in_moves(move: str, param: s.Param, evaluator: Evaluator, span: Span) -> str:
    allowed = evaluator.move_set(param.domain)
    if move not in allowed:
        raise _outside(f"`{move}`", param, span, f"it may be one of {' '.join(allowed)}")
    return move


def in_domain(value: Val, param: s.Param, evaluator: Evaluator, inner: Env, span: Span) -> Val:
    if is_range(param):
        return in_range(value.number, param, domain_range(param, evaluator, inner), span)
    klass = evaluator.klass(param.domain, inner)
    char = value.char or member(klass, value.number)
    if char and char in klass.chars:
        return evaluator.symbol_value(char, klass)
    raise _outside(show(value), param, span, f"`{param.name.name}` may be one of {' '.join(klass.chars)}")


def is_range(param: s.Param) -> bool:
    domain = param.domain
    return param.relation in ("<", "<=") or (isinstance(domain, s.Binary) and domain.op == "..")


def in_range(number: int, param: s.Param, bounds: tuple[int, int], span: Span) -> Val:
    low, high = bounds
    if low <= number <= high:
        return Val(number)
    allowed = f"may be {low}..{high}" if low <= high else f"has no values here ({low}..{high})"
    raise _outside(str(number), param, span, f"`{param.name.name}` {allowed}")


def domain_range(param: s.Param, evaluator: Evaluator, env: Env) -> tuple[int, int]:
    if param.relation in ("<", "<="):
        return 0, evaluator.number(param.domain, env) - (param.relation == "<")
    assert isinstance(param.domain, s.Binary)
    return evaluator.number(param.domain.left, env), evaluator.number(param.domain.right, env)
