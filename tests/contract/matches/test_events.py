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


def test_no_page_follows_one_that_ends_with_the_last_event(played: LiveMatch) -> None:
    last = played.anyone.view("public").json()["seq"]
    page = played.anyone.events("public", after=0, limit=last).json()
    assert (len(page["events"]), page["next"]) == (last, None)


def test_after_the_last_event_the_page_is_empty(chips: LiveMatch) -> None:
    last = chips.anyone.view().json()["seq"]
    assert chips.anyone.events(after=last).json() == {"events": [], "next": None}
