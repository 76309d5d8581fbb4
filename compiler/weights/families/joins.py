"""States that are one but for a number, for the symbol that they write or for a turn become a family.

They are joined where that is shorter, one family at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations, product

from gridlang.compiler.weights.families.families import MOVE, NUMBER
from gridlang.compiler.weights.families.nodes import Act, Agent, Key, Node, Place
from gridlang.compiler.weights.families.rules import TURNED, Rule, Rules

GAIN = 2.0  # words that a family has to save
GUESS = 3.0  # more for each cell that is not even alike to one that was seen
CASES = 1  # that the rules of joined states may be put by
MOST_WORK = 100_000  # a second or two
MOST_TURNED = 3  # families over moves that are made at once
Joint = dict[
    Key, tuple[Key, int | None]
]  # the family and the value of each node; None: its members keep theirs


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
        trial, families = _with(agent, joint, kind), dict.fromkeys(family for family, _ in joint.values())
        parts = [rules.of(key, agent.nodes, CASES) for key in joint]
        made = [rules.of(key, trial.nodes, CASES) for key in families]
        more_tests = sum(_tests(said) for _, said in made) - sum(_tests(said) for _, said in parts)
        saved = sum(len(said) for _, said in parts) - sum(len(said) for _, said in made)
        gain = sum(own for own, _ in parts) - sum(own for own, _ in made)
        gain -= GUESS * sum(_unlike(agent, rules, [k for k in joint if joint[k][0] == f]) for f in families)
        if gain > best and (len(joint) > 3 or more_tests <= 0 or more_tests < saved):
            best, chosen = gain, trial
    return chosen


def _tests(said: list[Rule]) -> int:
    return sum(len(rule.tests) for rule in said)


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
            yield {a: (a, None if a in numbered else 0), b: (a, first + 1)}, NUMBER


def _unlike(agent: Agent, rules: Rules, keys: list[Key]) -> int:
    """The cells of members that were not seen on a class of symbols, or a symbol of none, as another was."""
    seen = {(key, v, x) for key in keys for v, x in agent.nodes[key].cells}
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
    groups: dict[tuple[int, int, int], dict[Key, int]] = defaultdict(dict)
    for key in singles:
        for (_, x), act in agent.nodes[key].cells.items():
            g = rules.class_of.get(act.write)
            if g is not None and rules.class_of.get(x) != g and act.after:
                groups[x, act.move, g][key] = rules.classes[g].number[act.write]
    for (_, _, g), group in groups.items():
        values = set(group.values())
        if len(group) == len(values) and 2 * len(values) >= rules.classes[g].size and len(values) > 1:
            yield {key: (next(iter(group)), value) for key, value in group.items()}, g


def _turned(agent: Agent, singles: list[Key], turn: str) -> Iterator[Joint]:
    """Round trips of states most of which do as the one before, turned; several at once."""
    size, seen = (4 if turn == "right" else 2), set[tuple[Key, ...]]()
    for p, q in permutations(singles, 2):
        image, trips = _symmetry(agent, p, q, turn), list[list[Key]]()
        for start in image:
            trip = [start]
            while len(trip) < size and (after := image.get(trip[-1])) is not None and after not in trip:
                trip.append(after)
            whole = len(trip) == size and image.get(trip[-1]) in (start, None)
            if whole and not {key for other in trips for key in other} & set(trip):
                trips.append(trip)
        if not trips or (known := tuple(sorted(key for trip in trips for key in trip))) in seen:
            continue
        seen.add(known)
        for some in [trips, *([trip] for trip in trips if len(trips) > 1)]:
            ranges = [range(size if 0 < i < MOST_TURNED else 1) for i in range(len(some))]
            for offsets in product(*ranges):
                yield {
                    key: (trip[0], value)
                    for trip, offset in zip(some, offsets, strict=True)
                    for key, value in zip(trip, _values(agent, trip, turn, offset), strict=True)
                }


def _values(agent: Agent, trip: list[Key], turn: str, offset: int) -> list[int]:
    """Of a first state the move by which it is mostly entered, turned; each next one is turned once more."""
    entered = Counter(
        act.move
        for node in agent.nodes.values()
        for act in node.cells.values()
        if act.after and act.after[0] == trip[0]
    )
    values = [max(range(4), key=lambda move: (entered[move], -move))]
    while len(values) < len(trip) + offset:
        values.append(int(TURNED[turn][values[-1]]))
    return values[offset:]


def _symmetry(agent: Agent, p: Key, q: Key, turn: str) -> dict[Key, Key]:
    """Where states that one leads to are if it becomes the other by a turn; empty if they mostly differ."""
    image, alike, shared = {p: q}, 0, 0
    for one in (todo := [p]):
        theirs = agent.nodes[image[one]].cells
        for (_, x), act in agent.nodes[one].cells.items():
            if (its := theirs.get(((), x))) is None:
                continue
            shared += 1
            turned = act.move < 0 or int(TURNED[turn][act.move]) == its.move
            if act.write != its.write or not turned or (act.after is None) != (its.after is None):
                continue
            if act.after and its.after:
                (to, values), (other, others) = act.after, its.after
                if values or others:
                    faces = agent.nodes[to].kinds == (MOVE,)
                    same = others == ((int(TURNED[turn][values[0]]),) if faces else values)
                    alike += to == other and same
                    continue
                if to not in image and other not in image.values():
                    image[to] = other
                    todo.append(to)
                alike += image.get(to) == other
                continue
            alike += 1
        if 2 * alike <= shared:
            return {}
    return image if shared else {}


def _with(agent: Agent, joint: Joint, kind: int) -> Agent:
    """The nodes of each family of a joint as one."""

    def moved(place: Place) -> Place:
        if place[0] not in joint:
            return place
        family, value = joint[place[0]]
        return family, place[1] if value is None else (value,)

    nodes = {key: node for key, node in agent.nodes.items() if key not in joint}
    nodes |= {family: Node((kind,), {}) for family, _ in joint.values()}
    for key, node in agent.nodes.items():
        family = joint[key][0] if key in joint else key
        cells = {
            (moved((key, v))[1], x): Act(act.write, act.move, act.after and moved(act.after))
            for (v, x), act in node.cells.items()
        }
        nodes[family] = Node(nodes[family].kinds, (nodes[family].cells if key in joint else {}) | cells)
    home = {q: moved(place) for q, place in agent.home.items()}
    return Agent(nodes, moved(agent.start), home)
