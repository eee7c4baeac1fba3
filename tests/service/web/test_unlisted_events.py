"""Events of which the page has no table: which bytes could be one, and who could see it."""

from functools import cache
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.encoding import encode
from domain.events import LATEST, Record
from domain.game import Result
from domain.match.events import ActionReceived, AwaitingChanged, MatchCreated, MatchEnded
from projections.audience.disclosure import MODERATOR, Viewer
from tests.support.evidence.forged_bundles import of_bytes
from tests.support.web.two_verdicts import Given, by_first, by_second
from tests.support.web.verifier_script import Json

GAME = "some-game"
CREATED = MatchCreated(GAME, 1, {}, 2, "manual")
AT = 1_767_268_800_000_000

Events = tuple[list[bytes], list[bytes]]
"""The stored bytes of public events, and of private ones."""


def stored(*fields: tuple[str, Any], at: int = AT) -> bytes:
    return msgspec.msgpack.encode([at, 0, dict(fields)])


def event(name: str = "some-game.seen.1", /, **fields: Any) -> bytes:
    return stored(("type", name), *fields.items())


def with_events(events: Events, viewer: Viewer = MODERATOR, game: str = GAME) -> Given:
    """A bundle of a match of a game in which these events happen."""
    public, private = events
    created = encode(Record(AT, 0, replace(CREATED, game=game)))
    leaves = [(AT, created), *((AT, one) for one in public)]
    return Given(game, of_bytes(leaves, private, viewer, game))


COULD_BE: dict[str, Events] = {
    "no fields": ([event()], []),
    "any fields": ([event(a=1, b="x", c=None, d=[True, -7], e={"0": 1.5}, f=b"x")], []),
    "a name of several parts": ([event("some-game.part.seen-again.12")], []),
    "for all, about nobody": ([event(seat=None)], []),
    "for moderators": ([], [event(), event(by=7)]),
    "for seats": ([], [event(seat=0), event(seat=1, x=0)]),
    "another field of a known name": ([event(recorded="x", at="y")], []),
    "of a match": ([event("match.seen.1")], [event("match.told.1", seat=1)]),
}
CANNOT_BE: dict[str, Events] = {
    "no map": ([msgspec.msgpack.encode([AT, 0, [1]])], []),
    "no name": ([stored(("seat", 0))], []),
    "a name that is no text": ([stored(("type", 1))], []),
    "a name that is not the first field": ([stored(("x", 0), ("type", "some-game.seen.1"))], []),
    "a name of another game": ([event("some-games.seen.1")], []),
    "a name of the game alone": ([event("some-game.1")], []),
    "a name without a number": ([event("some-game.seen")], []),
    "a number that is none": ([event("some-game.seen.01")], []),
    "a name in capitals": ([event("some-game.Seen.1")], []),
    "a name that begins otherwise": ([event("x.some-game.seen.1")], []),
    "a name with something behind it": ([event("some-game.seen.1\n")], []),
    "one of the table, without its fields": ([event("match.rewound.1")], []),
    "one of the table, for others": ([], [event("match.rewound.1", branch=1, before=2)]),
    "a longer spelling": ([event(x=1)[:-1] + b"\xcc\x01"], []),
    "a field twice": ([event(x=1, y=1)[:-3] + b"\xa1x\1"], []),
    "something behind it": ([event() + b"\x00"], []),
    "cut off": ([event(x=300)[:-1]], []),
    "another time than that of its leaf": ([stored(("type", "some-game.seen.1"), at=AT + 1)], []),
    "for a seat that there is not": ([], [event(seat=2)]),
    "for no seat": ([], [event(seat=-1)]),
    "for a seat that is none": ([], [event(seat="0")]),
    "for nobody": ([], [event(seat=None)]),
    "for all and for one seat": ([event(seat=0)], [event(seat=0)]),
    "for all and for moderators": ([event()], [event()]),
    "for one seat and for moderators": ([], [event(seat=0), event()]),
}  # fmt: skip


@cache
def verdicts() -> dict[str, Json]:
    """The page's verdict on each of them."""
    every = COULD_BE | CANNOT_BE
    return dict(zip(every, by_second(list(map(with_events, every.values()))), strict=True))


@pytest.mark.parametrize("name", COULD_BE)
def test_bytes_that_could_be_an_event_are_read_as_one(name: str) -> None:
    assert verdicts()[name]["verdict"] == "HOLDS"


@pytest.mark.parametrize("name", CANNOT_BE)
def test_bytes_that_cannot_be_an_event_are_none(name: str) -> None:
    assert verdicts()[name]["finding"] == "openings"


def test_a_seat_gets_the_openings_of_its_own_events() -> None:
    own, others, moderators = event(seat=0), event(seat=1), event("some-game.noted.1", by=0)
    opened = [[own, own], [own, others], [own, moderators]]
    found = by_second([with_events(([], private), 0) for private in opened])
    assert [one["finding"] for one in found] == [None, "openings", "openings"]


# Instants: every one up to the latest there is.


TOGETHER = MatchCreated("together", 1, {}, 4, "manual", record="closed")
INSTANTS = [LATEST - 1, LATEST, LATEST + 1, LATEST + 2, 2**63 - 1, 2**64 - 1, -1]
WON = Result((0,), (1, 2, 3), False, (1, 0, 0, 0))


def public(at: int, event: Any, time: int | None = None) -> bytes:
    leaves = [(0, encode(Record(0, 0, TOGETHER))), (at, encode(Record(at, 0, event)))]
    return of_bytes(leaves, audience=MODERATOR)


def received(at: int) -> bytes:
    action = ActionReceived(0, {"type": "submit"}, recorded=at)
    created = encode(Record(0, 0, TOGETHER))
    return of_bytes([(0, created)], [encode(Record(1, 0, action))], MODERATOR)


PLACES = {
    "a record": lambda at: public(at, AwaitingChanged((0,))),
    "a deadline": lambda at: public(1, AwaitingChanged((0,), None, "round1", at)),
    "a window": lambda at: public(1, MatchEnded(WON, at)),
    "when it was recorded": received,
}


@pytest.mark.parametrize("place", PLACES)
def test_both_verifiers_read_instants_up_to_the_latest(place: str) -> None:
    every = [Given(f"{at}", PLACES[place](at)) for at in INSTANTS]
    unread = [at for at in INSTANTS if not 0 <= at <= LATEST]
    for verdicts in (list(map(by_first, every)), by_second(every)):
        cannot = [at for at, one in zip(INSTANTS, verdicts, strict=True) if _unread(one)]
        assert cannot == unread


def _unread(verdict: dict[str, Any]) -> bool:
    return bool(verdict["finding"] == "openings")
