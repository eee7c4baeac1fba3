"""`arbiter replay` of a match in the store and in a bundle: the same positions."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from domain.match.events import SeatNamed
from projections.audience.disclosure import Viewer
from service.cli import main
from service.cli.auditing.audit_sources import UNVERIFIED
from tests.recorded.files import outcome, records
from tests.support.cli.audit_runs import bundle_of, store_match
from tests.support.evidence.signed_bundles import bundled, log_of

TOLD, REWOUND, RULED = "liars-dice.seeded", "grouping-bw.rewound", "dollar-prize.ruled"

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command, with a store in a folder of its own."""
    monkeypatch.delenv("ARBITER_MATCH_KEY", raising=False)

    def running(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["replay", *arguments, "--data", str(tmp_path / "data")])

    return running


def shown(run: Run, *arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def said(run: Run, *arguments: str) -> str:
    """What is said of an error, without its frame."""
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (1, ""), done.output
    return " ".join(done.stderr.replace("│", " ").split())


def has(printed: str, fields: Mapping[str, Any]) -> bool:
    """Whether an object in JSON has these fields, with these values."""
    found = msgspec.json.decode(printed)
    return bool({**found, **fields} == found)


@pytest.mark.parametrize("name", [TOLD, REWOUND])
def test_a_bundle_shows_what_the_store_shows(name: str, run: Run, tmp_path: Path) -> None:
    """Every audience, at its end and before, with its events, and after a rewind."""
    match, bundle = store_match(tmp_path / "data", name), bundle_of(tmp_path, name)
    for audience, view in outcome(name).views.items():
        asked = ("--as", audience)
        assert has(shown(run, match, *asked), view)
        assert shown(run, bundle, *asked) == shown(run, match, *asked)
        before = ("--as", audience, "--at", "9")
        assert shown(run, bundle, *before) == shown(run, match, *before)


@pytest.mark.parametrize("viewer", [0, "public"])
def test_a_bundle_is_shown_as_its_reader_sees_it(viewer: Viewer, run: Run, tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, TOLD, viewer)
    audience = "public" if viewer == "public" else "seat:0"
    done = run(bundle)
    assert has(done.stdout, outcome(TOLD).views[audience])
    assert done.stderr.startswith(UNVERIFIED)
    match = store_match(tmp_path / "data", TOLD)
    asked = ("--as", audience)
    assert shown(run, bundle, *asked) == shown(run, match, *asked)
    assert "does not open all that seat:1 may see" in said(run, bundle, "--as", "seat:1")


@pytest.mark.parametrize("content", [b"", b"\xff\xfea", b"PK\3\4", b"PK\3\4" + b"\0" * 200])
def test_what_is_no_bundle_is_an_error(content: bytes, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "match.arb"
    path.write_bytes(content)
    error = said(run, str(path))
    assert "this bundle cannot be shown" in error


def test_a_name_stands_for_its_seat_also_a_former_one(run: Run, tmp_path: Path) -> None:
    match = store_match(tmp_path / "data", RULED)
    who = msgspec.json.decode(shown(run, match))["seats"]
    assert who == ["Ann", "Zoe"]
    asked = shown(run, match, "--as", "seat:1")
    for name in ("zoe", "ZOE", "Ben"):
        assert shown(run, match, "--as", name) == asked
    assert "no such audience here: Nobody" in said(run, match, "--as", "Nobody")
    assert "no such audience here: seat:9" in said(run, match, "--as", "seat:9")


@pytest.mark.parametrize("at", ["p6", "-1", "six"])
def test_what_is_no_number_of_an_event_is_not_understood(at: str, run: Run, tmp_path: Path) -> None:
    done = run(store_match(tmp_path / "data", TOLD), "--at", at)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--at" in done.stderr


def test_without_its_hyphens_an_id_is_the_same(run: Run, tmp_path: Path) -> None:
    match = store_match(tmp_path / "data", TOLD)
    assert shown(run, match.replace("-", "").upper()) == shown(run, match)
    assert "neither the id of a match nor a file" in said(run, match[:9])


def test_a_forged_bundle_does_not_move_the_cursor(run: Run, tmp_path: Path) -> None:
    """Who has made it may have written anything into it."""
    forged = [
        replace(record, event=replace(record.event, name="\x1b[2J"))
        if isinstance(record.event, SeatNamed)
        else record
        for record in records(TOLD)
    ]
    path = tmp_path / "match.arb"
    path.write_bytes(bundled(log_of(forged, outcome(TOLD).match)))
    assert "\x1b" not in shown(run, str(path), "--as", "moderator")
    assert "\x1b" not in said(run, str(path), "--as", "Nobody")
