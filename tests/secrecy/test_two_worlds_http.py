"""Two matches that differ only in what seat 0 and the public may not know look the same to them,
and cost the same work: other chips, refusals, keys, invitations, cases and rulings of others."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import product
from typing import NamedTuple

import pytest

from tests.secrecy.worlds_hidden_http import (
    CASES,
    KEYS,
    REFUSALS,
    ROUND,
    RULINGS,
    Hidden,
    act,
    confirmations,
    keys_of_others,
    more_keys,
    notes,
    pending,
    refused_rulings,
    rewind_of,
    rewind_withdrawn,
)
from tests.support.http.case_client import (
    NOWHERE,
    appeal,
    cases_of,
    close,
    do,
    open_case,
    opened,
    say,
)
from tests.support.http.case_client import read as read_case
from tests.support.http.ruling_client import (
    EVEN,
    consent,
    replaced,
    rule,
    ruled,
    seconded,
    withdraw,
)
from tests.support.instance.work_counter import WorkCounter
from tests.support.servers.instance_settings import KIND
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch
from tests.support.worlds_http import World, compare, everything

READERS = ["public", "seat:0"]
"""The audiences to whom both look the same."""

PLAYERS = [*READERS, "seat:1"]


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    monkeypatch.setattr("service.streams.live_stream.PING_SECONDS", 3_600.0)
    with ExitStack() as stack:
        yield stack


# 12 Chips: a round, while seat 1 has other chips or does more than its turns ask.

REDS, BLUES = [9, 5, 7, 4, 6, 8], [12, 11, 10, 3, 1, 2]
OTHER_REDS, OTHER_BLUES = [9, 5, 8, 4, 7, 6], [12, 11, 10, 3, 2, 1]
"""Seat 1 holds an 8 for a 7, and other chips lie aside; the chips it will play are the same."""

Meanwhile = Callable[[LiveMatch, int], object]


def nothing(match: LiveMatch, turn: int) -> None:
    """Seat 1 does no more than its turns ask."""


def refused_actions(match: LiveMatch, turn: int) -> None:
    """Seat 1 sends refused actions, now once, now five times, some of them twice; and the moderator
    refused draws."""
    match.moderator.draw("round1/deal", [[9, 5], [12]])
    match.moderator.draw("round7/deal", [])
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


def dealt(live: Live, deal: list[list[int]], meanwhile: Meanwhile = nothing) -> World:
    match = live.started("twelve-chips", chance="manual")
    meanwhile(match, 0)
    answer = match.moderator.draw("round1/deal", deal)
    assert answer.status_code == 201, answer.text
    meanwhile(match, 1)
    return World(match, READERS, {"type": "play", "chip": 12}, "round1/deal")


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


def all_at_once(match: LiveMatch, turn: int) -> None:
    for meanwhile in (refused_actions, requests_that_come_to_nothing, reading, keys_of_others):
        meanwhile(match, turn)


def test_a_whole_round_looks_the_same_to_seat_0_and_to_the_public(
    live: Live, streams: ExitStack
) -> None:
    """In the other world seat 1 has other chips, and does all that its turns do not ask."""
    one = dealt(live, [REDS, BLUES])
    other = dealt(live, [OTHER_REDS, OTHER_BLUES], all_at_once)
    for world in (one, other):
        world.follow(streams)
    for turn, (seat, kind, chip) in enumerate(ROUND):
        if turn % 8 == 0:
            compare(one, other, live)
        answers = [act(world, seat, kind, chip) for world in (one, other)]
        all_at_once(other.match, turn)
        if seat == 0:
            assert one.seen(answers[0]) == other.seen(answers[1]), (turn, kind, chip)
        if turn < 2:
            assert probe(one) == probe(other)
    compare(one, other, live)


def test_the_other_seat_does_see_the_difference(live: Live) -> None:
    """So the worlds are not the same, and the comparison could fail."""
    one, other = dealt(live, [REDS, BLUES]), dealt(live, [OTHER_REDS, OTHER_BLUES])
    one.readers = ["seat:1"]
    with pytest.raises(AssertionError, match="seat:1: view"):
        compare(one, other, live)


# Dollar Prize: what is hidden in one of two matches.


def take_heads(match: LiveMatch) -> None:
    match.seats[0].act({"type": "choose_side", "side": "heads"})


def wrong_turn(match: LiveMatch) -> None:
    match.seats[1].act({"type": "end_turn"})


def taken_over(match: LiveMatch) -> None:
    assert replaced(match).status_code == 201
    take_heads(match)


def rewound(match: LiveMatch) -> None:
    """Each reader is told its own number of where the match goes on."""
    take_heads(match)
    seconded(match.judge, rewind_of(match)["ruling"])


def provisional(match: LiveMatch) -> None:
    """The result may be protested against, and is open to no one."""
    given = ruled(match.moderator, "result", result=EVEN, because="adjudicated")
    assert seconded(match.judge, given["ruling"]).status_code == 201
    assert match.anyone.view().json()["result"]["final"] is False


class Story(NamedTuple):
    """What is hidden in one of two matches, after a beginning and before an end that both have."""

    hidden: list[Hidden]
    begin: Callable[[LiveMatch], object] = lambda _: None
    end: Callable[[LiveMatch], object] = take_heads
    chance: str = "manual"


OF_OTHERS = Story([*CASES, *RULINGS, *KEYS, *REFUSALS])
IN_A_WINDOW = Story(
    [pending, notes, refused_rulings, more_keys, confirmations], provisional, chance="server"
)
STORIES: dict[str, Story] = {
    "cases, rulings and keys": OF_OTHERS,
    "a rewind that is withdrawn": Story([rewind_withdrawn], take_heads),
    "a seat that is taken over": Story([more_keys, wrong_turn], end=taken_over),
    "a rewind": Story([notes, more_keys], end=rewound),
    "a protest window": IN_A_WINDOW,
}


def two(live: Live, story: Story) -> list[World]:
    options: Json = {"protest_hours": 1} if story.begin is provisional else {}
    matches = [live.started("dollar-prize", chance=story.chance, **options) for _ in range(2)]
    return [World(match, READERS, {"type": "end_turn"}, "setup") for match in matches]


def hide(story: Story, world: World) -> list[str]:
    """Does what is hidden; returns the ids of the cases."""
    ids = [deed(world.match) for deed in story.hidden]
    return [one for one in ids if isinstance(one, str)]


def asked(world: World, cases: list[str]) -> list[object]:
    """What readers are answered about rulings, about cases, and about those with these ids."""
    answers: list[Answer] = []
    for reader in READERS:
        player = world.match.audiences()[reader]
        answers += [player.client.get(f"{player.path}/rulings"), consent(player, "none")]
        answers += [rule(player, "confirm"), withdraw(player, "none")]
        answers += [player.client.get(cases_of(player))]
        for case in cases:
            answers += [read_case(player, case), say(player, case, "Hm."), appeal(player, case)]
            answers += [close(player, case), do(player, case, "parties", {"seat": 0})]
            answers += [do(player, case, "publish")]
    return [world.seen(answer) for answer in answers]


@pytest.mark.parametrize("name", STORIES)
def test_what_is_hidden_changes_nothing(live: Live, streams: ExitStack, name: str) -> None:
    story = STORIES[name]
    one, other = worlds = two(live, story)
    for world in worlds:
        world.follow(streams)
        story.begin(world.match)
    cases = hide(story, other)
    compare(one, other, live)
    assert asked(one, [NOWHERE] * len(cases)) == asked(other, cases)
    for world in worlds:
        story.end(world.match)
    compare(one, other, live)


def test_a_withheld_name_is_as_any_other(live: Live, streams: ExitStack) -> None:
    """Nothing that the public and the seats are shown tells which name it was, or how long."""
    worlds = []
    for name in ("Ann", "Quentin"):
        match = live.started("dollar-prize", (name, "Ben"), chance="manual")
        take_heads(match)
        path = f"/v1/matches/{match.id}/seats/0/name"
        assert live.organiser.send("DELETE", path).status_code == 204
        worlds.append(World(match, PLAYERS, {"type": "end_turn"}, "setup"))
    for world in worlds:
        world.follow(streams)
    one, other = worlds
    compare(one, other, live)
    for world in worlds:
        wrong_turn(world.match)
    compare(one, other, live)


@pytest.mark.skipif(KIND != "sqlite", reason="what one process reads is counted")
def test_what_is_hidden_costs_readers_nothing(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = two(live, OF_OTHERS)
    hidden = hide(OF_OTHERS, worlds[1])[0]
    for world in worlds:
        # What is in no one's memory is read once; so are cases, once there is one.
        opened(world.match.moderator)
        for reader in READERS:
            list(everything(world, reader))
    work = WorkCounter(monkeypatch)
    costs = []
    for world, case in zip(worlds, (NOWHERE, hidden), strict=True):
        work.take()
        found = []
        for reader in READERS:
            player = world.match.audiences()[reader]
            found += [(reader, name, work.take()) for name, _ in everything(world, reader)]
            read_case(player, case)
            found.append((reader, "a case", work.take()))
        assert open_case(world.match.seats[0]).status_code == 201
        costs.append([*found, ("seat:0", "opens a case", work.take())])
    assert [pair for pair in zip(*costs, strict=True) if pair[0] != pair[1]] == []
