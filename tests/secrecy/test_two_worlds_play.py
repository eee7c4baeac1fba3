"""Two matches that differ only in what seat 0 may not know send it the same frames, in the same
order, on its WebSocket."""

from contextlib import ExitStack

import pytest

from tests.support.http.play_socket import PlaySocket, playing
from tests.support.servers.live_server import Live
from tests.support.worlds_http import World
from tests.support.worlds_of_chips import (
    BLUES,
    OTHER_BLUES,
    OTHER_REDS,
    REDS,
    ROUND,
    Meanwhile,
    act,
    create,
    nothing,
    refused_actions,
    requests_that_come_to_nothing,
)

NOT_NOW = {"type": "play", "chip": 13}


def played(world: World, socket: PlaySocket, meanwhile: Meanwhile) -> list[bytes]:
    """The frames that seat 0 is sent in a round in which it acts on its socket, also what is
    refused; and what it is sent up to the last of its events."""
    for turn, (seat, kind, chip) in enumerate(ROUND):
        if seat == 0:
            assert socket.act({"type": kind, "chip": chip})["status"] == 201
            assert socket.act(NOT_NOW)["status"] == 422
        else:
            meanwhile(world.match, turn)
            act(world, seat, kind, chip)
            meanwhile(world.match, turn)
            socket.follow_to(world.match.seats[0].view().json()["seq"])
    return [world.alike(text.encode()) for text in socket.texts]


@pytest.mark.parametrize("meanwhile", [nothing, refused_actions, requests_that_come_to_nothing])
def test_the_frames_do_not_depend_on_what_is_hidden(live: Live, meanwhile: Meanwhile) -> None:
    other = [OTHER_REDS, OTHER_BLUES] if meanwhile is nothing else [REDS, BLUES]
    worlds = create(live, [REDS, BLUES], nothing), create(live, other, meanwhile)
    with ExitStack() as stack:
        sockets = [stack.enter_context(playing(world.match.seats[0], after=0)) for world in worlds]
        one = played(worlds[0], sockets[0], nothing)
        assert one == played(worlds[1], sockets[1], meanwhile)
    assert len(one) > len(ROUND)
