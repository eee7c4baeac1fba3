"""A game that lacks what the service relies on is refused, and the error names what it lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from domain.chance.draws import Draw, Flip
from domain.events import PublicEvent
from domain.game import Game, highest_wins, no_deadlines, no_draws, nothing_to_set_up
from domain.games import GAMES
from domain.limits import between, within_limits
from domain.match.state import AnyGame
from domain.requirements import NEEDED_CODES, check, same_names
from tests.support.tables import toy_game as toy

TOY: AnyGame = toy.GAME


def with_(**fields: Any) -> AnyGame:
    """The toy with these fields."""
    return replace(TOY, **fields)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_meets_the_requirements(name: str) -> None:
    check(GAMES[name])


class BlindEvent(PublicEvent, frozen=True, tag="blind--bid.seen.1"):
    pass


def without(code: str) -> Mapping[str, str]:
    return {name: said for name, said in toy.GAME.codes.items() if name != code}


# Options and actions.

NO_LIMITS = (
    "the option {} has no limits: a number needs both (`between`), a text a pattern or a greatest "
    "length, a list a greatest length"
)


class Point(Struct, frozen=True, forbid_unknown_fields=True):
    x: int = 0


class Loose(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Each option without a limit, in one way or another."""

    number: int = 0
    half: Annotated[int, Meta(extra_json_schema={"minimum": 0})] = 0
    maybe: int | None = None
    text: str = ""
    several: tuple[bool, ...] = ()
    numbers: Annotated[tuple[int, ...], Meta(max_length=3)] = ()
    point: Point = Point()
    anything: Any = None
    words: dict[str, bool] = {}


@pytest.mark.parametrize("name", Loose.__struct_fields__)
def test_an_option_without_limits(name: str) -> None:
    with pytest.raises(TypeError) as error:
        with_(Options=Loose, check=anything_goes, variants=({},))
    assert NO_LIMITS.format(name) in str(error.value)


def anything_goes(options: Any, seats: int) -> None:
    """Every option is allowed."""


class Firm(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Each option with its limits, in one way or another."""

    flag: bool = False
    face: Literal["heads", "tails"] = "heads"
    number: Annotated[int, between(1, 3, "How many.")] = 1
    strict: Annotated[int, Meta(ge=1, le=3)] = 1
    maybe: Annotated[int | None, Meta(extra_json_schema={"minimum": 1, "maximum": 3})] = None
    text: Annotated[str, Meta(max_length=9)] = ""
    time: Annotated[str, Meta(pattern="^[0-9]$")] = "1"
    several: Annotated[tuple[bool, ...], Meta(max_length=3)] = ()
    pair: tuple[bool, bool] = (True, False)


def test_options_with_limits_of_every_kind() -> None:
    with_(Options=Firm, check=anything_goes)


class Needy(Struct, frozen=True, forbid_unknown_fields=True):
    share: bool


class Lax(Struct, frozen=True):
    share: bool = False


class Nested(Struct, frozen=True, forbid_unknown_fields=True):
    inner: Lax = Lax()


class Shout(Struct, frozen=True, tag="shout"):
    pass


class Nod(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Wink(Struct, frozen=True, tag="wink", tag_field="kind", forbid_unknown_fields=True):
    pass


# Events, types and the rest.


class Mutable(Struct):
    chips: int


class Thawed(PublicEvent, frozen=True, tag="blind-bid.thawed.1"):
    inside: Mutable


class Closed(PublicEvent, frozen=True, forbid_unknown_fields=True, tag="blind-bid.closed.1"):
    pass


def other(name: str, **more: Any) -> type[Struct]:
    """Another Struct of this name."""
    return msgspec.defstruct(name, [], frozen=True, forbid_unknown_fields=True, **more)


NAMESAKE: Any = other("Bid", tag="bid-again")


def dictionary(options: toy.Options, seats: int) -> dict[str, Any]:
    """A state that is no Struct."""
    return {}


SENTENCE = "Nobody thanks twice."
UNFROZEN = "`initial` does not say that it returns a frozen Struct"
NOT_ALL = "it has no variant or no kind of record"
SPELT = "is not of lower-case words with underscores"
LACKS: list[tuple[str, dict[str, Any]]] = [
    ("it has no title; it has no code game_over", {"title": " ", "codes": without("game_over")}),
    *(
        (f"its rules text has {len(text or '')} characters; more than 500 say the rules",
         {"text": text})
        for text in ("", "The higher bid wins.", None)
    ),
    *((f"it has no code {code}", {"codes": without(code)}) for code in sorted(NEEDED_CODES)),
    *(
        ("the code too_polite has no sentence", {"codes": {**toy.GAME.codes, "too_polite": said}})
        for said in ("", "no", "Nobody thanks twice")
    ),
    *(
        (f"the code {code} {SPELT}", {"codes": {**toy.GAME.codes, code: SENTENCE}})
        for code in ("TooPolite", "too-polite", "too__polite", "")
    ),
    *(
        ("Lax, of its options, lets unknown fields through",
         {"Options": options, "check": anything_goes})
        for options in (Lax, Nested)
    ),
    ("Shout, of its actions, lets unknown fields through", {"Action": toy.Bid | Shout}),
    ("Shout, of its actions, lets unknown fields through", {"Action": Shout}),
    ("the action Nod has no tag that is its `type`", {"Action": Nod}),
    ("the action Wink has no tag that is its `type`", {"Action": Wink}),
    ("Closed, of its events, forbids the fields of later releases", {"Event": toy.Event | Closed}),
    ("Mutable, of its events, can be changed", {"Event": toy.Event | Thawed}),
    ("two Structs of its Action are called Bid", {"Action": toy.Bid | NAMESAKE}),
    (UNFROZEN, {"initial": lambda options, seats: toy.initial(options, seats)}),
    (UNFROZEN, {"initial": dictionary}),
    (NOT_ALL, {"variants": ()}),
    (NOT_ALL, {"records": ()}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "fields"), LACKS)
def test_a_game_that_lacks_one_thing_is_refused_for_that(what: str, fields: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as error:
        with_(**fields)
    assert str(error.value) == f"blind-bid: {what}"


@pytest.mark.parametrize(
    ("what", "fields"),
    [
        ("an id is of lower-case words with hyphens", {"id": "blind--bid", "Event": BlindEvent}),
        *(
            ("its seats are no range within 1 to 64", {"seats": seats, "variants": ()})
            for seats in (range(0), range(2), range(2, 66), range(2, 9, 2))
        ),
        ("the option share has no default", {"Options": Needy, "check": anything_goes}),
        *(
            (r"its variant .* is none that it allows",
             {"check": within_limits, "variants": ({}, variant)})
            for variant in ({"share": 7}, {"shares": True}, {"bid_seconds": 0})
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_among_the_reasons(what: str, fields: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=what):
        with_(**fields)


def test_one_struct_used_twice_is_one_and_so_is_a_generic_one() -> None:
    assert same_names(toy.Action, toy.Bid, toy.Board) == []
    assert same_names(GAMES["together"].Event) == []
    assert same_names(toy.Options, other("Options")) == ["Options"]


# Fields that a small game may omit.


def smallest() -> AnyGame:
    return Game(
        id=TOY.id,
        title=TOY.title,
        rules_version=1,
        text=TOY.text,
        seats=TOY.seats,
        Options=toy.Options,
        Action=toy.Action,
        Event=toy.Event,
        codes=TOY.codes,
        initial=toy.initial,
        awaits=toy.awaits,
        legal=toy.legal,
        decide=toy.decide,
        evolve=toy.evolve,
        result=toy.result,
    )


def test_a_small_game_has_no_setup_no_draws_and_no_deadlines() -> None:
    game = smallest()
    assert (game.open, game.settle, game.expire) == (nothing_to_set_up, no_draws, no_deadlines)
    assert game.open(toy.Options(), 2) == ()
    state = game.initial(toy.Options(), 2)
    with pytest.raises(AssertionError, match="ask for the draw tie"):
        game.settle(state, Draw("tie", (Flip("coin"),)), ("heads",))
    deadline = toy.awaits(toy.evolve(state, toy.BiddingBegan(late=False))).deadline
    assert deadline is not None
    with pytest.raises(AssertionError, match="want the deadline bids"):
        game.expire(state, deadline)


@pytest.mark.parametrize(
    ("scores", "winners", "losers"),
    [
        ((3, 1, 2), (0,), (1, 2)),
        ((0, 5), (1,), (0,)),
        ((2, 2, 1), (0, 1), ()),
        ((4, 4), (0, 1), ()),
    ],
)
def test_the_highest_score_wins(
    scores: tuple[int, ...], winners: Sequence[int], losers: Sequence[int]
) -> None:
    result = highest_wins(scores)
    assert (result.winners, result.losers, result.scores) == (winners, losers, scores)
    assert result.shared == (len(winners) > 1)
