"""Hands that seats enter at a real table: until they are opened no one else is shown them by any
answer or stream, not even the moderator, who is shown whose are in."""

from contextlib import ExitStack

import pytest

from tests.secrecy.worlds_hidden_http import ROUND, act
from tests.support.instance.work_counter import WorkCounter
from tests.support.servers.instance_settings import KIND
from tests.support.servers.live_server import Live, LiveMatch
from tests.support.worlds_http import World, everything
from tests.support.worlds_sealed_http import stack

__all__ = ["stack"]

HANDS = ([5, 9, 11, 12], [3, 4, 7, 10])
OTHER_HANDS = (HANDS[0], [3, 4, 8, 10])
"""In the other world seat 1 has an 8 for a 7; the chips that it will play are the same."""

READERS = ["public", "seat:0", "moderator"]

SIGNED = ("checkpoint", "GET /keys")
"""Answers with what two matches do not share: the root of a log, and random ids."""


def world(live: Live) -> World:
    """A match that waits for the hands of its two seats."""
    match = live.create("twelve-chips", options={"hands": "entered"}, chance="manual")
    assert match.moderator.start().status_code == 201
    return World(match, READERS, {"type": "take", "chip": 5}, "round1/deal")


def enter(match: LiveMatch, seat: int, chips: list[int]) -> None:
    answer = match.seats[seat].act({"type": "enter", "chips": chips})
    assert answer.json()["receipt"]["valid"], answer.text


def seen(world: World, reader: str) -> dict[str, object]:
    """Everything that a reader can be answered, by the request."""
    return {
        name: world.seen(answer)
        for name, answer in everything(world, reader)
        if not name.startswith(SIGNED)
    }


def compare(one: World, other: World) -> None:
    for reader in READERS:
        first, second = seen(one, reader), seen(other, reader)
        assert {name for name in first if first[name] != second[name]} == set(), reader
    for name in one.streams:
        assert one.read(name) == other.read(name), name


def test_entered_hands_look_the_same_to_everyone_else(live: Live, stack: ExitStack) -> None:
    one, other = worlds = world(live), world(live)
    for each, hands in zip(worlds, (HANDS, OTHER_HANDS), strict=True):
        each.follow(stack)
        enter(each.match, 1, hands[1][::-1])
        enter(each.match, 1, hands[1])
    compare(one, other)
    for each in worlds:
        enter(each.match, 0, HANDS[0])
    for turn, (seat, kind, chip) in enumerate(ROUND):
        if turn % 8 == 0:
            compare(one, other)
        for each in worlds:
            act(each, seat, kind, chip)
    compare(one, other)


@pytest.mark.parametrize("in_memory", [1, 1_000])
def test_the_moderator_sees_whose_hands_are_in_and_not_what(
    live: Live, monkeypatch: pytest.MonkeyPatch, in_memory: int
) -> None:
    """Old lines are read from the store."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", in_memory)
    match = world(live).match
    for _ in range(2):
        enter(match, 1, HANDS[1])
    shown = match.moderator.view().json()
    assert shown["awaiting"]["seats"] == [0, 1]
    assert shown["view"]["entered"] == [1]
    assert "hands" not in shown["view"]
    last = match.moderator.events(after=shown["seq"] - 4).json()["events"]
    assert [line["data"].get("chips", line["data"].get("action")) for line in last] == [
        {"type": "enter"}, [], {"type": "enter"}, [],
    ]  # fmt: skip
    earlier = match.moderator.view(at=shown["seq"] - 1).json()
    assert earlier["view"] == shown["view"]
    assert "entered" not in match.anyone.view().json()["view"]
    assert match.seats[1].view().json()["view"]["hand"] == HANDS[1]
    assert match.seats[1].menu().json()["standing"] == {"type": "enter", "chips": HANDS[1]}


@pytest.mark.parametrize("what", ["view?as=seat:1", "events?as=seat:1", "bundle", "notation"])
def test_a_moderator_cannot_get_at_hands_in_another_way(live: Live, what: str) -> None:
    match = world(live).match
    enter(match, 1, HANDS[1])
    answer = match.moderator.client.get(f"{match.moderator.path}/{what}")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


@pytest.mark.skipif(KIND != "sqlite", reason="what one process reads is counted")
def test_entered_hands_cost_others_the_same_work(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    worlds = [world(live), world(live)]
    for each, hands in zip(worlds, (HANDS, OTHER_HANDS), strict=True):
        enter(each.match, 1, hands[1])
        for reader in READERS:
            list(everything(each, reader))
    work, costs = WorkCounter(monkeypatch), []
    for each in worlds:
        work.take()
        costs.append(
            [(name, work.take()) for reader in READERS for name, _ in everything(each, reader)]
        )
    assert [pair for pair in zip(*costs, strict=True) if pair[0] != pair[1]] == []
