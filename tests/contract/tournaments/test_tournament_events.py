"""The public events of a tournament: numbered pages that caches may keep, and one live stream."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.contract.tournaments.test_stages import NAMES, added, played, publish
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import NDJSON, Answer, Json, Live, Player
from tests.support.waiting import wait_until


@pytest.fixture
def four(live: Live) -> LiveCup:
    return cup(live, players=NAMES, moderators=["Mo"], garnets={"Ann": 3})


def events(spring: LiveCup, **query: Any) -> Answer:
    return spring.live.anyone.get(f"{spring.path}/events", **query)


def every(spring: LiveCup) -> list[Json]:
    found: list[Json] = events(spring, limit=1000).json()["events"]
    return found


def finished(spring: LiveCup) -> None:
    """The tournament after all its rounds, closed."""
    added(spring, format="round_robin", seeding="entry")
    for number in (1, 2, 3):
        assert publish(spring).status_code == 201
        played(spring, number)
    assert spring.post("stages/1/close", {}).status_code == 201
    assert spring.post("close", {}).status_code == 201


def lines_of(response: httpx.Response) -> Iterator[Json]:
    return (json.loads(line) for line in response.iter_lines() if line)


def test_events_are_the_publics_numbered_without_gaps(four: LiveCup) -> None:
    shown = every(four)
    assert [line["seq"] for line in shown] == list(range(1, len(shown) + 1))
    assert all(line["public_seq"] == line["seq"] for line in shown)
    kinds = [line["type"] for line in shown]
    assert kinds[0] == "tournament.created.1"
    assert kinds.count("tournament.player-named.1") == 4
    assert not any("garnets" in kind or "request" in kind for kind in kinds)
    assert kinds[-1] == "tournament.lots-committed.1"


def test_what_is_hidden_takes_no_number(four: LiveCup) -> None:
    before = events(four)
    given = {"player": 1, "amount": 5, "reason": "a gift"}
    assert four.post("garnets", given, key="gift").status_code == 201
    after = events(four)
    assert (after.content, after.headers["etag"]) == (before.content, before.headers["etag"])


def test_pages_are_the_same_bytes_for_everyone_and_full_ones_for_ever(four: LiveCup) -> None:
    first = events(four, limit=3)
    # A name may be withheld.
    assert first.headers["cache-control"] == "public, max-age=300"
    alone = events(four, after=1, limit=1)
    assert alone.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert four.player(0).get(f"{four.path}/events", limit=3).content == first.content
    assert first.json()["next"] == 3
    last = events(four, after=3, limit=1000)
    assert last.headers["cache-control"] == "public, max-age=1"
    assert last.json()["next"] is None
    assert last.json()["events"][0]["seq"] == 4
    headers = {"If-None-Match": first.headers["etag"]}
    known = four.live.anyone.get(f"{four.path}/events", headers, limit=3)
    assert known.status_code == 304


def test_a_page_may_wait_for_the_next_event(four: LiveCup) -> None:
    after = len(every(four))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(events, four, after=after, wait=30)
        wait_until(lambda: bool(four.live.instance.broadcast.followed))
        added(four)
        answer = asked.result()
    assert [line["type"] for line in answer.json()["events"]] == ["tournament.stage-added.1"]


def test_numbers_not_reached_yet_are_refused(four: LiveCup) -> None:
    assert_problem(events(four, after=1000), 409, "history_went_back")
    stream = Player(four.live.anyone, four.id, kind="tournaments")
    assert_problem(stream.try_stream({"Last-Event-ID": "1000"}), 409, "history_went_back")


def test_a_stream_has_every_event_to_the_close_and_says_which_matches_grow(four: LiveCup) -> None:
    anyone = Player(four.live.anyone, four.id, kind="tournaments")
    with ThreadPoolExecutor(1) as pool, anyone.stream({"Accept": NDJSON}, after=0) as response:
        playing = pool.submit(finished, four)
        said = list(lines_of(response))
        playing.result()
    numbered = [line for line in said if "seq" in line and "end" not in line]
    assert numbered == every(four)
    assert said[-1] == {"end": True, "seq": len(numbered)}
    grown = [line["data"] for line in said if line.get("type") == "match-grown"]
    matches = {row["match"] for row in four.shown()["matches"]}
    assert {one["match"] for one in grown} <= matches
    assert grown, "some match has grown while the stream was open"
    for one in grown:
        assert one["public_seq"] <= _public_seq(four, one["match"])
    again = anyone.try_stream({"Last-Event-ID": str(len(numbered))})
    assert again.status_code == 204


def _public_seq(spring: LiveCup, match: str) -> int:
    view = spring.live.anyone.get(f"/v1/matches/{match}/view", as_="public").json()
    seq: int = view["seq"]
    return seq


def test_what_is_hidden_in_a_match_is_not_said_in_the_stream_of_its_tournament(live: Live) -> None:
    """A note for one seat is hidden from the public; a public one is said."""
    spring = cup(live, players=["Ann", "Ben"], moderators=["Mo"])
    match = spring.match()
    assert match.moderator.start().status_code == 201
    anyone = Player(live.anyone, spring.id, kind="tournaments")
    with anyone.stream({"Accept": NDJSON}, after=0) as response:
        lines = lines_of(response)
        while next(lines)["type"] != "tournament.match-added.1":
            pass
        for to in ("seat:0", "sealed", "public"):
            note = {"kind": "note", "to": to, "text": "Well.", "severity": "clarification"}
            rulings = f"{match.moderator.path}/rulings"
            said = match.moderator.client.post(rulings, note | {"reason": "asked"})
            assert said.status_code == 201, said.text
        grown = next(lines)
    assert grown["data"] == {"match": match.id, "public_seq": _public_seq(spring, match.id)}
