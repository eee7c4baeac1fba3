"""A game that lacks what the service relies on is refused, and the error names what it lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from domain.chance.draws import Draw, Flip
from domain.events import PublicEvent
from domain.game import (
    USUAL_CODES,
    Game,
    highest_wins,
    no_deadlines,
    no_draws,
    nothing_to_set_up,
)
from domain.games import GAMES
from domain.limits import between, within_limits
from domain.match.state import AnyGame
from domain.requirements import NEEDED_CODES, check, same_names
from tests.support.tables import toy_game as toy

TOY: AnyGame = toy.GAME


def with_(**fields: Any) -> AnyGame:
    """The toy with these fields."""
    return replace(TOY, **fields)


def lacks(what: str, **fields: Any) -> None:
    """The toy with these fields is refused, for one reason."""
    with pytest.raises(TypeError) as error:
        with_(**fields)
    assert str(error.value) == f"blind-bid: {what}"


@pytest.mark.parametrize("name", GAMES)
def test_every_game_meets_the_requirements(name: str) -> None:
    check(GAMES[name])


def test_everything_missing_is_reported_at_once() -> None:
    lacks("it has no title; it has no code game_over", title=" ", codes=without("game_over"))


def test_an_id_is_a_file_name_in_disguise() -> None:
    with pytest.raises(TypeError, match="an id is of lower-case words with hyphens"):
        with_(id="blind--bid", Event=BlindEvent)


class BlindEvent(PublicEvent, frozen=True, tag="blind--bid.seen.1"):
    pass


@pytest.mark.parametrize("text", ["", "The higher bid wins.", None])
def test_a_rules_text_that_is_too_short(text: Any) -> None:
    length = len(text or "")
    said = f"its rules text has {length} characters; more than 500 say the rules"
    lacks(said, text=text)


@pytest.mark.parametrize("seats", [range(0), range(2), range(2, 66), range(2, 9, 2)])
def test_numbers_of_seats_that_cannot_be(seats: range) -> None:
    with pytest.raises(TypeError, match="its seats are no range within 1 to 64"):
        with_(seats=seats, variants=())


# Codes.


def without(code: str) -> Mapping[str, str]:
    return {name: said for name, said in toy.GAME.codes.items() if name != code}


@pytest.mark.parametrize("code", ["wrong_phase", "game_over", "options_not_allowed"])
def test_a_game_without_a_code_that_every_game_has(code: str) -> None:
    assert code in NEEDED_CODES and code in USUAL_CODES
    lacks(f"it has no code {code}", codes=without(code))


@pytest.mark.parametrize("sentence", ["", "no", "Nobody thanks twice"])
def test_a_code_without_a_sentence(sentence: str) -> None:
    codes = {**toy.GAME.codes, "too_polite": sentence}
    lacks("the code too_polite has no sentence", codes=codes)


@pytest.mark.parametrize("code", ["TooPolite", "too-polite", "too__polite", ""])
def test_a_code_that_is_none(code: str) -> None:
    codes = {**toy.GAME.codes, code: "Nobody thanks twice."}
    lacks(f"the code {code} is not of lower-case words with underscores", codes=codes)


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


def test_an_option_without_a_default() -> None:
    with pytest.raises(TypeError, match="the option share has no default"):
        with_(Options=Needy, check=anything_goes)


@pytest.mark.parametrize("options", [Lax, Nested])
def test_options_that_let_unknown_fields_through(options: Any) -> None:
    said = "Lax, of its options, lets unknown fields through"
    lacks(said, Options=options, check=anything_goes)


class Shout(Struct, frozen=True, tag="shout"):
    pass


class Nod(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Wink(Struct, frozen=True, tag="wink", tag_field="kind", forbid_unknown_fields=True):
    pass


def test_an_action_that_lets_unknown_fields_through() -> None:
    said = "Shout, of its actions, lets unknown fields through"
    lacks(said, Action=toy.Bid | Shout)
    lacks(said, Action=Shout)


@pytest.mark.parametrize("action", [Nod, Wink])
def test_an_action_without_a_type(action: Any) -> None:
    lacks(f"the action {action.__name__} has no tag that is its `type`", Action=action)


# Events, types and the rest.


class Mutable(Struct):
    chips: int


class Thawed(PublicEvent, frozen=True, tag="blind-bid.thawed.1"):
    inside: Mutable


class Closed(PublicEvent, frozen=True, forbid_unknown_fields=True, tag="blind-bid.closed.1"):
    pass


def test_an_event_that_a_later_release_cannot_add_to() -> None:
    said = "Closed, of its events, forbids the fields of later releases"
    lacks(said, Event=toy.Event | Closed)


def test_an_event_that_can_be_changed() -> None:
    lacks("Mutable, of its events, can be changed", Event=toy.Event | Thawed)


def other(name: str, **more: Any) -> type[Struct]:
    """Another Struct of this name."""
    return msgspec.defstruct(name, [], frozen=True, forbid_unknown_fields=True, **more)


def test_two_structs_of_one_name() -> None:
    namesake: Any = other("Bid", tag="bid-again")
    lacks("two Structs of its Action are called Bid", Action=toy.Bid | namesake)


def test_one_struct_used_twice_is_one_and_so_is_a_generic_one() -> None:
    assert same_names(toy.Action, toy.Bid, toy.Board) == []
    assert same_names(GAMES["together"].Event) == []
    assert same_names(toy.Options, other("Options")) == ["Options"]


def test_a_state_that_is_no_frozen_struct() -> None:
    said = "`initial` does not say that it returns a frozen Struct"
    lacks(said, initial=lambda options, seats: toy.initial(options, seats))

    def initial(options: toy.Options, seats: int) -> dict[str, Any]:
        return {}

    lacks(said, initial=initial)


@pytest.mark.parametrize("variant", [{"share": 7}, {"shares": True}, {"bid_seconds": 0}])
def test_a_variant_that_the_game_does_not_allow(variant: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"its variant .* is none that it allows"):
        with_(check=within_limits, variants=({}, variant))


@pytest.mark.parametrize("fields", [{"variants": ()}, {"records": ()}])
def test_a_game_is_played_in_some_way(fields: dict[str, Any]) -> None:
    lacks("it has no variant or no kind of record", **fields)


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
