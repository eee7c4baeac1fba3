"""Two matches that differ only in what seat 0 and the public may not know give them the same bytes.

Everything is compared as it was sent: bodies, status lines, header names with their case, order
and lengths. Only what two matches must not share is written alike first: their ids, keys, times.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from uuid import UUID

import httpx
import pytest

from service.streams import lines
from tests.live import NDJSON, SSE, Answer, Json, Live, LiveMatch

REDS, BLUES = [9, 5, 7, 4, 6, 8], [12, 11, 10, 3, 1, 2]
OTHER_REDS, OTHER_BLUES = [9, 5, 8, 4, 7, 6], [12, 11, 10, 3, 2, 1]
"""Seat 1 holds an 8 for a 7, and other chips lie aside; the chips it will play are the same."""

TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

ROUND: list[tuple[int, str, int]] = [
    (0, "play", 12), (1, "play", 4), (0, "take", 4), (1, "take", 12),
    (0, "play", 11), (1, "play", 3), (0, "take", 11), (1, "take", 3),
    (0, "play", 9), (1, "play", 3), (0, "take", 9), (1, "take", 3),
    (0, "play", 5), (1, "play", 3), (0, "take", 5),
]  # fmt: skip
"""A round up to the action that ends it and lays all hands open."""

REVEAL = (1, "take", 3)

Meanwhile = Callable[[LiveMatch, int], object]


@dataclass
class World:
    """One of the two matches, with the streams that seat 0 and the public follow."""

    match: LiveMatch
    meanwhile: Meanwhile
    streams: dict[str, Iterator[bytes]] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)

    def alike(self, sent: bytes) -> bytes:
        """The bytes without what belongs to this one match: its id, and times."""
        match_id = UUID(self.match.id)
        return TIME.sub(b"TIME", sent.replace(str(match_id).encode(), b"ID"))

    def seen(self, answer: Answer) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """All of an answer that its reader can tell apart."""
        headers = [
            (name, b"DATE" if name.lower() == b"date" else self.alike(value))
            for name, value in answer.headers.raw
        ]
        return answer.status_code, headers, self.alike(answer.content)

    def act(self, seat: int, kind: str, chip: int) -> Answer:
        answer = self.match.seats[seat].act({"type": kind, "chip": chip})
        assert answer.status_code == 201, answer.text
        return answer

    def read(self, name: str) -> bytes:
        """What a stream has brought since, up to the last event of its audience."""
        audience = name.split()[0]
        last = self.match.moderator.view(audience).json()["seq"]
        end = b"\n\n" if SSE in name else b"\n"
        begun = self.told.get(name) == last
        brought = b"" if begun else next(self.streams[name])
        while not begun and not (f'"seq":{last},'.encode() in brought and brought.endswith(end)):
            brought += next(self.streams[name])
        self.told[name] = last
        return self.alike(brought)


def nothing(match: LiveMatch, turn: int) -> None:
    """Seat 1 does no more than its turns ask."""


def refused_actions(match: LiveMatch, turn: int) -> None:
    """Seat 1 sends what the rules refuse, now once, now five times, some of it twice."""
    for again in range(turn % 5 + 1):
        match.seats[1].act({"type": "play", "chip": 90 + again}, {"Idempotency-Key": f"k{turn}"})
        match.seats[1].act({"type": "take", "chip": 77})


def requests_that_come_to_nothing(match: LiveMatch, turn: int) -> None:
    """Seat 1 sends what is not understood, stale, for another, or too large."""
    seat = match.seats[1]
    seat.act({"type": "fly"})
    seat.act({"type": "play", "chip": 4}, {"If-Match": '"seat:1.1"'})
    seat.client.send("POST", f"{seat.path}/actions", b"x" * 70_000)
    seat.start()
    seat.view("seat:0")


def reading(match: LiveMatch, turn: int) -> None:
    """Seat 1 and the moderator look at everything."""
    for player in (match.seats[1], match.moderator):
        player.view()
        player.events()
        player.menu()
    with match.seats[1].stream(after=0) as response:
        next(response.iter_lines())


def create(live: Live, deal: list[list[int]], meanwhile: Meanwhile) -> LiveMatch:
    match = live.started("twelve-chips", chance="manual")
    meanwhile(match, 0)
    answer = match.moderator.draw("round1/deal", deal)
    assert answer.status_code == 201, answer.text
    meanwhile(match, 1)
    return match


READERS = ["public", "seat:0"]


@pytest.fixture(
    params=[
        ("other chips", nothing),
        ("refused actions", refused_actions),
        ("failed requests", requests_that_come_to_nothing),
        ("reading", reading),
    ],
    ids=lambda param: param[0],
)
def worlds(
    live: Live, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[World, World]]:
    """The second world differs in seat 1's chips, or in what seat 1 does besides its turns."""
    monkeypatch.setattr(lines, "PING_SECONDS", 3_600.0)
    name, meanwhile = request.param
    deal, other = [REDS, BLUES], [REDS, BLUES]
    if name == "other chips":
        other = [OTHER_REDS, OTHER_BLUES]
    with ExitStack() as stack:
        pair = [
            World(create(live, deal, nothing), nothing),
            World(create(live, other, meanwhile), meanwhile),
        ]
        for world in pair:
            for reader, form in product(READERS, (SSE, NDJSON)):
                player = world.match.audiences()[reader]
                response = stack.enter_context(player.stream({"Accept": form}, after=0))
                world.streams[f"{reader} {form}"] = response.iter_raw()
        yield pair[0], pair[1]


def everything(world: World, live: Live, reader: str) -> Iterator[tuple[str, Answer]]:
    """Each answer the reader can get, by the request."""
    player = world.match.audiences()[reader]
    path, get = player.path, player.client.get
    last = player.view().json()["seq"]
    tag = player.view().headers["etag"]
    for at in (0, last - 1, last, last + 1):
        yield f"view {at}", player.view(at=at)
    for audience in (None, "public", "seat:0", "seat:1", "moderator", "seat:9", "x"):
        yield f"view {audience}", player.view(audience)
        yield f"events {audience}", player.events(audience)
        yield f"stream {audience}", player.try_stream(as_=audience, after=last + 1)
    for after, limit in product((0, last - 2, last + 1), (1, 3)):
        yield f"page {after} {limit}", player.events(None, after, limit)
    yield "the same view", player.view(headers={"If-None-Match": tag})
    yield "menu", player.menu()
    yield "start", player.start()
    yield "draw", player.draw("round1/deal", [])
    yield "close", player.close_phase()
    yield "nothing", get(f"{path}/nothing")
    yield "stale", player.act({"type": "play", "chip": 12}, {"If-Match": '"seat:0.1"'})
    yield "not understood", player.act({"type": "fly"})


def row(world: World, live: Live) -> bytes:
    """The match's row in the public list, as bytes."""
    page = live.anyone.get("/v1/matches", limit=200).content
    found = re.search(rb'\{"id":"' + world.match.id.encode() + rb'".*?"result":[^}]*\}', page)
    assert found is not None
    return world.alike(found[0])


def compare(one: World, other: World, live: Live) -> None:
    for reader in READERS:
        pairs = zip(everything(one, live, reader), everything(other, live, reader), strict=True)
        for (name, first), (_, second) in pairs:
            assert one.seen(first) == other.seen(second), f"{reader}: {name}"
    assert row(one, live) == row(other, live)
    for name in one.streams:
        assert one.read(name) == other.read(name), name


PROBES: list[Json] = [
    {"type": kind, "chip": chip} for kind, chip in product(("play", "take"), range(1, 14))
]


def probe(world: World) -> list[object]:
    """What seat 0 is told when it tries every action that is not on its menu."""
    seat = world.match.seats[0]
    allowed = [v for e in seat.menu().json()["actions"] for v in e["schema"]["properties"].items()]
    chips = dict(allowed).get("chip", {"enum": []})["enum"]
    kinds = [e["type"] for e in seat.menu().json()["actions"]]
    tried = [p for p in PROBES if p["type"] not in kinds or p["chip"] not in chips]
    return [world.seen(seat.act(action)) for action in tried]


def test_a_whole_round_looks_the_same_to_seat_0_and_to_the_public(
    live: Live, worlds: tuple[World, World]
) -> None:
    one, other = worlds
    for turn, (seat, kind, chip) in enumerate(ROUND):
        if turn % 4 == 0:
            compare(one, other, live)
        answers = [world.act(seat, kind, chip) for world in worlds]
        other.meanwhile(other.match, turn)
        if seat == 0:
            assert one.seen(answers[0]) == other.seen(answers[1]), (turn, kind, chip)
    compare(one, other, live)


@pytest.mark.parametrize("turns", [1, 2])
def test_what_seat_0_may_not_do_is_refused_with_the_same_bytes(
    live: Live, worlds: tuple[World, World], turns: int
) -> None:
    one, other = worlds
    for turn, (seat, kind, chip) in enumerate(ROUND[:turns]):
        for world in worlds:
            world.act(seat, kind, chip)
            world.meanwhile(world.match, turn)
    assert probe(one) == probe(other)
    compare(one, other, live)


def test_once_the_hands_lie_open_the_worlds_tell_themselves_apart(live: Live) -> None:
    pair = [
        World(create(live, deal, nothing), nothing)
        for deal in ([REDS, BLUES], [OTHER_REDS, OTHER_BLUES])
    ]
    for world in pair:
        for seat, kind, chip in (*ROUND, REVEAL):
            world.act(seat, kind, chip)
    views = [world.seen(world.match.anyone.view()) for world in pair]
    assert views[0] != views[1], "the comparison would see a difference"
    assert views[0][1] == views[1][1], "and only the body differs"


def test_the_other_seat_and_the_moderator_do_see_the_difference(live: Live) -> None:
    pair = [create(live, deal, nothing) for deal in ([REDS, BLUES], [OTHER_REDS, OTHER_BLUES])]
    hands = [match.seats[1].view().json()["view"]["hand"] for match in pair]
    assert hands == [[3, 4, 7, 10], [3, 4, 8, 10]]


def test_a_draw_by_hand_that_is_refused_shows_to_nobody_else(live: Live) -> None:
    pair = [live.started("twelve-chips", chance="manual") for _ in range(2)]
    for _ in range(3):
        pair[1].moderator.draw("round1/deal", [[9, 5], [12]])
        pair[1].moderator.draw("round7/deal", [])
    one, other = (World(match, nothing) for match in pair)
    compare(one, other, live)


def test_both_worlds_were_really_compared(live: Live) -> None:
    match = create(live, [REDS, BLUES], nothing)
    world = World(match, nothing)
    assert (
        len(dict(everything(world, live, "seat:0")))
        == len(list(everything(world, live, "seat:0")))
        > 35
    )
    sent = httpx.Response(200, content=b'{"at":"2026-11-21T01:57:15.268835Z","n":1}')
    assert world.seen(sent)[2] == b'{"at":"TIME","n":1}'
