"""`record`: who may read everything once a match is over."""

import pytest

from tests.support.http.match_play import all_events, assert_problem, ndjson
from tests.support.servers.live_server import NDJSON, Live, LiveMatch


def test_anyone_may_read_an_opened_record_as_moderator(played: LiveMatch) -> None:
    expected = all_events(played.moderator)
    for player in (played.anyone, played.organiser, *played.seats):
        assert all_events(player, "moderator") == expected


def test_an_opened_record_is_viewed_at_any_position(played: LiveMatch) -> None:
    last = played.moderator.view().json()["seq"]
    for at in range(0, last + 1, 5):
        assert played.anyone.view("moderator", at).content == played.moderator.view(at=at).content


def test_an_opened_record_is_streamed_too(played: LiveMatch) -> None:
    with played.anyone.stream({"Accept": NDJSON}, as_="moderator", after=0) as response:
        assert list(ndjson(response)) == all_events(played.moderator)


def test_a_key_still_shows_its_own_audience_by_default(played: LiveMatch) -> None:
    for name, player in played.audiences().items():
        assert player.view().json()["audience"] == name


@pytest.mark.parametrize("asked", ["moderator", "seat:0", "seat:1"])
def test_a_closed_record_stays_with_the_moderators(played_closed: LiveMatch, asked: str) -> None:
    for player in (played_closed.anyone, played_closed.organiser):
        assert_problem(player.events(asked), 403, "not_allowed")
        assert_problem(player.view(asked), 403, "not_allowed")
    assert played_closed.moderator.events(asked).status_code == 200
    other = played_closed.seats[1 if asked == "seat:0" else 0]
    assert_problem(other.events(asked), 403, "not_allowed")


@pytest.mark.parametrize("record", ["opened_at_end", "closed"])
@pytest.mark.parametrize("started", [False, True])
def test_no_record_is_open_before_the_end(live: Live, record: str, started: bool) -> None:
    match = live.create("twelve-chips", record=record)
    if started:
        match.moderator.start()
    for player in (match.anyone, match.organiser, *match.seats):
        assert_problem(player.events("moderator"), 403, "not_allowed")
    assert_problem(match.seats[0].events("seat:1"), 403, "not_allowed")
