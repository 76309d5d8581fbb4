"""Tests share one cache folder of their own, and hypothesis one profile."""

import os
import tempfile

from hypothesis import HealthCheck, settings

os.environ.setdefault("GRIDLANG_CACHE", f"{tempfile.gettempdir()}/gridlang-tests-{os.getuid()}")
settings.register_profile("gridlang", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gridlang")
