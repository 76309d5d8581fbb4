"""What tests of the playground in a browser share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gridlang.compiler.local_pages import LocalServer, folder_pages
from gridlang.compiler.playground.build import BUILT
from tests.support.browser import launched


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """One browser for all tests of this folder."""
    with launched() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer(folder_pages(BUILT)) as local:
        yield local
