"""Mealy machines from logs alone: state merging, DFSTs and AALpy on the same words, in one run.

    python benchmarks/mealy.py                    goes on with benchmarks/results/mealy.json until all is done
    python benchmarks/mealy.py --seconds 600      in pieces
    python benchmarks/mealy.py --only coffee random20 --methods merge dfst
    python benchmarks/mealy.py --table            what is recorded so far

The machines are random ones of 5 to 100 states (two inputs, three outputs, minimal, all states reachable) and
four that are like protocols. A log is some number of random words of 1 to 30 inputs. A method never sees the
machine. What it learned is *exact* if it is bisimilar to the machine; `predicted` is the share of the steps
of 500 fresh words of up to 60 inputs that it predicts. Seconds are of one core, with everything that the
method needs: trials of widths and extraction for `dfst`, which is trained for 10,000 iterations, one seed.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # One core is measured; this comes before numpy.

import argparse
import json
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from gridlang.compiler.program_files import load_program  # noqa: E402
from gridlang.diagnostics import GridError  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.traces.logs.log_to_traces import MEALY, ObservedLog, ObservedRun  # noqa: E402
from gridlang.source import Source  # noqa: E402
from gridlang.table import Table  # noqa: E402

FORMAT = "gridlang-mealy/1"
RESULTS = ROOT / "benchmarks" / "results" / "mealy.json"
WRITTEN = ("turnstile", "handshake", "elevator")
MODELS = {name: ROOT / "benchmarks" / "mealy_models" / f"{name}.dot" for name in WRITTEN}
MODELS["coffee"] = ROOT / "examples" / "logs" / "coffee.dot"
SIZES = (5, 10, 20, 50, 100)
WORDS = (100, 300, 1000, 3000)
DRAWS = 4  # logs of each size; for random machines each is of another machine
LONGEST, FRESH, FRESH_LONGEST = 30, 500, 60
ITERATIONS = 10_000
SETTINGS = {
    "longest": LONGEST,
    "fresh": FRESH,
    "fresh_longest": FRESH_LONGEST,
    "iterations": ITERATIONS,
}
LIMIT = 60.0  # seconds of one core; AALpy's merging of thousands of words takes longer than anybody waits

Job = tuple[str, int, int, str]  # a machine, how many words, which draw, and a method
Words = list[list[tuple[str, str]]]
Rules = dict[tuple[int, str], tuple[str, int]]  # a state and an input give an output and a state


def random_machine(states: int, seed: int) -> Rules:
    """A minimal machine over two inputs and three outputs, all of whose states can be reached.

    Each state is first reached from one before it, and what is left of the rules leads anywhere.
    """
    random = Random(f"mealy {states} {seed}")
    while True:
        free = [(0, letter) for letter in "ab"]
        rules: Rules = {}
        for state in range(1, states):
            way = free.pop(random.randrange(len(free)))
            rules[way] = random.choice("xyz"), state
            free += [(state, letter) for letter in "ab"]
        rules |= {way: (random.choice("xyz"), random.randrange(states)) for way in free}
        if _classes(rules, states) == states:
            return rules


def _classes(rules: Rules, states: int) -> int:
    """How many states differ, by refinement."""
    letters = sorted({letter for _, letter in rules})
    part = [0] * states
    while True:
        keys = [(part[q], *((rules[q, a][0], part[rules[q, a][1]]) for a in letters)) for q in range(states)]
        number = {key: at for at, key in enumerate(dict.fromkeys(keys))}
        if len(number) == len(set(part)):
            return len(number)
        part = [number[key] for key in keys]


def machine_of(name: str, draw: int) -> Rules:
    """The hidden machine; its symbols are single characters."""
    if name.startswith("random"):
        return random_machine(int(name.removeprefix("random")), draw)
    return rules_of(load_program(str(MODELS[name]), {}).table)


def rules_of(table: Table) -> Rules:
    """What a table does on everything but the blank, while it goes on to the right."""
    return {
        (state, table.symbols[symbol]): (table.symbols[entry.write], entry.next)
        for state, symbol, entry in table.entries()
        if symbol and not entry.is_idle(symbol)
    }


def words_of(rules: Rules, count: int, longest: int, seed: str) -> Words:
    """Random words, each with what the machine answers."""
    random, letters = Random(seed), sorted({letter for _, letter in rules})
    runs = []
    for _ in range(count):
        state, run = 0, []
        for _ in range(random.randint(1, longest)):
            letter = random.choice(letters)
            output, state = rules[state, letter]
            run.append((letter, output))
        runs.append(run)
    return runs


def exact(hidden: Rules, learned: Rules) -> bool:
    """Whether both answer every word alike: a bisimulation from their first states."""
    letters = {letter for _, letter in hidden}
    pairs, todo = {(0, 0)}, [(0, 0)]
    while todo:
        state, other = todo.pop()
        for letter in letters:
            output, after = hidden[state, letter]
            said, then = learned.get((other, letter), ("", -1))
            if said != output:
                return False
            if (after, then) not in pairs:
                pairs.add((after, then))
                todo.append((after, then))
    return True


def predicted(learned: Rules, words: Iterable[list[tuple[str, str]]]) -> float:
    """The share of steps that are answered rightly; nothing is after one without an answer."""
    right = steps = 0
    for word in words:
        state = 0
        for letter, output in word:
            said, state = learned.get((state, letter), ("", -1))
            right, steps = right + (said == output), steps + 1
    return right / steps


def by_merge(words: Words) -> Rules:
    merging = import_module("gridlang.learners.methods.merging.merge")
    return rules_of(merging.merged(_traces(words)).table)


def by_dfst(words: Words, recipe: str = "fast", iterations: int | None = ITERATIONS) -> Rules:
    """A DFST whose states are grown, one seed; extracted on all inputs, or else on its traces alone."""
    from gridlang.compiler.extraction.extract import extract
    from gridlang.compiler.lockstep.prediction import cases_of
    from gridlang.learners.training.growing import without_expert
    from gridlang.learners.training.recipes import changed, load_recipe
    from gridlang.learners.training.train import TrainingPlan, train

    traces = _traces(words)
    how = changed(load_recipe(recipe), iterations=iterations)
    plan, _ = without_expert(TrainingPlan(traces, how, (0,), "cpu"), None)
    model = train(plan)[0].dfst
    extraction = extract(model, scope="inputs")
    if extraction.table is None:
        extraction = extract(model, seen=cases_of(model, traces))
    return rules_of(extraction.table) if extraction.table else {}


def _traces(words: Words) -> Any:
    from gridlang.learners.traces.logs.log_to_traces import log_to_traces

    runs = [
        ObservedRun(str(n), [a for a, _ in word], [b for _, b in word], [], [1] * len(word))
        for n, word in enumerate(words)
    ]
    return log_to_traces(ObservedLog(Source("mealy", ""), MEALY, runs))[0]


def by_aalpy(words: Words) -> Rules:
    """AALpy's RPNI for Mealy machines, by its general state merging."""
    aalpy = import_module("aalpy.learning_algs")
    return _of_aalpy(aalpy.run_GSM(words, output_behavior="mealy", data_format="io_traces"))


def by_aalpy_edsm(words: Words) -> Rules:
    """AALpy's evidence-driven merging, which wants every prefix of every word with its last output."""
    aalpy = import_module("aalpy.learning_algs")
    prefixes = {
        tuple(letter for letter, _ in word[:end]): word[end - 1][1]
        for word in words
        for end in range(1, len(word) + 1)
    }
    return _of_aalpy(aalpy.run_EDSM(list(prefixes.items()), "mealy", print_info=False))


def _of_aalpy(model: Any) -> Rules:
    states = [model.initial_state, *(state for state in model.states if state is not model.initial_state)]
    number = {id(state): at for at, state in enumerate(states)}
    return {
        (number[id(state)], letter): (state.output_fun[letter], number[id(after)])
        for state in states
        for letter, after in state.transitions.items()
    }


METHODS: dict[str, Callable[[Words], Rules]] = {
    "merge": by_merge,
    "dfst": by_dfst,
    "aalpy": by_aalpy,
    "aalpy-edsm": by_aalpy_edsm,
}


# What is loaded before the clock starts.
IMPORTED = {
    "merge": ("gridlang.learners.methods.merging.merge", "gridlang.learners.traces.logs.log_to_traces"),
    "dfst": (
        "gridlang.learners.training.growing",
        "gridlang.compiler.extraction.extract",
        "gridlang.learners.traces.logs.log_to_traces",
    ),
    "aalpy": ("aalpy.learning_algs",),
    "aalpy-edsm": ("aalpy.learning_algs",),
}


def measured(name: str, count: int, draw: int, method: str) -> dict[str, Any]:
    """One method on one log: exact, the share it predicts, its states and its seconds."""
    hidden = machine_of(name, draw)
    words = words_of(hidden, count, LONGEST, f"{name} {count} {draw} log")
    fresh = words_of(hidden, FRESH, FRESH_LONGEST, f"{name} {draw} fresh")
    begun = _spent()
    try:
        learned = METHODS[method](words)
    except GridError as error:
        return {"error": error.diagnostics[0].message, "cpu_seconds": round(_spent() - begun, 3)}
    seconds = _spent() - begun
    return {
        "exact": exact(hidden, learned),
        "predicted": round(predicted(learned, fresh), 5),
        "states": len({state for state, _ in learned}),
        "cpu_seconds": round(seconds, 3),
    }


def _spent() -> float:
    """Seconds of this thread on a core; those of the C compiler, once a machine, are not its own.

    The clock of the process ticks in 4 ms once its time is limited.
    """
    return time.thread_time()


def _child(connection: Connection, job: Job) -> None:
    seconds = int(LIMIT)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    connection.send(measured(*job))


def in_a_process(job: Job) -> dict[str, Any]:
    """The result of a job, or that it took too long; what one leaves in memory cannot help the next.

    A fork has loaded what it needs: most jobs take far less time than that.
    """
    for module in IMPORTED[job[3]]:
        import_module(module)
    ours, theirs = get_context("fork").Pipe()
    process = get_context("fork").Process(target=_child, args=(theirs, job))
    process.start()
    theirs.close()
    result: dict[str, Any] = {"error": f"more than {LIMIT:.0f} s", "cpu_seconds": LIMIT}
    with suppress(EOFError):
        result = ours.recv()
    process.join()
    if process.exitcode not in (0, -signal.SIGXCPU, -signal.SIGKILL):
        sys.exit(f"{key_of(job)} failed")
    return result


def jobs(names: Iterable[str], counts: Iterable[int], draws: int, methods: Iterable[str]) -> list[Job]:
    """One draw of everything first, small logs before large ones."""
    return [(n, c, d, m) for d in range(draws) for c in counts for n in names for m in methods]


def key_of(job: Job) -> str:
    return " ".join(map(str, job))


def table(records: dict[str, dict[str, Any]]) -> str:
    """For each machine and number of words: how many logs gave it back, the mean share predicted, seconds."""
    groups: dict[tuple[str, int], dict[str, list[dict[str, Any]]]] = {}
    for key, record in records.items():
        name, words, _, method = key.split(" ")
        groups.setdefault((name, int(words)), {}).setdefault(method, []).append(record)
    lines = [f"| machine | words | {' | '.join(METHODS)} |", f"|---|---|{'---|' * len(METHODS)}"]
    order = [f"random{size}" for size in SIZES] + list(MODELS)
    for (name, count), methods in sorted(
        groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
    ):
        cells = [_cell(methods.get(method, [])) for method in METHODS]
        lines.append(f"| {name} | {count:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(records: list[dict[str, Any]]) -> str:
    """`3/3, 100.0 %, 0.01 s`."""
    if not records:
        return ""
    right = sum(record.get("exact", False) for record in records)
    share = sum(record.get("predicted", 0.0) for record in records) / len(records)
    seconds = sum(record["cpu_seconds"] for record in records) / len(records)
    late = "> " if any("more than" in record.get("error", "") for record in records) else ""
    return f"{right}/{len(records)}, {share:.1%}, {late}{seconds:.2g} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = [*(f"random{size}" for size in SIZES), *MODELS]
    parser.add_argument("--only", nargs="+", default=names, choices=names, metavar="MACHINE")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--words", nargs="+", type=int, default=list(WORDS))
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="show what is recorded, and end")
    given = parser.parse_args()
    kept = json.loads(given.results.read_text()) if given.results.exists() else {}
    records: dict[str, dict[str, Any]] = kept.get("records", {})
    methods = [method for method in given.methods if find_spec(IMPORTED[method][0].split(".")[0])]
    if methods != given.methods:
        say("AALpy is not installed, so it is left out: pip install aalpy")
    wanted = [] if given.table else jobs(given.only, given.words, given.draws, methods)
    left = [job for job in wanted if key_of(job) not in records]
    begun = time.monotonic()
    for done, job in enumerate(left):
        if time.monotonic() - begun > given.seconds:
            say(f"{len(left) - done} of {len(left)} are left; the same command goes on")
            break
        records[key_of(job)] = in_a_process(job)
        write_whole(
            given.results, json.dumps({"format": FORMAT, **SETTINGS, "records": records}, indent=0) + "\n"
        )
        say(f"[{done + 1}/{len(left)}] {key_of(job)}: {records[key_of(job)]}")
    print(table(records))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
