"""Without selenium, which the environment of ``make test-browser`` has, there is nothing to collect here."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("selenium") else ["test_*.py"]
