"""Tests share one cache folder of their own; hypothesis draws the same each time, except in long searches."""

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from gridlang.compiler.proofs.limits import LIMITS as PROOF_LIMITS
from gridlang.compiler.proven.gridcheck import program as proven_program
from gridlang.compiler.testing.limits import LIMITS as TEST_LIMITS
from tests.support.browser import launched
from tests.support.proven_checker import disagreements, hold_against_the_first
from tests.support.searches import LONG, examples

pytest_plugins = ["tests.support.judged_models"]
# Workers and the hundreds of processes that tests start share compiled modules, even where Python is told
# to write none: compiling all tests takes each worker fifteen seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ.setdefault("GRIDLANG_CACHE", f"{tempfile.gettempdir()}/gridlang-tests-{os.getuid()}")
settings.register_profile(
    "gridlang",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    max_examples=examples(),
)
settings.register_profile("ci", settings.get_profile("gridlang"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") or not LONG else "gridlang")

LISTED = TEST_LIMITS.listed_cases
SHORTER = {"first_sample_steps": 5, "last_sample_steps": 10, "last_search_steps": 10}
SEARCHED = {name: getattr(PROOF_LIMITS, name) for name in SHORTER}
if not LONG:  # A search for wrong results or for a difference takes users seconds.
    object.__setattr__(TEST_LIMITS, "listed_cases", LISTED // 10)
    object.__setattr__(TEST_LIMITS, "cases", TEST_LIMITS.cases // 10)
    for name, times in SHORTER.items():
        object.__setattr__(PROOF_LIMITS, name, SEARCHED[name] // times)

if proven_program() is not None:
    hold_against_the_first()  # Before any test module has got hold of the first checker by its name.


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> None:
    """By what a test starts, though a shell ran tests in the background or a command was interrupted here."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def both_checkers_agree() -> Iterator[None]:
    """Fails a test in which the two checkers of certificates said different things, wherever that was raised."""
    disagreements.clear()
    yield
    assert not disagreements


@pytest.fixture
def full_list() -> Iterator[None]:
    """As many short inputs are tried as for users."""
    before = TEST_LIMITS.listed_cases
    object.__setattr__(TEST_LIMITS, "listed_cases", LISTED)
    yield
    object.__setattr__(TEST_LIMITS, "listed_cases", before)


@pytest.fixture
def full_searches() -> Iterator[None]:
    """Differences are looked for as long as for users, which saves attempts at proofs where there is one."""
    before = {name: getattr(PROOF_LIMITS, name) for name in SEARCHED}
    for name, most in SEARCHED.items():
        object.__setattr__(PROOF_LIMITS, name, most)
    yield
    for name, most in before.items():
        object.__setattr__(PROOF_LIMITS, name, most)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of a module: starting it takes a second."""
    with launched() as chromium:
        yield chromium


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Workers have a core each, and steal tests from one another, which keeps those of a module together.

    There may be no xdist at all. Threads of several workers would wait for one another in turns; what tests say
    about threads they say of a number that they give.
    """
    if getattr(config.option, "numprocesses", None):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        if config.option.dist == "no":
            config.option.dist = "worksteal"


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: the garbage collector need not look through them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What asks a browser takes long; with GRIDLANG_LONG properties and questions to models do too."""
    for item in items:
        asked = set(getattr(item, "fixturenames", ()))
        is_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if "browser" in asked or (LONG and (is_property or "few_worlds" in asked)):
            item.add_marker("long")
