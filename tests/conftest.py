"""Tests share one cache folder of their own; hypothesis draws anew each time, except in CI."""

import os
import tempfile

from hypothesis import HealthCheck, settings

os.environ.setdefault("GRIDLANG_CACHE", f"{tempfile.gettempdir()}/gridlang-tests-{os.getuid()}")
settings.register_profile("gridlang", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("gridlang"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "gridlang")
