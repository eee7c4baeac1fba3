"""Another person takes over a seat: `replace_seat` (rulings, section 3)."""

import re
import time
from contextlib import ExitStack

import msgspec
import pytest
from msgspec import Raw, Struct

from tests.support.http.match_keys import issued, listed, request_ticket, ticket
from tests.support.http.match_play import all_events, assert_problem
from tests.support.http.openapi_document import check
from tests.support.http.ruling_client import ZOE, consent, previewed, rule, ruled, second, successor
from tests.support.servers.live_server import NDJSON, SSE, Live, LiveMatch, Player

SECONDS = 5
"""Within which open streams of an ended key close."""

SALTED = b'"type":"match.name-salted.1"'
SALT = re.compile(rb'"salt":"[A-Za-z0-9+/]{22}=="')


@pytest.fixture
def match(live: Live) -> LiveMatch:
    """Dollar Prize in which the second seat has been refused something."""
    match = live.started("dollar-prize")
    match.seats[0].act({"type": "choose_side", "side": "heads"})
    assert match.seats[1].act({"type": "end_turn"}).status_code == 422
    return match


class Page(Struct):
    """A page of events, whose lines stay as they are sent."""

    events: list[Raw]


def lines(player: Player, as_: str | None = None) -> list[bytes]:
    """The lines of an audience as they are sent."""
    page = msgspec.json.decode(player.events(as_, limit=1_000).content, type=Page)
    return [bytes(line) for line in page.events]


def views(player: Player, upto: int) -> list[bytes]:
    return [player.view(at=at).content for at in range(upto + 1)]


# The old key.


def test_the_earlier_keys_and_tickets_of_the_seat_end(live: Live, match: LiveMatch) -> None:
    more = Player(live.bearing(issued(match, {"role": "seat:1", "name": "Ben"})["key"]), match.id)
    old, given = match.seats[1], ticket(match.seats[1])
    successor(live, match)
    for gone in (old, more):
        asked = (gone.view(), gone.view("seat:1"), gone.menu(), gone.events(), gone.act({}))
        for answer in (*asked, request_ticket(gone), gone.try_stream()):
            assert_problem(answer, 401, "key_unknown")
    assert_problem(match.anyone.try_stream(ticket=given), 401, "ticket_unknown")
    assert match.seats[0].view().status_code == 200


def test_their_open_streams_end_and_others_go_on(live: Live, match: LiveMatch) -> None:
    """Lines of the moderator's `as=seat:1` stay with the moderator."""
    given = ticket(match.seats[1])
    with ExitStack() as opened:
        ends = [
            opened.enter_context(match.seats[1].stream({"Accept": form})) for form in (SSE, NDJSON)
        ]
        ends.append(opened.enter_context(match.anyone.stream(ticket=given)))
        stay = opened.enter_context(match.seats[0].stream({"Accept": NDJSON}))
        read = opened.enter_context(match.moderator.stream({"Accept": NDJSON}, as_="seat:1"))
        ended = [response.iter_raw() for response in ends]
        going_on = [response.iter_lines() for response in (stay, read)]
        successor(live, match)
        began = time.monotonic()
        told = b"".join(part for one in ended for part in one)
        assert time.monotonic() - began < SECONDS
        assert b"key-issued" not in told
        for one in going_on:
            assert any("match.seat-replaced.1" in line for line in one if line)


# The new holder.


def test_the_successor_sees_exactly_the_seats_past_without_the_salt(
    live: Live, match: LiveMatch
) -> None:
    before = lines(match.seats[1])
    seen = views(match.seats[1], upto=len(before))
    receipts = match.seats[1].client.get(f"{match.anyone.path}/receipts").content
    zoe = successor(live, match)
    after = lines(zoe)
    assert len(after) > len(before)
    for old, new in zip(before, after[: len(before)], strict=True):
        assert new == without_salt(old)
    assert views(zoe, upto=len(before)) == seen
    assert zoe.client.get(f"{zoe.path}/receipts").content == receipts


def without_salt(line: bytes) -> bytes:
    return SALT.sub(b'"salt":null', line) if SALTED in line else line


def test_a_stream_from_the_beginning_does_not_tell_the_salt(live: Live, match: LiveMatch) -> None:
    zoe = successor(live, match)
    own = lines(zoe)
    with zoe.stream({"Accept": NDJSON}, after=0) as response:
        sent = response.iter_lines()
        assert [next(sent).encode() for _ in own] == own
    assert own == lines(match.moderator, "seat:1")
    assert not any(SALT.search(line) for line in own)


def test_a_page_without_the_salt_has_a_tag_of_its_own(live: Live, match: LiveMatch) -> None:
    page = match.moderator.events("seat:1", limit=3)
    successor(live, match)
    path, known = f"{match.moderator.path}/events", {"If-None-Match": page.headers["etag"]}
    again = match.moderator.client.get(path, known, as_="seat:1", limit=3)
    assert again.status_code == 200
    assert [without_salt(line) for line in lines(match.moderator, "seat:1")] == lines(
        match.moderator, "seat:1"
    )


def test_the_successor_plays_on_and_is_named(live: Live, match: LiveMatch) -> None:
    zoe = successor(live, match)
    assert zoe.view().json()["audience"] == "seat:1"
    assert zoe.act({"type": "end_turn"}).status_code == 422
    (row,) = live.anyone.get("/v1/matches", name="Zoe", limit=1).json()["matches"]
    assert (row["id"], row["seats"]) == (match.id, ["Ann", "Zoe"])
    keys = {(key["role"], key["name"]) for key in listed(match.moderator)}
    assert keys == {("moderator", None), ("seat:0", "Ann"), ("seat:1", "Zoe")}
    (own,) = [e for e in all_events(zoe) if e["type"] == "match.key-issued.1"]
    assert own["data"]["key_id"] in {key["id"] for key in listed(match.moderator)}


# The answer.


def test_the_key_is_shown_once(live: Live, match: LiveMatch) -> None:
    headers = previewed(match.organiser, "replace_seat", **ZOE)
    pending = rule(match.organiser, "replace_seat", headers, **ZOE).json()["ruling"]
    tag = second(match.judge, pending, preview=True).headers["etag"]
    sent = {"If-Match": tag, "Idempotency-Key": f"zoe-{match.id}"}
    first, again = (second(match.judge, pending, sent) for _ in "ab")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json() | {"key": None}
    document = live.anyone.get("/schema/openapi.json").json()
    for answer in (first, again):
        check(document, "secondRuling", answer)
    assert_problem(second(match.judge, pending), 428, "preview_needed")


def test_where_one_person_is_enough_the_ruling_shows_it(live: Live) -> None:
    match = live.started("dollar-prize", rulings="single")
    sent = previewed(match.moderator, "replace_seat", **ZOE) | {"Idempotency-Key": "single"}
    first, again = (rule(match.moderator, "replace_seat", sent, **ZOE) for _ in "ab")
    assert (first.status_code, first.json()["status"]) == (201, "carried_out")
    assert (again.status_code, again.json()) == (200, first.json() | {"key": None})
    assert Player(live.bearing(first.json()["key"]), match.id).view().json()["audience"] == "seat:1"
    check(live.anyone.get("/schema/openapi.json").json(), "rule", first)


def test_by_consent_no_seat_is_shown_a_key(live: Live, match: LiveMatch) -> None:
    pending = ruled(match.moderator, "replace_seat", **ZOE, ask_seats=True)["ruling"]
    first = consent(match.seats[1], pending).json()
    last = consent(match.seats[0], pending).json()
    assert (first["status"], last["status"]) == ("pending", "carried_out")
    assert "key" not in first and "key" not in last
    assert_problem(match.seats[1].view(), 401, "key_unknown")
    assert [key["role"] for key in listed(match.moderator)] == ["moderator", "seat:0"]
    zoe = live.bearing(issued(match, {"role": "seat:1", "name": "Zoe"})["key"])
    assert Player(zoe, match.id).view().json()["audience"] == "seat:1"
