"""Sealed phases over HTTP: nothing tells anybody whether, when, how often or how well another seat
has submitted. The server's clock is virtual, so that instants are compared, too.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from service.clock import VirtualClock
from service.streams import lines
from tests.clock import NOON, SECOND
from tests.contract.two_worlds import World, compare
from tests.live import Answer, Json, Live, LiveMatch, serving

READERS = ["public", "seat:0"]
NAMES = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay")
A_SEATS, B_SEATS = (0, 1, 2), (3, 4, 5)


class Timed:
    """The server, and the clock that it was given."""

    def __init__(self, live: Live, clock: VirtualClock) -> None:
        self.live = live
        self.clock = clock

    def pass_time(self, microseconds: int = SECOND) -> None:
        self.live.run(lambda: self.clock.pass_time(microseconds))


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Timed]:
    clock = VirtualClock(NOON)
    with serving(tmp_path_factory.mktemp("timed"), clock) as live:
        yield Timed(live, clock)


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    monkeypatch.setattr(lines, "PING_SECONDS", 3_600.0)
    with ExitStack() as streams:
        yield streams


def accepted(answer: Answer) -> Json:
    assert answer.status_code == 201, answer.text
    body: Json = answer.json()
    return body


def submit(match: LiveMatch, seat: int, **said: object) -> Json:
    return accepted(match.seats[seat].act({"type": "submit", **said}))


Meanwhile = Callable[[LiveMatch], object]


# What the other seats of `together` do in a round, in two worlds.


def nothing(match: LiveMatch) -> None:
    """They do not submit."""


def once(match: LiveMatch) -> None:
    for seat in range(1, 6):
        assert submit(match, seat, b=[3 if seat != 3 else 4] * 3)["receipt"]["valid"]


def five_times(match: LiveMatch) -> None:
    for _ in range(5):
        once(match)


def invalid(match: LiveMatch) -> None:
    """None of it counts."""
    for seat in range(1, 6):
        for said in ({"b": [3]}, {"a": [4]}, {"a": [1] * 60}, {"a": [], "round": 1}, {"round": 7}):
            assert not submit(match, seat, **said)["receipt"]["valid"]


def valid_then_invalid(match: LiveMatch) -> None:
    once(match)
    invalid(match)


def withdrawn(match: LiveMatch) -> None:
    once(match)
    for seat in range(1, 6):
        assert submit(match, seat)["receipt"]["valid"]


def with_a_garnet(match: LiveMatch) -> None:
    for seat in range(1, 6):
        said = submit(match, seat, a=[1], b=[3 if seat != 3 else 4] * 3, pay_garnet=True)
        assert said["receipt"]["valid"]


def refused(match: LiveMatch) -> None:
    """What does not belong to the phase, under keys that are used twice."""
    for seat in range(1, 6):
        for action in ({"type": "vote", "for": 1}, {"type": "give_token_of_life", "to": 2}):
            match.seats[seat].act(action, {"Idempotency-Key": "k"})


def failing(match: LiveMatch) -> None:
    """Requests that come to nothing."""
    for seat in match.seats[1:]:
        seat.act({"type": "fly"})
        seat.act({"type": "submit"}, {"If-Match": '"seat:1.1"'})
        seat.client.send("POST", f"{seat.path}/actions", b"x" * 70_000)
        seat.close_phase()
        seat.view("seat:0")


def reading(match: LiveMatch) -> None:
    """Everybody looks at all that he may see, moderators too."""
    for player in (*match.seats[1:], match.moderator):
        player.view()
        player.events()
        player.menu()
        with player.stream(after=0) as response:
            next(response.iter_lines())


BESIDE: list[tuple[Meanwhile, Meanwhile]] = [
    (nothing, once), (once, five_times), (nothing, invalid), (once, valid_then_invalid),
    (once, withdrawn), (once, with_a_garnet), (nothing, refused), (nothing, failing),
    (nothing, reading), (nothing, five_times), (invalid, with_a_garnet),
]  # fmt: skip


def a_round(timed: Timed) -> World:
    options = {"garnets": [2] * 6, "start_tokens": {"A": 5, "B": 5}}
    match = timed.live.create("together", NAMES, options=options, clock="rules")
    accepted(match.moderator.start())
    return World(match, READERS, {"type": "submit"}, "ec/A", timed=True)


def own(world: World) -> list[object]:
    """What seat 0 is told when it does things of its own, valid, invalid and refused."""
    seat = world.match.seats[0]
    tried: list[Json] = [
        {"type": "submit", "a": [1, 1]},
        {"type": "submit", "a": [4]},
        {"type": "submit", "b": [3, 4]},
        {"type": "submit", "a": [2], "b": [3, 3, 4], "pay_garnet": True, "round": 1},
        {"type": "submit", "a": [2], "b": [3, 3, 4]},
        {"type": "vote", "for": 1},
    ]
    return [world.seen(seat.act(action, {"Idempotency-Key": f"k{n}"})) for n, action in
            enumerate(tried)]  # fmt: skip


@pytest.mark.parametrize(
    "beside", BESIDE, ids=lambda pair: f"{pair[0].__name__}-or-{pair[1].__name__}"
)
@pytest.mark.parametrize("early", [True, False], ids=["early", "late"])
def test_a_round_looks_the_same_whatever_the_others_submit(
    timed: Timed, stack: ExitStack, beside: tuple[Meanwhile, Meanwhile], early: bool
) -> None:
    """Early: before seat 0 does what it does; late: after it."""
    worlds = [a_round(timed), a_round(timed)]
    for world in worlds:
        world.follow(stack)
    timed.pass_time()
    if early:
        _meanwhile(timed, worlds, beside)
    compare(worlds[0], worlds[1], timed.live)
    answers = [own(world) for world in worlds]
    assert answers[0] == answers[1]
    if not early:
        _meanwhile(timed, worlds, beside)
    timed.pass_time()
    compare(worlds[0], worlds[1], timed.live)


def _meanwhile(timed: Timed, worlds: list[World], beside: tuple[Meanwhile, Meanwhile]) -> None:
    """What the others do, in each world at other instants."""
    for world, meanwhile in zip(worlds, beside, strict=True):
        timed.pass_time()
        meanwhile(world.match)
    timed.pass_time()


# The vote: what the other voters of group B do.


def votes_once(match: LiveMatch) -> None:
    for seat in (4, 5):
        vote = {"type": "vote", "for": 3}
        assert accepted(match.seats[seat].act(vote))["receipt"]["valid"]


def votes_often(match: LiveMatch) -> None:
    for candidate in (3, 4, 5, 4, 3):
        for seat in (4, 5):
            vote = {"type": "vote", "for": candidate}
            assert accepted(match.seats[seat].act(vote))["receipt"]["valid"]


def votes_wrongly(match: LiveMatch) -> None:
    """For nobody who stands, without a vote, and for a round that is over."""
    for seat in (4, 5):
        for action in ({"type": "vote", "for": 0}, {"type": "submit", "round": 1}):
            assert not accepted(match.seats[seat].act(action))["receipt"]["valid"]
        match.seats[seat].act({"type": "submit", "a": [0]})
    match.seats[1].act({"type": "vote", "for": 3})


VOTES: list[tuple[Meanwhile, Meanwhile]] = [
    (nothing, votes_once), (votes_once, votes_often), (nothing, votes_wrongly),
    (nothing, failing), (nothing, reading),
]  # fmt: skip


def a_vote(timed: Timed) -> World:
    """Nobody submits: all leave the stage at once, and all of group B, tied, lose."""
    world = a_round(timed)
    accepted(world.match.moderator.close_phase())
    assert world.match.anyone.view().json()["view"]["phase"] == "vote"
    world.readers = ["public", "seat:0", "seat:3"]
    return world


@pytest.mark.parametrize(
    "beside", VOTES, ids=lambda pair: f"{pair[0].__name__}-or-{pair[1].__name__}"
)
def test_a_vote_looks_the_same_whatever_the_others_vote(
    timed: Timed, stack: ExitStack, beside: tuple[Meanwhile, Meanwhile]
) -> None:
    """To the public, to a seat without a vote and to another voter."""
    worlds = [a_vote(timed), a_vote(timed)]
    for world in worlds:
        world.follow(stack)
    timed.pass_time()
    _meanwhile(timed, worlds, beside)
    compare(worlds[0], worlds[1], timed.live)
    for action in ({"type": "vote", "for": 1}, {"type": "vote", "for": 4}, {"type": "submit"}):
        answers = [world.seen(world.match.seats[3].act(action)) for world in worlds]
        assert answers[0] == answers[1]
    compare(worlds[0], worlds[1], timed.live)


def test_after_the_round_nobody_can_tell_who_voted_for_whom(timed: Timed, stack: ExitStack) -> None:
    """Seats of the same standing exchange what they submit: the counts are the same."""
    worlds = [a_round(timed), a_round(timed)]
    for world in worlds:
        world.follow(stack)
    for world, (first, second, third, fourth) in zip(
        worlds, ((1, 2, 4, 5), (2, 1, 5, 4)), strict=True
    ):
        timed.pass_time()
        submit(world.match, first, a=[0, 0])
        submit(world.match, second, b=[3, 3, 4])
        submit(world.match, third, a=[1], b=[3, 3, 3], pay_garnet=True)
        submit(world.match, fourth, a=[2])
    for world in worlds:
        submit(world.match, 0, a=[1])
    timed.pass_time()
    for _ in range(2):
        for world in worlds:
            accepted(world.match.moderator.close_phase())
        compare(worlds[0], worlds[1], timed.live)


def test_the_moderator_does_see_the_difference(timed: Timed) -> None:
    """So the worlds are not the same, and the comparison could fail."""
    worlds = [a_round(timed), a_round(timed)]
    once(worlds[1].match)
    views = [world.seen(world.match.moderator.view()) for world in worlds]
    assert views[0] != views[1]
    for world in worlds:
        world.readers = ["moderator"]
    with pytest.raises(AssertionError):
        compare(worlds[0], worlds[1], timed.live)


# Grouping: the other player's grouping, order and raise of the ante; a peek.

GROUPS = {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8]}
OTHERS = {"type": "group", "a": [8, 7], "b": [6, 5, 4], "c": [3, 2, 1, 0]}
NO_GROUPS = {"type": "group", "a": [0, 0], "b": [2, 3, 4], "c": [5, 6, 7, 8]}


def groups_once(match: LiveMatch) -> None:
    assert accepted(match.seats[1].act(OTHERS))["receipt"]["valid"]


def groups_often(match: LiveMatch) -> None:
    for _ in range(5):
        groups_once(match)
    accepted(match.seats[1].act({**OTHERS, "use_order": True, "ante_increase": 7}))


def groups_wrongly(match: LiveMatch) -> None:
    for action in (NO_GROUPS, {**OTHERS, "ante_increase": 11}, NO_GROUPS):
        assert not accepted(match.seats[1].act(action))["receipt"]["valid"]


GROUPING: list[tuple[Meanwhile, Meanwhile]] = [
    (nothing, groups_once), (nothing, groups_often), (nothing, groups_wrongly),
    (groups_once, groups_often), (nothing, failing), (nothing, reading),
]  # fmt: skip


def grouping(timed: Timed, chance: str = "manual") -> World:
    match = timed.live.create(
        "grouping-bw", options={"variant": "final-match-2"}, chance=chance, clock="rules"
    )
    accepted(match.moderator.start())
    accepted(match.seats[0].act({"type": "name_starter", "seat": 0}))
    return World(match, READERS, GROUPS, "set1/pass1", timed=True)


@pytest.mark.parametrize(
    "beside", GROUPING, ids=lambda pair: f"{pair[0].__name__}-or-{pair[1].__name__}"
)
def test_groupings_look_the_same_whatever_the_other_player_submits(
    timed: Timed, stack: ExitStack, beside: tuple[Meanwhile, Meanwhile]
) -> None:
    worlds = [grouping(timed), grouping(timed)]
    for world in worlds:
        world.follow(stack)
    timed.pass_time()
    _meanwhile(timed, worlds, beside)
    compare(worlds[0], worlds[1], timed.live)
    answers = [world.seen(world.match.seats[0].act(NO_GROUPS)) for world in worlds]
    assert answers[0] == answers[1]
    compare(worlds[0], worlds[1], timed.live)


@pytest.mark.parametrize("second", [OTHERS, {**OTHERS, "ante_increase": 3, "use_order": True}])
def test_what_the_other_has_grouped_does_not_show_when_it_resolves(
    timed: Timed, stack: ExitStack, second: Json
) -> None:
    """Up to the deal; a wish for a higher ante that is not shared stays with its sender."""
    worlds = [grouping(timed), grouping(timed)]
    for world in worlds:
        world.follow(stack)
    for world, groups in zip(worlds, (OTHERS, second), strict=True):
        timed.pass_time()
        accepted(world.match.seats[1].act(groups))
    timed.pass_time()
    answers = [world.seen(world.match.seats[0].act(GROUPS)) for world in worlds]
    assert answers[0] == answers[1]
    compare(worlds[0], worlds[1], timed.live)


def test_a_peek_does_not_show(timed: Timed, stack: ExitStack) -> None:
    """Seat 0 holds the peek: neither the public nor seat 1 can tell whether it was used."""
    worlds = [grouping(timed), grouping(timed)]
    for world in worlds:
        world.readers = ["public", "seat:1"]
        accepted(world.match.seats[0].act(GROUPS))
        accepted(world.match.seats[1].act(OTHERS))
        draw = world.match.moderator.view().json()["awaiting"]["draw"]
        outcome = [part["items"] for part in draw["parts"]]
        accepted(world.match.moderator.draw(draw["id"], outcome))
        world.follow(stack)
    timed.pass_time()
    told = accepted(worlds[1].match.seats[0].act({"type": "peek"}))
    assert told["view"]["view"]["told"] != []
    timed.pass_time()
    compare(worlds[0], worlds[1], timed.live)
    for world in worlds:
        accepted(world.match.seats[0].act({"type": "raise", "by": 2}))
    compare(worlds[0], worlds[1], timed.live)
