"""What tests of the playground in a browser share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gridlang.compiler.local_pages import LocalServer, folder_pages
from gridlang.compiler.playground.build import BUILT


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer(folder_pages(BUILT)) as local:
        yield local
