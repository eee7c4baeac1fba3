"""`arbiter audit` run on the recorded matches, and its output."""

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from domain.events import Event, Record
from domain.match.events import MatchCreated
from projections.audience.disclosure import MODERATOR, Viewer
from service.cli.auditing.audit import audit
from service.event_store.store import Store
from service.settings import read_settings
from tests.recorded.files import outcome, recorded, records
from tests.support.evidence.signed_bundles import bundled, log_of
from tests.support.instance.appended_records import append_records

command = import_module("service.cli.auditing.audit")
"""The module; its name in the package is the name of the command."""

NAMES = [name for name in recorded() if name.endswith((".seeded", ".reapplied", ".ruled"))]
"""One match of every game, one that was rewound, and two with other rulings."""

SEEDED = "grouping-bw.seeded"

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command on the store in a folder, with its output redirected to a file."""
    monkeypatch.setattr(command, "out", Console(highlight=False, width=80))
    monkeypatch.setattr(command, "err", Console(highlight=False, width=80, stderr=True))

    def running(*arguments: str, data: Path = tmp_path, typed: str | None = None) -> Result:
        return CliRunner().invoke(audit, [*arguments, "--data", str(data)], input=typed)

    return running


def store_records(folder: Path, match: str, played: Sequence[Record[Event]]) -> None:
    """Puts a record into the store of a folder."""
    folder.mkdir(exist_ok=True)
    store = Store(read_settings(folder).store)
    append_records(store, UUID(match), played)
    store.close()


def store_match(folder: Path, name: str, played: Sequence[Record[Event]] | None = None) -> str:
    """Puts a recorded match, or a part of it, into the store of a folder; returns its id."""
    store_records(folder, outcome(name).match, records(name) if played is None else played)
    return outcome(name).match


def bundle_of(folder: Path, name: str, viewer: Viewer = MODERATOR) -> str:
    """A bundle of a recorded match, as a file."""
    path = folder / "match.arb"
    path.write_bytes(bundled(log_of(records(name), outcome(name).match), viewer))
    return str(path)


def lines(shown: Result) -> list[dict[str, Any]]:
    assert shown.exit_code == 0, shown.output
    return [msgspec.json.decode(line) for line in shown.stdout.splitlines()]


def seats_of(played: Sequence[Record[Event]]) -> range:
    created = played[0].event
    assert isinstance(created, MatchCreated)
    return range(created.seats)


def as_one_line(text: str) -> str:
    """The text without the line breaks and gaps that a table adds."""
    return re.sub(r"\s+", " ", text)
