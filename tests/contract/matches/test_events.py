"""`GET /v1/matches/{id}/events`: an audience's events, numbered without gaps, page by page."""

from typing import Any

import pytest

from tests.support.http.match_play import all_events, assert_problem
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


@pytest.mark.parametrize("audience", AUDIENCES)
def test_every_audience_counts_from_1_without_gaps(played: LiveMatch, audience: str) -> None:
    numbers = [event["seq"] for event in all_events(played.moderator, audience)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers[-1] == played.moderator.view(audience).json()["seq"]


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


def test_events_never_change(chips: LiveMatch) -> None:
    before = {name: all_events(player) for name, player in chips.audiences().items()}
    chips.seats[0].act(chips.seats[0].menu().json()["actions"][0]["examples"][0])
    for name, player in chips.audiences().items():
        assert all_events(player)[: len(before[name])] == before[name]


def test_the_public_receives_only_what_all_receive(played: LiveMatch) -> None:
    def facts(audience: str) -> list[str]:
        return [
            f"{e['at']} {e['type']} {e['data']}" for e in all_events(played.moderator, audience)
        ]

    public = facts("public")
    for audience in ("seat:0", "seat:1", "moderator"):
        rest = iter(facts(audience))
        assert all(fact in rest for fact in public), "in the same order"


def test_a_hand_is_dealt_to_its_seat_alone(chips: LiveMatch) -> None:
    for name, player in chips.audiences().items():
        dealt = [e["data"]["seat"] for e in all_events(player) if "hand-dealt" in e["type"]]
        assert dealt == {"public": [], "seat:0": [0], "seat:1": [1], "moderator": [0, 1]}[name]


@pytest.mark.parametrize("query", [{"after": -1}, {"limit": 0}, {"limit": 10**9}], ids=str)
def test_an_invalid_query_is_400(chips: LiveMatch, query: dict[str, Any]) -> None:
    answer = chips.anyone.client.get(f"{chips.anyone.path}/events", **query)
    assert_problem(answer, 400, "bad_request")


def test_an_unknown_audience_is_400(chips: LiveMatch) -> None:
    assert_problem(chips.moderator.events("everyone"), 400, "bad_audience")
