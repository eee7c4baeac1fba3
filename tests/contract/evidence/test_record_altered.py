"""A damaged record on a real server: reading is 503, acting 409, and every other match goes on."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.http.match_play import assert_problem, step
from tests.support.instance.damage import a_microsecond_later, flip_in_file, rows_of
from tests.support.servers.instance_settings import KIND
from tests.support.servers.live_server import Json, LiveMatch, serving

pytestmark = pytest.mark.skipif(KIND != "sqlite", reason="the damage is done to a file")

TURNS = 8
SAME: Json = {"type": "end_turn"}


def bit_flipped(database: Path, match: UUID) -> None:
    """In the bytes of the file."""
    with rows_of(database, match) as rows:
        state = rows.all()[-3].state
    flip_in_file(database, state)


def content_changed(database: Path, match: UUID) -> None:
    """To other content that decodes."""
    with rows_of(database, match) as rows:
        rows.put(a_microsecond_later(rows.all()[-3]))


@pytest.mark.parametrize("damage", [bit_flipped, content_changed])
def test_a_damaged_record_is_closed_and_no_other(
    tmp_path: Path, damage: Callable[[Path, UUID], None]
) -> None:
    with serving(tmp_path) as live:
        match, other = (live.started("dollar-prize") for _ in range(2))
        for _ in range(TURNS):
            step(match)
    damage(tmp_path / "arbiter.db", UUID(match.id))
    with serving(tmp_path) as live:
        damaged = live.match(match.id, match.keys, match.moderator_key)
        intact = live.match(other.id, other.keys, other.moderator_key)
        assert_closed(damaged)
        assert step(intact) is not None
        assert intact.anyone.view().status_code == 200
        assert len(live.instance.closed) == 1


def assert_closed(match: LiveMatch) -> None:
    for player in (match.anyone, match.seats[0], match.moderator):
        for answer in (player.view(), player.events(), player.view(at=1), player.try_stream()):
            assert_problem(answer, 503, "record_altered")
            assert answer.headers["Retry-After"] == "60"
    for answer in (
        match.seats[0].act(SAME),
        match.moderator.close_phase(),
        match.seats[0].act(SAME, {"Idempotency-Key": "once"}),
    ):
        assert_problem(answer, 409, "record_altered")
    assert_problem(match.seats[0].menu(), 503, "record_altered")
