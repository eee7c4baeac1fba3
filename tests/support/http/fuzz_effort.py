"""Effort of tests with generated input: short by default, ARBITER_FUZZ times as long if that is
set."""

import os

EFFORT = int(os.environ.get("ARBITER_FUZZ", "1"))
