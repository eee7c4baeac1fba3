"""Lists across a tournament: of what is its own, and of all its matches."""

import re
from typing import Any

import pytest

from service.http.requests import across
from tests.support.http.case_client import opened
from tests.support.http.match_keys import issued
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import rule
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import Client, Json, Live, LiveMatch

OWN = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{16}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
)
"""What each world has of its own: instants and ids."""


def rows(spring: LiveCup, who: Client, listing: str, **asked: Any) -> list[Json]:
    """All pages of a list."""
    found: list[Json] = []
    after = 0
    while after is not None:
        answer = who.get(f"{spring.path}/{listing}", after=after, **asked)
        assert answer.status_code == 200, answer.text
        assert answer.headers["cache-control"] == "private, no-cache"
        page = answer.json()
        assert len(page[listing]) <= asked.get("limit", 100)
        found, after = found + page[listing], page["next"]
    return found


def matches(listed: list[Json]) -> list[str | None]:
    """The matches of rows, each once, in order."""
    return list(dict.fromkeys(row["match"] for row in listed))


@pytest.fixture
def two(spring: LiveCup) -> tuple[LiveMatch, LiveMatch]:
    """Two matches, the first of which Mo moderates. Each has a note for all, one for its staff, and
    a case of its first seat; the tournament has a case of Ben about Ann, and seeds."""
    one, two = spring.match(("Ann", "Ben")), spring.match(("Ben", "Cy"))
    assert spring.give(one).status_code == 201
    for match in (one, two):
        for to in ("public", "sealed"):
            made = rule(match.moderator, "note", to=to, text=to, severity="warning")
            assert made.status_code == 201, made.text
        opened(match.seats[0], says="It was unfair.")
    about = {"about": {"player": 0}, "says": "They have entered twice."}
    assert spring.player(1).post(f"{spring.path}/cases", about).status_code == 201
    seeds = {"kind": "seed", "order": [1, 0], "reason": "Mixed up."}
    seen = spring.post("rulings", seeds | {"preview": True}).headers["etag"]
    made = spring.live.judge.post(f"{spring.path}/rulings", seeds, {"If-Match": seen})
    assert made.status_code == 201, made.text
    return one, two


def test_rulings_are_listed_as_each_list_shows_them(
    spring: LiveCup, two: tuple[LiveMatch, LiveMatch]
) -> None:
    live, other = spring.live, two[1]

    def told(who: Client, **asked: Any) -> list[tuple[str | None, str, str | None]]:
        listed = rows(spring, who, "rulings", **asked)
        return [(row["match"], row["kind"], row.get("to")) for row in listed]

    seeds = (None, "seed", None)
    public = [(match.id, "note", "public") for match in two]
    sealed = [(match.id, "note", "sealed") for match in two]
    assert told(live.anyone) == [seeds, *public]
    assert told(spring.moderator()) == [seeds, public[0], sealed[0], public[1]]
    assert told(live.organiser, limit=1) == told(live.organiser) == [seeds, *public]
    assert told(live.anyone, kind="seed") == told(live.anyone, matches="false") == [seeds]
    assert told(live.anyone, kind="note", match=other.id) == [public[1]]
    assert told(live.organiser, person="judge judy") == [seeds]
    at = rows(spring, live.anyone, "rulings", match=other.id)[0]["at"]
    assert told(live.anyone, until=at) == [public[0]]
    assert told(live.anyone, since=at) == [seeds, public[1]]


def test_cases_are_listed_for_those_who_can_read_them(
    spring: LiveCup, two: tuple[LiveMatch, LiveMatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    live, (one, other) = spring.live, two

    def told(who: Client, **asked: Any) -> list[str | None]:
        return [row["match"] for row in rows(spring, who, "cases", **asked)]

    assert told(live.organiser) == [None, one.id, other.id]
    monkeypatch.setattr(across, "MOST_MATCHES", 1)
    assert told(live.organiser, limit=1) == [None, one.id, other.id]
    assert told(spring.moderator()) == [None, one.id]
    assert [told(spring.player(number)) for number in range(3)] == [[one.id], [None, other.id], []]
    assert told(live.anyone) == []
    assert told(live.organiser, person="BEN") == [None, other.id]
    assert told(live.organiser, match=one.id) == [one.id]
    about = [row["about"] for row in rows(spring, live.organiser, "cases")]
    assert [about[0]["player"], *about[1:]] == [0, None, None]


def test_staff_see_who_has_read_what_of_their_matches(
    spring: LiveCup, two: tuple[LiveMatch, LiveMatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    live, (one, other) = spring.live, two
    assert spring.moderator().get(f"/v1/matches/{one.id}/view").status_code == 200
    assert spring.player(1).get(f"/v1/matches/{other.id}/view").status_code == 200

    def told(who: Client, **asked: Any) -> list[tuple[str, str, str]]:
        listed = rows(spring, who, "reads", **asked)
        return [(row["match"], row["person"], row["as"]) for row in listed]

    by_mo, by_ben = (one.id, "Mo", "moderator"), (other.id, "Ben", "seat:0")
    assert {by_mo, by_ben} <= set(told(live.judge))
    assert matches(rows(spring, spring.moderator(), "reads")) == [one.id]
    assert by_ben in told(live.judge, person="BEN", match=other.id)
    begun = rows(spring, live.judge, "reads", person="Ben", match=other.id)[0]["first"]
    assert told(live.judge, person="Ben", match=other.id, until=begun) == []
    assert by_ben in told(live.judge, person="Ben", since=begun)
    monkeypatch.setattr(across, "MOST_MATCHES", 1)
    assert told(live.judge, limit=1) == told(live.judge)
    # To see them was a look at each, at those of the cases about the tournament, too.
    looks = {(match, "Judge Judy", "moderator") for match in (None, one.id, other.id)}
    assert looks <= set(told(live.judge))
    assert told(spring.moderator(1)) == []
    assert_problem(spring.player(0).get(f"{spring.path}/reads"), 403, "not_allowed")
    assert_problem(live.anyone.get(f"{spring.path}/reads"), 401, "key_missing")


def test_keys_are_listed_for_those_who_direct(
    spring: LiveCup, two: tuple[LiveMatch, LiveMatch]
) -> None:
    live, (one, other) = spring.live, two
    listed = rows(spring, live.organiser, "keys")
    roles = [(row["match"], row["role"], row["name"]) for row in listed]
    assert roles[:3] == [(None, f"player:{n}", name) for n, name in enumerate(["Ann", "Ben", "Cy"])]
    assert (None, "moderator:0", "Mo") in roles and (other.id, "seat:1", "Cy") in roles
    assert next(row for row in listed if row["role"] == "player:1")["last_used"]
    assert rows(spring, live.organiser, "keys", person="Cy", match=other.id) == [
        row for row in listed if (row["match"], row["role"]) == (other.id, "seat:1")
    ]
    assert matches(rows(spring, spring.moderator(), "keys", limit=1)) == [one.id]
    assert_problem(spring.player(0).get(f"{spring.path}/keys"), 403, "not_allowed")


def test_two_worlds_that_differ_in_what_is_hidden_of_matches_are_one_to_others(live: Live) -> None:
    """What moderators note, what a seat says, what is pending and who has which key."""
    received = []
    for hidden in (False, True):
        spring = cup(live)
        first, last = spring.match(("Ann", "Ben")), spring.match(("Ben", "Cy"))
        if hidden:
            for to in ("sealed", "seat:0"):
                rule(first.moderator, "note", to=to, text="Hm.", severity="warning")
            rule(first.moderator, "extend", seconds=60, ask_seats=True)
            opened(first.seats[0], says="It was unfair.")
            issued(first, {"role": "seat:0", "name": "Ann"})
        assert spring.give(last).status_code == 201
        rule(last.moderator, "note", to="public", text="Seen.", severity="warning")
        for who in (live.anyone, spring.player(2), spring.moderator(0), spring.moderator(1)):
            for listing in ("rulings", "cases", "keys", "reads"):
                for after in (0, 1, across.PLACES, across.PLACES + 1, 2 * across.PLACES):
                    answer = who.get(f"{spring.path}/{listing}", after=after, limit=1)
                    same = answer.text.replace(first.id, "FIRST").replace(last.id, "LAST")
                    received.append((hidden, answer.status_code, OWN.sub("…", same)))
    half = len(received) // 2
    assert [one[1:] for one in received[:half]] == [one[1:] for one in received[half:]]
