"""Matches for the JavaScript of the verifier to judge, with all expected results.

`described` turns a record into such a match: what happened, what the Python rules answer, which
seat or draw the match then waits for, and what the rules would answer to other inputs. `judged` has
node compare that with the answers of the JavaScript rules.
"""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, get_args

import msgspec
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from domain.commands import REUSED_KEY
from domain.events import Event, Record
from domain.game import Refused
from domain.games import GAMES
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
from service.cli.simulation import SimulatedMatch, some, spoilt
from tests.recorded.files import created, recorded, records
from tests.support.repository import TESTS
from tests.support.tables.game_strategies import (
    as_sent,
    options,
    outcome,
    received,
    sizes,
    universe,
)
from tests.support.web.node_program import node
from tests.support.web.verifier_pages import script_of

MATCHES = int(os.environ.get("ARBITER_TEST_MATCHES", "40"))
"""Number of random matches of each game."""

TRIES = 6
"""Number of other inputs tried at each step."""

AT_ONCE = 50
"""Number of matches handed to node together."""

TOO_MANY = 6_761
"""No list in an action is as long."""

JUDGE = TESTS / "service" / "web" / "games" / "judge.js"

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


class Counts(Struct, frozen=True):
    matches: int
    steps: int
    tries: int


class Verdict(Struct, frozen=True, rename="camel"):
    """What a game in JavaScript says of itself, how much was compared, and what differed."""

    id: str
    rules_version: int
    seats: tuple[int, int]
    hides_draws: bool
    counts: Counts
    differences: list[Any]


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
    seats, luck = len(created.seats), Random(name)
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


# Sources of matches.


def by_luck(
    game: AnyGame,
    count: int = MATCHES,
    chosen: Callable[[int], st.SearchStrategy[Any]] | None = None,
    tries: int = TRIES,
    malformed: float = 0,
) -> list[Described]:
    """Matches with options of every kind: `chosen`, for this many seats, or all there are. The same
    `count` always gives the same matches."""
    played: list[Described] = []
    strategy = chosen or (lambda seats: options(game, seats))

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def play(data: st.DataObject) -> None:
        seats = data.draw(st.sampled_from(sizes(game)))
        given_options = msgspec.to_builtins(data.draw(strategy(seats)))
        seed = f"{len(played)}/{data.draw(st.integers(0, 2**32))}"
        match = SimulatedMatch(game, seats, given_options, seed)
        match.play()
        played.append(described(game, seed, match.records, tries, malformed))

    play()
    return played


@cache
def lucky(game: str) -> list[Described]:
    """Random matches of the game with this id, with malformed actions among the inputs tried;
    played once for all tests of a process."""
    return by_luck(GAMES[game], malformed=0.2)


def from_the_record(game: AnyGame, tries: int = TRIES) -> list[Described]:
    """The recorded matches of the game, by this version of its rules."""
    played = {name: created(name) for name in recorded()}
    rules = game.id, game.rules_version
    names = [name for name, by in played.items() if (by.game, by.rules_version) == rules]
    return [described(game, name, records(name), tries) for name in names]


# Results.


def judged(game: AnyGame, matches: Iterable[Described], script: Path | None = None) -> Verdict:
    """What the JavaScript rules answer to these matches; by default the verifier's rules.

    Raises subprocess.CalledProcessError if the script cannot be read at all.
    """
    every = list(matches)
    assert every, "there is nothing to judge"
    path = script or script_of(game.id)
    batches = (every[first : first + AT_ONCE] for first in range(0, len(every), AT_ONCE))
    verdicts = [_judged(path, game.rules_version, batch) for batch in batches]
    counts = [msgspec.structs.astuple(verdict.counts) for verdict in verdicts]
    differences = list(chain.from_iterable(verdict.differences for verdict in verdicts))
    total = Counts(*map(sum, zip(*counts, strict=True)))
    return msgspec.structs.replace(verdicts[0], counts=total, differences=differences)


def agreed(game: AnyGame, matches: Sequence[Described]) -> Verdict:
    """The verdict on these matches, in which nothing may differ."""
    verdict = judged(game, matches)
    assert not verdict.differences, str(verdict.differences[0])
    assert verdict.counts.matches == len(matches)
    assert verdict.counts.steps == sum(len(match.steps) for match in matches)
    assert verdict.counts.tries == sum(len(step.tries) for m in matches for step in m.steps)
    return verdict


def _judged(path: Path, version: int, matches: Sequence[Described]) -> Verdict:
    lines = b"\n".join(map(msgspec.json.encode, matches))
    command = [node(), str(JUDGE), str(path), str(version)]
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, check=True, timeout=300)
    return msgspec.json.decode(done.stdout, type=Verdict)


def codes(matches: Iterable[Described]) -> set[str]:
    """Every code with which anything in these matches was refused or found invalid."""
    said = (msgspec.json.decode(text) for text in _every_answer(matches))
    return {one[no] for one in said for no in ("refused", "invalid") if no in one}


def kinds(matches: Iterable[Described]) -> set[str]:
    """The stored names of the events in these matches."""
    said = (msgspec.json.decode(text) for text in _every_answer(matches))
    return {event["type"] for one in said for event in one.get("events", ())}


def _every_answer(matches: Iterable[Described]) -> Iterator[str]:
    for match in matches:
        for step in match.steps:
            yield step.answer
            yield from (tried.answer for tried in step.tries)
