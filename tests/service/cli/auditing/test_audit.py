"""`arbiter audit` on the store: every event of a match, for people, programs and each audience."""

import io
import re
from base64 import b64encode
from pathlib import Path
from uuid import UUID

import pytest
from rich.console import Console

from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.commands import Act
from domain.match.events import SealedDrawSettled
from projections.audience.disclosure import PUBLIC_VIEWER, name_audience
from service.event_store.recorder import Row
from service.event_store.store import Store
from service.settings import read_settings
from tests.recorded.files import outcome, records
from tests.support.cli.audit_runs import (
    NAMES,
    SEEDED,
    Run,
    as_one_line,
    command,
    lines,
    seats_of,
    store_match,
    store_records,
)
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import as_sent
from tests.support.tables.match_table import MATCH, seated
from tests.support.tables.own_events import own_record

DRAWN = [name for name in NAMES if name.endswith(".seeded")]
"""One match of every game."""


# For people.


@pytest.mark.parametrize("name", NAMES)
def test_events_and_new_dates_have_rows_in_plain_text_of_80_columns(
    run: Run, tmp_path: Path, name: str
) -> None:
    shown = run(store_match(tmp_path, name), "--all")
    assert shown.exit_code == 0, shown.output
    assert "\x1b" not in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    rows = r"^ *(?:p(\d+))? +(\d+) +(?:p?\d+ )? *\d\d:\d\d:\d\d"
    numbers = re.findall(rows, shown.stdout, re.MULTILINE)
    assert [int(own) for _, own in numbers] == list(range(1, len(records(name)) + 1))
    public = [int(number) for number, _ in numbers if number]
    assert public == list(range(1, len(own_record(PUBLIC_VIEWER, records(name))) + 1))
    days = [line["at"][:10] for line in lines(run(outcome(name).match, "--json"))]
    changes = [day for before, day in zip(["", *days], days, strict=False) if day != before]
    assert re.findall(r"^ +(\d{4}-\d\d-\d\d) *$", shown.stdout, re.MULTILINE) == changes


def test_a_row_shows_actor_event_time_cause_and_readers(run: Run, tmp_path: Path) -> None:
    shown = as_one_line(run(store_match(tmp_path, SEEDED)).stdout)
    assert "Grouping Black & White 608785a1-63a2-4ffc-922c-aa6b066f487b 294 events" in shown
    assert 'p5 7 12:00:00 Ann Ann adds to the public chance: "dice"' in shown
    assert "13 12:00:00 Ann Ann sends: group the Ann tiles, a 7 16, b -1 -1 4, c" in shown
    assert "14 13 12:00:00 rules It is refused: wrong Ann phase; seat Ann wrong_phase:" in shown
    assert "p10 15 12:02:00 clock Time is up; phase public starter" in shown
    assert "25 p14 12:04:00 dealer Drawn in secret: 4 2 moderators 3 7 6 8 1 0 5" in shown
    assert shown.endswith("3 refused or invalid ")


def test_late_records_are_shown_with_both_times(run: Run, tmp_path: Path) -> None:
    side = ChooseSide("heads")
    midnight = NOON + 12 * 3600 * SECOND
    table = seated(GAMES["dollar-prize"]).when(START)
    table.when(Act(0, side, as_sent(side), recorded=midnight + SECOND), midnight - SECOND)
    store_records(tmp_path, MATCH, table.records)
    shown = run(MATCH).stdout
    assert as_one_line(shown).count("Ann sends: choose a") == 1
    assert shown.count("recorded 2026-01-02 00:00:01") == 1
    received = lines(run(MATCH, "--json"))[6]
    assert received["at"] == "2026-01-01T23:59:59Z"
    assert received["recorded"] == "2026-01-02T00:00:01Z"


def test_a_terminal_gets_colours(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    colours = Console(file=file, force_terminal=True, color_system="standard", width=100)
    monkeypatch.setattr(command, "out", colours)
    run(store_match(tmp_path, SEEDED))
    assert "\x1b[31mwrong_phase" in file.getvalue()


# For programs.


def test_a_line_of_json(run: Run, tmp_path: Path) -> None:
    shown = lines(run(store_match(tmp_path, SEEDED), "--json"))[24]
    event = records(SEEDED)[24].event
    assert isinstance(event, SealedDrawSettled) and event.key_commit is not None
    key_commit = b64encode(event.key_commit).decode()
    assert shown == {
        "number": 25,
        "public_seq": None,
        "what": "Drawn in secret: 4 2 3 7 6 8 1 0 5; id set1/grouping/1; by server",
        "type": "match.sealed-draw-settled.1",
        "at": "2026-01-01T12:04:00Z",
        "recorded": "2026-01-01T12:04:00Z",
        "actor": "dealer",
        "input": False,
        "cause": 21,
        "code": None,
        "rule": None,
        "seen_by": "moderator",
        "housekeeping": False,
        "undone_by": None,
        "data": {
            "id": "set1/grouping/1",
            "outcome": [[4, 2, 3, 7, 6, 8, 1, 0, 5]],
            "by": "server",
            "key_commit": key_commit,
        },
    }


# For one audience.


@pytest.mark.parametrize("name", NAMES)
def test_no_shown_byte_depends_on_what_the_audience_may_not_see(
    run: Run, tmp_path: Path, name: str
) -> None:
    match, played = store_match(tmp_path / "whole", name), records(name)
    for viewer in (PUBLIC_VIEWER, *seats_of(played)):
        own = tmp_path / f"own-{viewer}"
        store_records(own, match, own_record(viewer, played))
        # The table is slow to draw, and drawn from the same entries as the lines.
        for more in ((), ("--json",)) if viewer == 0 and name in DRAWN else (("--json",),):
            arguments = (match, "--as", name_audience(viewer), *more)
            shown = run(*arguments, data=tmp_path / "whole")
            assert shown.exit_code == 0, shown.output
            assert shown.stdout_bytes == run(*arguments, data=own).stdout_bytes


@pytest.mark.parametrize("audience", ["seat:2", "seat:-1", "nobody", "seat:", ""])
def test_an_unknown_audience_sees_nothing(run: Run, tmp_path: Path, audience: str) -> None:
    shown = run(store_match(tmp_path, SEEDED), "--as", audience)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert f"no such audience here: {audience}" in shown.stderr


# What cannot be shown.


@pytest.mark.parametrize("match", ["0199aa00-0000-7000-8000-00000000ffff", "no-such-file.arb", "x"])
def test_an_unknown_match_is_not_shown(run: Run, tmp_path: Path, match: str) -> None:
    store_match(tmp_path, SEEDED)
    shown = run(match)
    assert (shown.exit_code, shown.stdout) == (1, "")
    reason = "there is no such match" if "-" in match and "." not in match else "neither the id"
    assert reason in shown.stderr


def test_a_record_that_cannot_be_read_is_an_error_and_no_crash(run: Run, tmp_path: Path) -> None:
    store = Store(read_settings(tmp_path).store)
    store.append([Row(UUID(MATCH).hex, 1, "match.created.1", b"\x93\x00\x00\x80")])
    store.close()
    shown = run(MATCH)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert "the record cannot be read" in shown.stderr


def test_without_a_store_no_match_is_shown(run: Run, tmp_path: Path) -> None:
    shown = run(MATCH, data=tmp_path / "empty")
    assert shown.exit_code == 1 and "there is no store" in shown.stderr
