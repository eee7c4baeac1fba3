"""`GET /v1/matches/{id}/events`: an audience's events, numbered without gaps, page by page."""

import pytest

from tests.support.http.match_play import all_events
from tests.support.servers.live_server import Json, LiveMatch

AUDIENCES = ["public", "seat:0", "seat:1", "moderator"]


def walked(match: LiveMatch, audience: str, limit: int) -> list[Json]:
    """All events of the audience, as a client walks the pages."""
    events: list[Json] = []
    after: int | None = 0
    while after is not None:
        page = match.moderator.events(audience, after, limit).json()
        assert set(page) == {"events", "next"}
        assert len(page["events"]) <= limit
        events += page["events"]
        after = page["next"]
    return events


@pytest.mark.parametrize("audience", AUDIENCES)
def test_an_event_is_its_number_time_type_and_data(played: LiveMatch, audience: str) -> None:
    for event in all_events(played.moderator, audience):
        assert list(event) == ["seq", "public_seq", "at", "type", "data"]
        assert event["at"].endswith("Z")
        assert isinstance(event["data"], dict)


@pytest.mark.parametrize("limit", [1, 7, 1_000])
@pytest.mark.parametrize("audience", ["public", "seat:1"])
def test_pages_of_any_size_give_the_same_events(
    played: LiveMatch, audience: str, limit: int
) -> None:
    assert walked(played, audience, limit) == all_events(played.moderator, audience)
