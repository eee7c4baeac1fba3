"""What messengers and calendar programs add to an address changes nothing of a page or a calendar.
The API stays strict."""

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.http.routes import handlers
from tests.support.http.tournament_client import LiveCup
from tests.support.servers.live_server import Live, LiveMatch
from tests.support.waiting import wait_until

ADDED = "fbclid=x&utm_source=a%20b&gclid&_=1&nocache=1&nocache=1"


def pages() -> list[str]:
    """The addresses of everything that is no part of the API's description."""
    found = handlers("GET")
    return sorted(path for path, one in found if not one.resolve_include_in_schema())


@pytest.mark.parametrize("path", pages())
def test_a_page_ignores_parameters_that_it_does_not_know(
    live: Live, played: LiveMatch, spring: LiveCup, path: str
) -> None:
    there = path.format(
        match_id=played.id, match=played.id, tournament_id=spring.id, game="dollar-prize",
        name="api" if path.startswith("/docs") else "start.js",
    )  # fmt: skip
    plain, shared = live.anyone.get(there), live.anyone.get(f"{there}?{ADDED}")
    assert (shared.status_code, shared.content) == (plain.status_code, plain.content)
    assert shared.status_code != 400


def test_a_page_at_a_position_is_shared_at_that_position(live: Live, played: LiveMatch) -> None:
    there = f"/m/{played.id}?as=public&at=3"
    assert live.anyone.get(f"{there}&{ADDED}").content == live.anyone.get(there).content
    assert live.anyone.get(f"/m/{played.id}?at=null&{ADDED}").status_code == 400


def test_a_calendar_ignores_what_its_program_adds(live: Live, played: LiveMatch) -> None:
    made = live.organiser.post("/v1/calendars", {"match": played.id}).json()["link"]
    there = made.removeprefix(live.url)

    def is_the_same() -> bool:
        plain, asked = live.anyone.get(there), live.anyone.get(f"{there}&{ADDED}")
        return (asked.status_code, asked.content) == (200, plain.content)

    # The end of the match comes into calendars a moment after it.
    wait_until(is_the_same)


def test_the_api_stays_strict(live: Live, played: LiveMatch) -> None:
    for path in ("/v1/matches", f"/v1/matches/{played.id}/view", f"/v1/matches/{played.id}"):
        assert_problem(live.anyone.get(f"{path}?fbclid=x"), 400, "bad_request")
