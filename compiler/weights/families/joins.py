"""States that are one but for a number, for the symbol that they write or for a turn become a family.

They are joined where that is shorter, one family at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations

from gridlang.compiler.weights.families.families import MOVE, NUMBER
from gridlang.compiler.weights.families.nodes import Act, Agent, Cells, Key, Node, Place
from gridlang.compiler.weights.families.rules import TURNED, Rules

GAIN = 2.0  # words that a family has to save
GUESS = 3.0  # more for each cell that is not even alike to one that was seen
CASES = 1  # that the rules of joined states may be put by
MOST_WORK = 100_000  # a second or two
Joint = dict[Key, int | None]  # the value that each node gets; None: its members keep theirs


def joined(agent: Agent, rules: Rules) -> Agent:
    """As long as some joint makes it shorter, and the work is little."""
    end = rules.work + MOST_WORK
    while found := _best(agent, rules, end):
        agent = found
    return agent


def _best(agent: Agent, rules: Rules, end: int) -> Agent | None:
    best, chosen = GAIN, None
    for joint, kind in _joints(agent, rules):
        if rules.work > end:
            break
        trial = _with(agent, joint, kind)
        parts = [rules.of(key, agent.nodes, CASES) for key in joint]
        cost, both = rules.of(next(iter(joint)), trial.nodes, CASES)
        more_tests = sum(len(r.tests) for r in both) - sum(len(r.tests) for _, part in parts for r in part)
        saved = sum(len(part) for _, part in parts) - len(both)
        gain = sum(own for own, _ in parts) - cost - GUESS * _unlike(agent, rules, joint)
        if gain > best and (more_tests <= 0 or more_tests < saved):
            best, chosen = gain, trial
    return chosen


def _joints(agent: Agent, rules: Rules) -> Iterator[tuple[Joint, int]]:
    singles = [key for key in sorted(agent.nodes) if not agent.nodes[key].kinds]
    for turn in ("right", "back"):
        yield from ((joint, MOVE) for joint in _turned(agent, singles, turn))
    yield from _by_what_they_write(agent, rules, singles)
    inner = [key for key in singles if key != agent.start[0]]
    numbered = [key for key in sorted(agent.nodes) if agent.nodes[key].kinds == (NUMBER,)]
    for a, b in [*((a, b) for a in numbered for b in inner), *combinations(inner, 2)]:
        if a != agent.start[0] and _akin(agent, rules, a, b):
            first = max(v[0] for v in rules.domains(agent.nodes)[a].values) if a in numbered else 0
            yield {a: None if a in numbered else 0, b: first + 1}, NUMBER


def _unlike(agent: Agent, rules: Rules, joint: Joint) -> int:
    """The cells of members that were not seen on a class of symbols, or a symbol of none, as another was."""
    seen = {(key, v, x) for key in joint for v, x in agent.nodes[key].cells}
    read = Counter(rules.class_of.get(x, -1 - x) for x in {x for *_, x in seen})
    cells = {(key, v, rules.class_of.get(x, -1 - x)) for key, v, x in seen}
    return len({cell[:2] for cell in cells}) * read.total() - sum(read[kind] for *_, kind in cells)


def _akin(agent: Agent, rules: Rules, a: Key, b: Key) -> bool:
    """Whether two nodes make a common move to a common place on most kinds of symbols that both read."""
    ways: dict[int, dict[Key, set[object]]] = defaultdict(lambda: defaultdict(set))
    for key in (a, b):
        for (_, x), act in agent.nodes[key].cells.items():
            to = act.after and ("own" if act.after[0] in (a, b) else act.after[0])
            ways[rules.class_of.get(x, -1 - x)][key].add((act.move, to))
    shared = [bool(by[a] & by[b]) for by in ways.values() if len(by) == 2]
    return 2 * sum(shared) > len(shared)


def _by_what_they_write(agent: Agent, rules: Rules, singles: list[Key]) -> Iterator[tuple[Joint, int]]:
    """States that write different symbols of a class on one symbol, and move alike."""
    groups: dict[tuple[int, int, int], Joint] = defaultdict(dict)
    for key in singles:
        for (_, x), act in agent.nodes[key].cells.items():
            g = rules.class_of.get(act.write)
            if g is not None and rules.class_of.get(x) != g and act.after:
                groups[x, act.move, g][key] = rules.classes[g].number[act.write]
    for (_, _, g), joint in groups.items():
        values = set(joint.values())
        if len(joint) == len(values) and 2 * len(values) >= rules.classes[g].size and len(values) > 1:
            yield joint, g


def _turned(agent: Agent, singles: list[Key], turn: str) -> Iterator[Joint]:
    """Round trips of states each of which does as the one before, turned."""
    size, seen = (4 if turn == "right" else 2), set[frozenset[Key]]()
    entered = Counter(
        (act.after[0], act.move) for n in agent.nodes.values() for act in n.cells.values() if act.after
    )
    for p, q in permutations(singles, 2):
        image = _symmetry(agent, (p, ()), (q, ()), turn)
        for start in image:
            trip = [start]
            while len(trip) < size and (after := image.get(trip[-1])) is not None and after not in trip:
                trip.append(after)
            keys = [key for key, _ in trip]
            if len(trip) < size or image.get(trip[-1]) not in (start, None) or not set(keys) <= set(singles):
                continue
            if frozenset(keys) not in seen:
                seen.add(frozenset(keys))
                value = max(range(4), key=lambda move: (entered[keys[0], move], -move))
                yield {
                    key: (value := value if not i else int(TURNED[turn][value])) for i, key in enumerate(keys)
                }


def _symmetry(agent: Agent, p: Place, q: Place, turn: str) -> dict[Place, Place]:
    """Where all places that one leads to are if it becomes the other by a turn; empty if they differ."""
    image, todo, shared = {p: q}, [(p, q)], 0
    for one, other in todo:
        if agent.nodes[one[0]].kinds or agent.nodes[other[0]].kinds:
            if one[0] != other[0] or (one != other and other[1] != (int(TURNED[turn][one[1][0]]),)):
                return {}
            continue
        for (_, x), act in agent.nodes[one[0]].cells.items():
            its = agent.nodes[other[0]].cells.get(((), x))
            if its is None:
                continue
            shared += 1
            turned = act.move < 0 or int(TURNED[turn][act.move]) == its.move
            if act.write != its.write or not turned or (act.after is None) != (its.after is None):
                return {}
            if act.after and its.after:
                if image.get(act.after, its.after) != its.after:
                    return {}
                if act.after not in image:
                    image[act.after] = its.after
                    todo.append((act.after, its.after))
    return image if shared and len(set(image.values())) == len(image) else {}


def _with(agent: Agent, joint: Joint, kind: int) -> Agent:
    """All nodes of a joint as one, under the key of the first."""
    family = next(iter(joint))

    def moved(place: Place) -> Place:
        key, values = place
        if key not in joint:
            return place
        value = joint[key]
        return family, values if value is None else (value,)

    def cells(key: Key) -> Cells:
        return {
            (moved((key, v))[1], x): Act(act.write, act.move, act.after and moved(act.after))
            for (v, x), act in agent.nodes[key].cells.items()
        }

    nodes = {key: Node(node.kinds, cells(key)) for key, node in agent.nodes.items() if key not in joint}
    nodes[family] = Node((kind,), {at: act for key in joint for at, act in cells(key).items()})
    home = {q: moved(place) for q, place in agent.home.items()}
    return Agent(nodes, moved(agent.start), home)
