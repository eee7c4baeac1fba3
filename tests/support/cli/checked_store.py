"""What `arbiter check` finds in a store."""

from pathlib import Path
from typing import Any

import msgspec

from tests.support.cli.store_with_history import run

Found = list[tuple[str, str | None, int | None]]
"""The part, the stream and the position of each finding."""


def report(folder: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    done = run("check", "--json", "--data", folder, *arguments)
    assert done.output.startswith("{"), done.output
    return done.exit_code, msgspec.json.decode(done.output)


def findings(folder: Path, *arguments: object) -> Found:
    """What is found, which is something."""
    status, found = report(folder, *arguments)
    assert (status, found["status"]) == (1, "damaged")
    assert all(one["advice"] for one in found["findings"])
    return [(one["part"], one.get("stream"), one.get("position")) for one in found["findings"]]
