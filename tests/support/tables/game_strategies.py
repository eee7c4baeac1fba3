"""What a machine needs to play any game: its options, its menu, and everything else to try.

Nothing here knows a game. A new one in `domain.games.GAMES` is played without a change here, unless
its options need more than their JSON Schema: then `tests/support/games` has it.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations_with_replacement, islice, product
from math import prod
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from domain.chance.draws import Draw, Face, Flip, Outcome, Part, PartOutcome, Roll
from domain.game import Refused
from domain.match.commands import Act, Command, PassDeadline
from domain.match.events import Chance, ClockRule
from domain.match.state import AnyGame, check_tagged
from domain.menu import Between, Field, ListOf, Menu, Nullable, Offer, OneOf
from tests.support.games import SUPPORT
from tests.support.tables.directing import close_phase, enter_draw
from tests.support.tables.match_table import MatchTable, seated, secrets_of

Item = TypeVar("Item")

MOST_INSTANCES = 400
"""Maximum instances of an offer that are tried, if it has more."""

MOST_ACTIONS = 2_000
"""Maximum actions of a kind that are tried, picked at random, if it has more."""

GUESSES = 20
"""Number of actions that are tried at random before all are."""

WIDEST = 5
"""How far above its least value a whole number among the options goes: matches stay short."""


MOST_SIZES = 8
"""Maximum numbers of seats that are tried; of more, the least, a middle and the greatest are."""


def sizes(game: AnyGame) -> Sequence[int]:
    """The numbers of seats with which a game is tried."""
    every = game.seats
    return every if len(every) <= MOST_SIZES else (every[0], every[len(every) // 2], every[-1])


# Options, from the game's JSON Schema.


def options(game: AnyGame, seats: int) -> st.SearchStrategy[Any]:
    """Options of every kind with which this many seats can play the game."""
    own = SUPPORT[game.id].options if game.id in SUPPORT else None
    if own is not None:
        return own(seats)
    described = msgspec.json.schema(game.Options)["$defs"][game.Options.__name__]
    fields = {name: _option(schema) for name, schema in described["properties"].items()}
    return (
        st.fixed_dictionaries(fields)
        .map(lambda chosen: msgspec.convert(chosen, game.Options))
        .filter(lambda chosen: playable(game, chosen, seats))
    )


def _option(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        rest = {name: value for name, value in schema.items() if name != "anyOf"}
        return st.one_of(*(_option({**rest, **one}) for one in schema["anyOf"]))
    if schema["type"] == "integer":
        low = schema["minimum"]
        return st.integers(low, min(schema["maximum"], low + WIDEST))
    return {"boolean": st.booleans(), "null": st.none()}[schema["type"]]


def playable(game: AnyGame, chosen: Any, seats: int) -> bool:
    try:
        game.check(chosen, seats)
    except Refused:
        return False
    return True


@st.composite
def matches(draw: st.DrawFn, game: AnyGame) -> MatchTable:
    """A match just created: any number of seats, all options, both chance modes, both clocks."""
    seats = draw(st.sampled_from(game.seats))
    chance: Chance = draw(st.sampled_from(("manual", "server")))
    clock: ClockRule = draw(st.sampled_from(("none", "rules")))
    created = seated(game, seats, draw(options(game, seats)), chance, clock).match.created
    hidden = secrets_of(created, draw(st.binary(min_size=32, max_size=32)))
    return MatchTable(game, created, hidden=hidden)


# Actions: those that the menu covers, and all others.


def covers(menu: Menu, sent: dict[str, Any]) -> Offer | None:
    """The offer of which the action, as sent, is an instance, if there is one."""
    names = {name for name in sent if name != "type"}
    for offer in menu:
        needed = set(offer.fields) - set(offer.optional)
        named = sent["type"] == offer.type and needed <= names <= set(offer.fields)
        if named and all(admits(offer.fields[name], sent[name]) for name in names):
            return offer
    return None


def admits(field: Field, value: Any) -> bool:
    match field:
        case OneOf(values):
            return any(value == one and type(value) is type(one) for one in values)
        case Between(low, high):
            return type(value) is int and low <= value <= high
        case ListOf(item, low, high, unique):
            if not isinstance(value, list):
                return False
            distinct = not unique or len(set(map(repr, value))) == len(value)
            right = all(admits(item, one) for one in value)
            return low <= len(value) <= high and right and distinct
        case Nullable(inner):
            return value is None or admits(inner, value)


def instances(offer: Offer) -> list[dict[str, Any]]:
    """Actions as sent that must be accepted: all of an exact offer, the examples of another."""
    if not offer.exact:
        return [{"type": offer.type, **example} for example in offer.examples]
    names = list(offer.fields)
    every = product(*(_admitted(offer.fields[name]) for name in names))
    return [
        {"type": offer.type, **dict(zip(names, values, strict=True))}
        for values in islice(every, MOST_INSTANCES)
    ]


def _admitted(field: Field) -> Iterator[Any]:
    match field:
        case OneOf(values):
            yield from values
        case Between(low, high):
            yield from range(low, high + 1)
        case ListOf(item, low, high, unique):
            items = list(_admitted(item))
            for size in range(low, high + 1):
                for chosen in product(items, repeat=size):
                    if not unique or len(set(chosen)) == size:
                        yield list(chosen)
        case Nullable(inner):
            yield None
            yield from _admitted(inner)


def universe(game: AnyGame) -> Sequence[Any]:
    """Actions of every kind, with right and wrong values in every field."""
    return _all_of_any(game.Action)


@cache
def _all_of_any(kinds: Any) -> tuple[Any, ...]:
    return tuple(action for kind in get_args(kinds) or (kinds,) for action in _all_of(kind))


@cache
def _all_as_sent(kinds: Any) -> tuple[dict[str, Any], ...]:
    return tuple(map(as_sent, _all_of_any(kinds)))


def among(items: Sequence[Item]) -> st.SearchStrategy[Item]:
    """One of them. `sampled_from` looks at each of thousands, for every draw."""
    return st.integers(0, len(items) - 1).map(items.__getitem__)


def covering(game: AnyGame, menu: Menu) -> Iterator[tuple[Any, Offer | None]]:
    """Every action of the universe, with the offer of which it is an instance, if there is one."""
    key = game.Action, repr([(offer.type, offer.fields, offer.optional) for offer in menu])
    if key not in _PLACES:
        found = (covers(menu, sent) for sent in _all_as_sent(game.Action))
        _PLACES[key] = [None if offer is None else menu.index(offer) for offer in found]
    for action, place in zip(universe(game), _PLACES[key], strict=True):
        yield action, None if place is None else menu[place]


_PLACES: dict[tuple[Any, str], list[int | None]] = {}
"""Which actions which offers cover, by their fields: most menus are like an earlier one."""


@cache
def _all_of(kind: Any) -> tuple[Any, ...]:
    hints = get_type_hints(kind, include_extras=False)
    names = kind.__struct_fields__
    fields = [_some_of(hints[name]) for name in names]
    every: Iterable[tuple[Any, ...]] = product(*fields)
    if prod(map(len, fields)) > MOST_ACTIONS:
        rng = Random(kind.__name__)
        every = (tuple(map(rng.choice, fields)) for _ in range(MOST_ACTIONS))
    return tuple(kind(**dict(zip(names, values, strict=True))) for values in every)


def _some_of(hint: Any) -> tuple[Any, ...]:
    """A finite choice of values of a type, the usual mistakes among them."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _some_of(arguments[0])
    if origin is Literal:
        return arguments
    if origin in (Union, UnionType):
        return tuple(value for one in arguments for value in _some_of(one))
    if origin is tuple:
        items = _some_of(arguments[0])
        short = (way for size in range(4) for way in combinations_with_replacement(items, size))
        long = ((item,) * size for item in items for size in (5, 10, 25, 26))
        return (*short, *long)
    plain: dict[Any, tuple[Any, ...]] = {
        int: (*range(-1, 18), 2**53 - 1, -(2**53) + 1),
        str: ("", "x"),
        bool: (False, True),
        NoneType: (None,),
    }
    return plain[hint]


def received(game: AnyGame, sent: dict[str, Any]) -> Any:
    """The action as parsed from the wire."""
    check_tagged(sent)
    return _received(game.Action, msgspec.json.encode(sent))


@lru_cache(maxsize=100_000)
def _received(kinds: Any, sent: bytes) -> Any:
    """Menus repeat the same offers."""
    return msgspec.json.decode(sent, type=kinds)


def as_sent(action: Any) -> dict[str, Any]:
    """The action as JSON values."""
    sent: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(action))
    return sent


def judgement(table: MatchTable, seat: int, action: Any) -> str | None:
    """None if the rules would accept the action now, else the code of their refusal."""
    try:
        table.game.decide(table.match.game, seat, action)
    except Refused as refused:
        return refused.code
    return None


def refusable(table: MatchTable, seat: int) -> list[Any]:
    """Every action of the universe that the rules would refuse the seat now."""
    return [act for act in universe(table.game) if judgement(table, seat, act) is not None]


def any_refusable(table: MatchTable, seat: int, rng: Random) -> Any | None:
    """One of them, each as likely as any other; None if there is none. Most actions are refused, so
    the first few tried show it, and the whole universe is judged only where they are accepted."""
    every = universe(table.game)
    for _ in range(GUESSES):
        action = rng.choice(every)
        if judgement(table, seat, action) is not None:
            return action
    every = refusable(table, seat)
    return rng.choice(every) if every else None


# One random step.


def outcome(draw: Draw, rng: Random) -> Outcome:
    """Possible outcomes of chance."""
    return tuple(_fallen(part, rng) for part in draw.parts)


def _fallen(part: Part, rng: Random) -> PartOutcome:
    if isinstance(part, Flip):
        face: Face = rng.choice(("heads", "tails"))
        return face
    if isinstance(part, Roll):
        return rng.randint(1, part.sides)
    return tuple(rng.sample(part.items, len(part.items)))


def menu(table: MatchTable, seat: int) -> Menu:
    """What the seat may do now; nothing unless the match is running."""
    if table.match.status != "running":
        return ()
    return table.game.legal(table.match.game, seat)


def choices(table: MatchTable) -> list[Act]:
    """Everything that the menus of all seats promise to accept."""
    return [
        Act(seat, received(table.game, sent), sent)
        for seat in table.seats
        for offer in menu(table, seat)
        for sent in instances(offer)
    ]


def next_input(table: MatchTable, rng: Random, lateness: float = 0.05) -> tuple[int, Command]:
    """An input that advances a running match, and its instant: an outcome, an action of the menu
    or, with the probability `lateness`, the end of the phase."""
    draw = table.draw
    at = table.at + rng.randrange(1_000)
    if draw is not None:
        return at, enter_draw(draw.id, outcome(draw, rng))
    if table.due is not None and (at >= table.due or rng.random() < lateness):
        return table.due, PassDeadline()
    if table.match.awaiting.phase is not None and rng.random() < lateness:
        return at, close_phase()
    return at, rng.choice(choices(table))


def step(table: MatchTable, rng: Random, lateness: float = 0.05) -> MatchTable:
    """One random input."""
    at, command = next_input(table, rng, lateness)
    table.when(command, at)
    assert table.code is None, (command, table.code)
    return table
