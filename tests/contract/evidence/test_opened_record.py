"""`record`: who may read everything once a match is over."""

from tests.support.http.match_play import all_events, ndjson
from tests.support.servers.live_server import NDJSON, LiveMatch


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
