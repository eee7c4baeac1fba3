"""`/v1/calendars` and `/v1/calendar.ics`: who may make one, what it shows, and that it can be taken
back."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from icalendar import Calendar

from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.instants import NOON, SECOND
from tests.support.servers.live_server import (
    Answer,
    Client,
    Json,
    Live,
    LiveMatch,
    body_of,
    serving,
)
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import wait_until
from tests.support.worlds_http_grouping_bw import GROUPS, NO_GROUPS, grouping
from tests.support.worlds_sealed_http import Timed, accepted

EXTENDED = {"kind": "extend", "seconds": 3_000, "reason": "the bus was late"}


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Timed]:
    clock = VirtualClock(NOON)
    with serving(tmp_path_factory.mktemp("calendars"), clock) as live:
        yield Timed(live, clock)


def made(client: Client, **of: object) -> Json:
    return body_of(client.post("/v1/calendars", of), 201)


def read(live: Live, calendar: Json, headers: dict[str, str] | None = None) -> Answer:
    parts = urlsplit(calendar["link"])
    return live.anyone.get(f"{parts.path}?{parts.query}", headers)


def events(live: Live, calendar: Json) -> dict[str, Any]:
    answer = read(live, calendar)
    assert answer.status_code == 200, answer.text
    return {str(one["uid"]): one for one in Calendar.from_ical(answer.content).walk("VEVENT")}


def shows(live: Live, calendar: Json, uid: str, status: str = "CONFIRMED") -> Any:
    """The event, once it is there with this status."""
    found: dict[str, Any] = {}

    def there() -> bool:
        found.update(events(live, calendar))
        return uid in found and found[uid]["status"] == status

    wait_until(there, failure=lambda: found)
    return found[uid]


def test_a_deadline_moves_under_its_uid_and_a_void_match_is_cancelled(timed: Timed) -> None:
    live, match = timed.live, grouping(timed).match
    calendar = made(match.seats[0].client)
    uid = f"deadline-{match.id}"
    before = shows(live, calendar, uid)
    assert str(before["summary"]).startswith("Deadline: ")
    accepted(match.moderator.client.post(f"{match.moderator.path}/rulings", EXTENDED))
    wait_until(lambda: events(live, calendar)[uid]["sequence"] > before["sequence"])
    after = events(live, calendar)[uid]
    assert after.decoded("dtstart") == before.decoded("dtstart") + timedelta(seconds=3_000)
    assert shows(live, calendar, f"match-{match.id}").decoded("dtstart").tzinfo is not None


def test_a_program_that_has_the_calendar_is_not_sent_it_again(timed: Timed) -> None:
    live, match = timed.live, timed.live.started("dollar-prize")
    calendar = made(live.organiser, match=match.id)
    shows(live, calendar, f"match-{match.id}")
    first = read(live, calendar)
    assert first.headers["content-type"] == "text/calendar; charset=utf-8"
    assert first.headers["cache-control"] == "private, no-cache"
    again = read(live, calendar, {"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert read(live, calendar).content == first.content


def test_a_tournament_has_its_matches_and_a_player_their_own(timed: Timed) -> None:
    live, spring = timed.live, cup(timed.live)
    first, second = started(spring, ("Ann", "Ben")), started(spring, ("Ann", "Cy"))
    everything = made(live.organiser, tournament=spring.id)
    of_ben = made(spring.player(1), player=1)
    assert of_ben["tournament"] == spring.id
    shows(live, everything, f"match-{second.id}")
    assert set(events(live, everything)) == {f"match-{first.id}", f"match-{second.id}"}
    assert set(events(live, of_ben)) == {f"match-{first.id}"}


def started(spring: LiveCup, seats: tuple[str, ...]) -> LiveMatch:
    match = spring.match(seats)
    assert match.moderator.start().status_code == 201
    return match


def test_its_address_can_be_taken_back_and_ends_with_its_key(timed: Timed) -> None:
    live = timed.live
    match = live.started("dollar-prize")
    mine, yours = (seat.client for seat in match.seats)
    calendar, other = made(mine), made(yours)
    (listed,) = mine.get("/v1/calendars").json()["calendars"]
    assert listed == {name: value for name, value in calendar.items() if name != "link"}
    path = f"/v1/calendars/{calendar['id']}"
    assert_problem(yours.send("DELETE", path), 404, "no_such_calendar")
    assert read(live, calendar).status_code == 200
    assert mine.send("DELETE", path).status_code == 204
    assert_problem(read(live, calendar), 404, "no_such_calendar")
    ended = next(
        key["id"]
        for key in live.organiser.get(f"{match.anyone.path}/keys").json()["keys"]
        if key["role"] == "seat:1"
    )
    assert live.organiser.send("DELETE", f"{match.anyone.path}/keys/{ended}").status_code == 204
    assert_problem(read(live, other), 404, "no_such_calendar")


def test_a_key_makes_calendars_of_what_it_is_for(timed: Timed) -> None:
    live, spring = timed.live, cup(timed.live)
    match, other = live.started("dollar-prize"), live.started("dollar-prize")
    seat = match.seats[0].client
    assert made(seat)["match"] == made(match.moderator.client)["match"] == match.id
    cases: list[tuple[Client, Json, int, str]] = [
        (seat, {"match": other.id}, 403, "not_allowed"),
        (seat, {"tournament": spring.id}, 403, "not_allowed"),
        (live.organiser, {}, 422, "match_or_tournament"),
        (live.organiser, {"match": str(uuid4())}, 404, "no_such_match"),
        (live.organiser, {"tournament": str(uuid4())}, 404, "no_such_tournament"),
        (live.organiser, {"tournament": spring.id, "player": 9}, 422, "no_such_player"),
        (live.organiser, {"match": match.id, "player": 0}, 422, "no_such_player"),
        (live.anyone, {}, 401, "key_missing"),
    ]
    for client, body, status, code in cases:
        assert_problem(client.post("/v1/calendars", body), status, code)
    for _ in range(19):
        made(seat)
    assert_problem(seat.post("/v1/calendars", {}), 409, "too_many_calendars")
    assert_problem(live.anyone.get("/v1/calendar.ics?token=x"), 404, "no_such_calendar")
    assert_problem(live.anyone.get("/v1/calendar.ics"), 400, "bad_request")


def test_no_token_is_stored_or_logged(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(tmp_path) as live:
        calendar = made(live.started("dollar-prize").seats[0].client)
        assert read(live, calendar).status_code == 200
    token = calendar["link"].partition("token=")[2]
    assert len(token) > 40
    assert token not in "".join(capfd.readouterr())
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or token.encode() not in file.read_bytes()


def test_no_calendar_differs_with_what_is_hidden(timed: Timed) -> None:
    """In one of two matches the other seat does nothing in a sealed phase, in the other it fails
    and submits. Both calendars are equal, but for the ids."""
    live = timed.live
    quiet, busy = grouping(timed).match, grouping(timed).match
    calendars = [(match, made(match.seats[0].client)) for match in (quiet, busy)]
    timed.pass_time()
    for action in ({"type": "fly"}, NO_GROUPS, GROUPS):
        busy.seats[1].act(action)
    for match, calendar in calendars:
        before = shows(live, calendar, f"deadline-{match.id}")["sequence"]
        accepted(match.moderator.client.post(f"{match.moderator.path}/rulings", EXTENDED))
        wait_until(
            lambda match=match, calendar=calendar, before=before: (  # type: ignore[misc]
                events(live, calendar)[f"deadline-{match.id}"]["sequence"] > before
            )
        )
    timed.pass_time(SECOND)
    first, second = (
        read(live, calendar).text.replace(match.id, "MATCH") for match, calendar in calendars
    )
    assert first == second
