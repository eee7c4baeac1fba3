"""Matches in the form that the JavaScript rules take, with all expected results.

`described` turns a record into such a match: what happened, what the Python rules answer, which
seat or draw the match then waits for, and what the rules would answer to other inputs.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, get_args

import msgspec
from msgspec import Struct

from domain.commands import REUSED_KEY
from domain.events import Event, Record
from domain.game import Refused
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    DeadlinePassed,
    DrawSettled,
    MatchCreated,
    MatchEvent,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
    SubmissionInvalid,
)
from domain.match_state import AnyGame
from domain.submissions import Invalid
from service.cli.simulation import some, spoilt
from tests.support.tables.game_strategies import (
    as_sent,
    outcome,
    received,
    universe,
)

TRIES = 6
"""Number of other inputs tried at each step."""

TOO_MANY = 6_761
"""No list in an action is as long."""

Cause = dict[str, Any]


class Try(Struct, frozen=True):
    """A possible input after a step; `answer` is what the rules would answer, as JSON text."""

    cause: Cause
    answer: str


class Step(Struct, frozen=True):
    """An input and its consequences. Everything but the causes is JSON text."""

    cause: Cause
    answer: str
    awaits: str
    result: str
    tries: list[Try]


class Described(Struct, frozen=True):
    """A match in the form that the JavaScript rules take."""

    name: str
    options: dict[str, Any]
    seats: int
    steps: list[Step]


# Descriptions of matches.


def described(
    game: AnyGame,
    name: str,
    record: Iterable[Record[Event]],
    tries: int = TRIES,
    malformed: float = 0,
) -> Described:
    """The description of the match with this record, with `tries` other inputs at each step, picked
    at random; this many of its actions are malformed."""
    happened = [entry.event for entry in record]
    created = happened[0]
    assert isinstance(created, MatchCreated)
    seats, luck = created.seats, Random(name)
    state = game.initial(msgspec.convert(created.options, game.Options), seats)
    everything, steps = universe(game), list[Step]()
    for cause, said, events in causes(happened):
        for event in events:
            state = game.evolve(state, event)
        tried = [_tried(game, state, seats, everything, luck, malformed) for _ in range(tries)]
        steps.append(
            Step(cause, said, as_text(game.awaits(state)), as_text(game.result(state)), tried)
        )
    return Described(name, created.options, seats, steps)


def causes(happened: Sequence[Event]) -> Iterator[tuple[Cause, str, list[Event]]]:
    """Every question that the game was asked, its answer as JSON text, and the events in that."""
    asked = [(place, cause) for place, e in enumerate(happened) if (cause := _cause(e)) is not None]
    ends = [place for place, _ in asked[1:]] + [len(happened)]
    for (place, cause), end in zip(asked, ends, strict=True):
        said = happened[place + 1 : end]
        match said[:1]:
            case [ActionRefused(_, code)] if code == REUSED_KEY:
                continue
            case [ActionRefused(_, code)]:
                yield cause, as_text({"refused": code}), []
            case [SubmissionInvalid(_, code)]:
                yield cause, as_text({"invalid": code}), []
            case _:
                events = [e for e in said if not isinstance(e, get_args(MatchEvent))]
                yield cause, as_text({"events": events}), events


def _cause(event: Event) -> Cause | None:
    match event:
        case MatchStarted():
            return {"kind": "start"}
        case ActionReceived(seat, action):
            return {"kind": "act", "seat": seat, "action": action}
        case DrawSettled(_, outcome) | SealedDrawSettled(_, outcome):
            return {"kind": "settle", "outcome": outcome}
        case DeadlinePassed() | PhaseClosed():
            return {"kind": "expire"}
    return None


def as_text(value: Any) -> str:
    """The value as it comes back from the store, as JSON text."""
    return msgspec.json.encode(msgspec.msgpack.decode(msgspec.msgpack.encode(value))).decode()


# Other possible inputs.


def _tried(
    game: AnyGame, state: Any, seats: int, everything: Sequence[Any], luck: Random, malformed: float
) -> Try:
    awaits = game.awaits(state)
    if awaits.draw is not None and luck.random() < 0.7:
        answer = outcome(awaits.draw, luck)
        said = as_text({"events": game.settle(state, awaits.draw, answer)})
        return Try({"kind": "settle", "outcome": answer}, said)
    if awaits.deadline is not None and luck.random() < 0.2:
        said = as_text({"events": game.expire(state, awaits.deadline)})
        return Try({"kind": "expire"}, said)
    seat = luck.choice(awaits.seats if awaits.seats and luck.random() < 0.7 else range(seats))
    sent = _sent(game, state, seat, everything, luck)
    if luck.random() < malformed:
        sent = misshapen(sent, luck)
    cause: Cause = {"kind": "act", "seat": seat, "action": sent}
    try:
        action = received(game, sent)
    except msgspec.ValidationError:
        return Try({**cause, "malformed": True}, as_text({"malformed": True}))
    return Try(cause, _said(game, state, seat, action))


def _sent(
    game: AnyGame, state: Any, seat: int, everything: Sequence[Any], luck: Random
) -> dict[str, Any]:
    """Any action there is, or one that the seat may take, as it is or slightly wrong: then possibly
    malformed."""
    menu = game.legal(state, seat)
    if not menu or luck.random() < 0.4:
        return sparse(luck.choice(everything), luck)
    offered = some(luck.choice(menu), luck)
    turned = luck.choice((offered, _reordered(offered, luck), spoilt(offered, luck)))
    try:
        return sparse(received(game, turned), luck)
    except msgspec.ValidationError:
        return turned


def _reordered(sent: dict[str, Any], luck: Random) -> dict[str, Any]:
    """The action with its lists in another order."""
    return {
        name: luck.sample(value, len(value)) if isinstance(value, list | tuple) else value
        for name, value in sent.items()
    }


def sparse(action: Any, luck: Random) -> dict[str, Any]:
    """The action as sent, possibly without the fields that have defaults."""
    whole = as_sent(action)
    if luck.random() < 0.5:
        return whole
    fields = msgspec.structs.fields(action)
    granted = {field.encode_name: field.default for field in fields if not field.required}
    return {
        name: value for name, value in whole.items() if granted.get(name, msgspec.UNSET) != value
    }


def misshapen(sent: dict[str, Any], luck: Random) -> dict[str, Any]:
    """The action with a field dropped, added or given another value: often malformed."""
    name = luck.choice([*sent, "surplus"])
    if isinstance(sent.get(name), list) and luck.random() < 0.3:
        return {**sent, name: (sent[name] * TOO_MANY)[:TOO_MANY]}
    if luck.random() < 0.3:
        return {field: value for field, value in sent.items() if field != name or name == "type"}
    return {**sent, name: luck.choice((None, "toString", "", 0.5, True, [], ["x"], {}))}


def _said(game: AnyGame, state: Any, seat: int, action: Any) -> str:
    try:
        return as_text({"events": game.decide(state, seat, action)})
    except Invalid as invalid:
        return as_text({"invalid": invalid.code})
    except Refused as refused:
        return as_text({"refused": refused.code})
