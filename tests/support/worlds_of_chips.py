"""Two matches of 12 Chips that differ only in what seat 0 and the public may not know, and what
else happens in them meanwhile."""

from collections.abc import Callable

from tests.support.http.invitations import accept, invited, revoke, token_of
from tests.support.servers.live_server import Answer, Live, LiveMatch
from tests.support.worlds_http import World

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
