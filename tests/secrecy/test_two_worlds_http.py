"""Two matches that differ only in what seat 0 and the public may not know look the same to them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import product

import httpx
import pytest

from tests.support.http.invitations import accept, invited, revoke, token_of
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch
from tests.support.worlds_http import World, compare, everything

READERS = ["public", "seat:0"]
"""The audiences to whom both look the same."""

REDS, BLUES = [9, 5, 7, 4, 6, 8], [12, 11, 10, 3, 1, 2]
OTHER_REDS, OTHER_BLUES = [9, 5, 8, 4, 7, 6], [12, 11, 10, 3, 2, 1]
"""Seat 1 holds an 8 for a 7, and other chips lie aside; the chips it will play are the same."""

ROUND: list[tuple[int, str, int]] = [
    (0, "play", 12), (1, "play", 4), (0, "take", 4), (1, "take", 12),
    (0, "play", 11), (1, "play", 3), (0, "take", 11), (1, "take", 3),
    (0, "play", 9), (1, "play", 3), (0, "take", 9), (1, "take", 3),
    (0, "play", 5), (1, "play", 3), (0, "take", 5),
]  # fmt: skip
"""A round up to the action that ends it and lays all hands open."""

REVEAL = (1, "take", 3)

Meanwhile = Callable[[LiveMatch, int], object]


def act(world: World, seat: int, kind: str, chip: int) -> Answer:
    answer = world.match.seats[seat].act({"type": kind, "chip": chip})
    assert answer.status_code == 201, answer.text
    return answer


def nothing(match: LiveMatch, turn: int) -> None:
    """Seat 1 does no more than its turns ask."""


def refused_actions(match: LiveMatch, turn: int) -> None:
    """Seat 1 sends refused actions, now once, now five times, some of them twice."""
    for again in range(turn % 5 + 1):
        match.seats[1].act({"type": "play", "chip": 90 + again}, {"Idempotency-Key": f"k{turn}"})
        match.seats[1].act({"type": "take", "chip": 77})


def requests_that_come_to_nothing(match: LiveMatch, turn: int) -> None:
    """Seat 1 sends requests that are malformed, stale, for another, or too large."""
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


def keys_of_others(match: LiveMatch, turn: int) -> None:
    """An organiser issues keys to seat 1 and to another moderator, and now and then ends one; and
    invites seat 1, which accepts or not."""
    path = f"{match.organiser.path}/keys"
    for body in ({"role": "seat:1", "name": "Ben"}, {"role": "moderator", "name": "Mo"}):
        made = match.organiser.client.post(path, body)
        assert made.status_code == 201, made.text
        if turn % 2:
            match.organiser.client.send("DELETE", f"{path}/{made.json()['id']}")
    invitation = invited(match, 1)
    if turn % 2:
        assert revoke(match.organiser, invitation["id"]).status_code == 204
    else:
        assert accept(match.anyone.client, match.id, token_of(invitation)).status_code == 201


def create(live: Live, deal: list[list[int]], meanwhile: Meanwhile) -> World:
    match = live.started("twelve-chips", chance="manual")
    meanwhile(match, 0)
    answer = match.moderator.draw("round1/deal", deal)
    assert answer.status_code == 201, answer.text
    meanwhile(match, 1)
    return world_of(match)


def world_of(match: LiveMatch) -> World:
    return World(match, READERS, {"type": "play", "chip": 12}, "round1/deal")


@pytest.fixture(
    params=[
        ("other chips", nothing),
        ("refused actions", refused_actions),
        ("failed requests", requests_that_come_to_nothing),
        ("reading", reading),
        ("keys of others", keys_of_others),
    ],
    ids=lambda param: param[0],
)
def worlds(
    live: Live, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[World, World, Meanwhile]]:
    """The second world differs in seat 1's chips, or in what seat 1 does besides its turns."""
    monkeypatch.setattr("service.streams.live_stream.PING_SECONDS", 3_600.0)
    name, meanwhile = request.param
    deal, other = [REDS, BLUES], [REDS, BLUES]
    if name == "other chips":
        other = [OTHER_REDS, OTHER_BLUES]
    with ExitStack() as stack:
        pair = [create(live, deal, nothing), create(live, other, meanwhile)]
        for world in pair:
            world.follow(stack)
        yield pair[0], pair[1], meanwhile


PROBES: list[Json] = [
    {"type": kind, "chip": chip} for kind, chip in product(("play", "take"), range(1, 14))
]


def probe(world: World) -> list[object]:
    """The answers to seat 0 when it tries every action that is not on its menu."""
    seat = world.match.seats[0]
    allowed = [v for e in seat.menu().json()["actions"] for v in e["schema"]["properties"].items()]
    chips = dict(allowed).get("chip", {"enum": []})["enum"]
    kinds = [e["type"] for e in seat.menu().json()["actions"]]
    tried = [p for p in PROBES if p["type"] not in kinds or p["chip"] not in chips]
    return [world.seen(seat.act(action)) for action in tried]


def test_a_whole_round_looks_the_same_to_seat_0_and_to_the_public(
    live: Live, worlds: tuple[World, World, Meanwhile]
) -> None:
    one, other, meanwhile = worlds
    for turn, (seat, kind, chip) in enumerate(ROUND):
        if turn % 6 == 0:
            compare(one, other, live)
        answers = [act(world, seat, kind, chip) for world in (one, other)]
        meanwhile(other.match, turn)
        if seat == 0:
            assert one.seen(answers[0]) == other.seen(answers[1]), (turn, kind, chip)
    compare(one, other, live)


def test_what_seat_0_may_not_do_is_refused_with_the_same_bytes(
    live: Live, worlds: tuple[World, World, Meanwhile]
) -> None:
    one, other, meanwhile = worlds
    for turn, (seat, kind, chip) in enumerate(ROUND[:2]):
        for world in (one, other):
            act(world, seat, kind, chip)
        meanwhile(other.match, turn)
        assert probe(one) == probe(other)
    compare(one, other, live)


def test_once_the_hands_are_revealed_the_worlds_differ(live: Live) -> None:
    pair = [create(live, deal, nothing) for deal in ([REDS, BLUES], [OTHER_REDS, OTHER_BLUES])]
    for world in pair:
        for seat, kind, chip in (*ROUND, REVEAL):
            act(world, seat, kind, chip)
    views = [world.seen(world.match.anyone.view()) for world in pair]
    assert views[0] != views[1], "the comparison would see a difference"
    assert views[0][1] == views[1][1], "and only the body differs"


def test_the_other_seat_and_the_moderator_do_see_the_difference(live: Live) -> None:
    pair = [create(live, deal, nothing) for deal in ([REDS, BLUES], [OTHER_REDS, OTHER_BLUES])]
    hands = [world.match.seats[1].view().json()["view"]["hand"] for world in pair]
    assert hands == [[3, 4, 7, 10], [3, 4, 8, 10]]


def test_a_draw_by_hand_that_is_refused_is_shown_to_nobody_else(live: Live) -> None:
    pair = [live.started("twelve-chips", chance="manual") for _ in range(2)]
    for _ in range(3):
        pair[1].moderator.draw("round1/deal", [[9, 5], [12]])
        pair[1].moderator.draw("round7/deal", [])
    one, other = (
        World(match, READERS, {"type": "play", "chip": 12}, "round1/deal") for match in pair
    )
    compare(one, other, live)


def test_both_worlds_were_really_compared(live: Live) -> None:
    world = create(live, [REDS, BLUES], nothing)
    assert len(dict(everything(world, "seat:0"))) == len(list(everything(world, "seat:0"))) > 35
    sent = httpx.Response(200, content=b'{"at":"2026-11-21T01:57:15.268835Z","n":1}')
    assert world.seen(sent)[2] == b'{"at":"TIME","n":1}'
