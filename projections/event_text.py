"""What happened, in a few words for people: who did it, and what it was.

The events of a game have no sentence each: their stored names and fields are words already.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from domain.draws import Flip, Part, Roll
from domain.events import Event, stored_name
from domain.key_events import ModeratorKeyEnded, ModeratorKeyIssued, SeatKeyEnded, SeatKeyIssued
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    DeadlinePassed,
    DeadlineSet,
    Directed,
    DrawAsked,
    DrawRefused,
    DrawSettled,
    DrawShown,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeatNamed,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
    SubmissionInvalid,
)
from projections import case_text, ruling_text
from projections.lines import data_of
from projections.plain_text import Names, person, plain
from projections.timestamps import rfc3339

SEATED = frozenset(
    (
        *("seat", "seats", "starter", "giver", "receiver", "to", "for"),
        *("candidate", "candidates", "winner", "winners", "losers"),
        *("folder", "kicked_out", "charged", "pools"),
    )
)
"""Fields of actions and events that contain seats, at any depth."""

LONGEST_HEX = 16
DEEPEST = 6
"""Maximum depth: no event of ours is deeper, and a forged one must not cost much time."""

_WORD = re.compile(r"[\w./:+-]+")
"""Text that can only be read as one value."""


def sentence(event: Event, names: Names) -> str:
    """What happened, as a phrase that follows the name of who did it."""
    worded = _SENTENCES.get(type(event))
    if worded is not None:
        return worded(event, names)
    title = stored_name(type(event)).split(".")[-2].replace("-", " ")
    fields = listed(_fields(event), names)
    return f"{title}: {fields}" if fields else title


# Fields.


def _fields(event: Event) -> dict[str, Any]:
    """The event's fields as every reader of the API sees them."""
    return data_of(event)


def listed(fields: Mapping[str, Any], names: Names) -> str:
    """All fields with their values."""
    return "; ".join(_field(name, value, names) for name, value in fields.items())


def _field(name: str, value: Any, names: Names) -> str:
    said = _value(value, names, name in SEATED)
    title = plain(str(name)).replace("_", " ")
    sits = name == "seat" and type(value) is int and 0 <= value < len(names)
    return said if sits else f"{title} {said}"


def _value(value: Any, names: Names, seated: bool = False, depth: int = 0) -> str:
    match value:
        case _ if depth > DEEPEST:
            return "…"
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case int() if seated and 0 <= value < len(names):
            return person(value, names)
        case bytes():
            return short(value)
        case list() | tuple():
            return "[" + ", ".join(_value(v, names, seated, depth + 1) for v in value) + "]"
        case dict():
            inside = (
                f"{plain(str(key))} {_value(one, names, seated or key in SEATED, depth + 1)}"
                for key, one in value.items()
            )
            return "{" + ", ".join(inside) + "}"
    said = plain(str(value))
    return said if _WORD.fullmatch(said) else f'"{said}"'


def short(raw: bytes) -> str:
    """The beginning of some bytes in hexadecimal: enough to find them again."""
    spelt = raw.hex()
    return spelt if len(spelt) <= LONGEST_HEX else spelt[:LONGEST_HEX] + "…"


# The events of a match.


def _created(event: MatchCreated, names: Names) -> str:
    cup = "" if event.tournament is None else f"; tournament {plain(event.tournament)}"
    return (
        f"created a match of {plain(event.game)}, rules {event.rules_version}, for {event.seats} "
        f"seats; chance {event.chance}; clock {event.clock}; "
        f"record {event.record.replace('_', ' ')}"
        f"{cup}; options {_value(event.options, ())}"
    )


def _committed(event: SeedCommitted, names: Names) -> str:
    return f"committed to the seed of epoch {event.epoch}: {short(event.commit)}"


def _sealed(event: SeedSealed, names: Names) -> str:
    return f"sealed the seed of epoch {event.epoch}: transcript {short(event.transcript)}"


def _revealed(event: SeedRevealed | SealedSeedRevealed, names: Names) -> str:
    return f"revealed the seed of epoch {event.epoch}: {short(event.seed)}"


def _received(event: ActionReceived, names: Names) -> str:
    rest = {name: value for name, value in event.action.items() if name != "type"}
    kind = plain(str(event.action.get("type"))).replace("_", " ")
    said = f"sent {kind}: {listed(rest, names)}" if rest else f"sent {kind}"
    keys = [] if event.key is None else [f"key {plain(event.key)}"]
    if isinstance(event.key_id, str):
        keys.append(f"by the seat's key {plain(event.key_id)}")
    return f"{said} ({', '.join(keys)})" if keys else said


def _awaiting(event: AwaitingChanged, names: Names) -> str:
    whom = [person(seat, names) for seat in event.seats]
    if event.draw is not None:
        whom.append(_draw(event.draw))
    phase = "" if event.phase is None else f"; phase {plain(event.phase)}"
    due = "" if event.deadline is None else f"; until {rfc3339(event.deadline)}"
    return f"the match waits for {', '.join(whom) or 'nobody'}{phase}{due}"


def _draw(draw: DrawShown | DrawAsked) -> str:
    if draw.id is None or draw.parts is None:
        return "a sealed draw"
    return f"the draw {plain(draw.id)} ({', '.join(map(_part, draw.parts))})"


def _part(part: Part) -> str:
    if isinstance(part, Flip):
        return f"flip {plain(part.label)}"
    if isinstance(part, Roll):
        return f"roll {plain(part.label)} of {part.sides} sides"
    return f"shuffle {_value(part.items, ())}"


def _settled(event: DrawSettled | SealedDrawSettled, names: Names) -> str:
    did = "drew" if event.by == "server" else "entered the draw"
    return f"{did} {plain(event.id)}: {_outcome(event.outcome)}"


def _draw_refused(event: DrawRefused, names: Names) -> str:
    return f"entered the draw {plain(event.id)}, in vain: {_outcome(event.outcome)}"


def _outcome(outcome: tuple[Any, ...]) -> str:
    return ", ".join(_value(part, ()) for part in outcome) or "nothing"


def _directed(event: Directed, names: Names) -> str:
    who = "a key without a name" if event.by is None else plain(event.by)
    return f"directed by {who}, key {plain(event.key_id)}{_origin(event)}"


def _origin(event: Directed) -> str:
    """Who issued the key with which somebody judged, and since when it is theirs."""
    if isinstance(event.issuer, UnsetType):
        return ""
    by = plain(event.issued_by or "a key without a name")
    since = event.theirs_since or None
    theirs = "not renewed since" if since is None else f"theirs since {rfc3339(since)}"
    return f", issued by {by} ({plain(event.issuer)}), {theirs}"


def _key_issued(event: SeatKeyIssued, names: Names) -> str:
    if event.renews is not UNSET:
        return f"renewed the key {plain(event.renews)}: {plain(event.key_id)}"
    return f"issued one more key to {person(event.seat, names)}: {plain(event.key_id)}"


def _key_ended(event: SeatKeyEnded, names: Names) -> str:
    return f"ended a key of {person(event.seat, names)}: {plain(event.key_id)}"


def _moderator_key_issued(event: ModeratorKeyIssued, names: Names) -> str:
    if event.renews is not UNSET:
        return f"renewed the key {plain(event.renews)}: {plain(event.key_id)}"
    whom = "a moderator" if event.name is None else f"the moderator {plain(event.name)}"
    return f"issued one more key to {whom}: {plain(event.key_id)}"


def _deadline_set(event: DeadlineSet, names: Names) -> str:
    if event.because == "ruling":
        return f"the deadline of phase {plain(event.phase)} is {rfc3339(event.deadline)}"
    return (
        f"was away from {rfc3339(event.begun)} to {rfc3339(event.ended)}, so the deadline of phase "
        f"{plain(event.phase)} is {rfc3339(event.deadline)}"
    )


def _paused(event: MatchPaused, names: Names) -> str:
    left = "" if event.left is None else f", {event.left / 1_000_000:g} s before its deadline"
    return f"paused the match{left}"


def _ended(event: MatchEnded, names: Names) -> str:
    result = listed(_fields(event)["result"], names)
    if event.protests_until is UNSET:
        return f"the match is over: {result}"
    until = rfc3339(event.protests_until)
    return f"the match has ended: {result}; provisional, protests until {until}"


_SENTENCES: dict[type[Event], Callable[[Any, Names], str]] = {
    MatchCreated: _created,
    SeatNamed: lambda event, _: f"seat {event.seat} is {plain(event.name)}",
    SeedCommitted: _committed,
    ClientSeedGiven: lambda event, _: f'added a client seed: "{plain(event.seed)}"',
    SeedSealed: _sealed,
    SeedRevealed: _revealed,
    SealedSeedRevealed: _revealed,
    MatchStarted: lambda _event, _names: "started the match",
    ActionReceived: _received,
    ActionRefused: lambda _event, _names: "refused it: it changes nothing",
    SubmissionInvalid: lambda _event, _names: "found it invalid: it is kept and does not count",
    AwaitingChanged: _awaiting,
    DrawAsked: lambda event, _: f"ask for {_draw(event)}",
    DrawSettled: _settled,
    SealedDrawSettled: _settled,
    DrawRefused: _draw_refused,
    DeadlinePassed: lambda event, _: f"the deadline of phase {plain(event.phase)} passed",
    DeadlineSet: _deadline_set,
    Directed: _directed,
    PhaseClosed: lambda event, _: f"closed phase {plain(event.phase)} by hand",
    SeatKeyIssued: _key_issued,
    SeatKeyEnded: _key_ended,
    ModeratorKeyIssued: _moderator_key_issued,
    ModeratorKeyEnded: lambda event, _: f"ended a moderator's key: {plain(event.key_id)}",
    MatchPaused: _paused,
    MatchResumed: lambda _event, _names: "let the match go on",
    MatchEnded: _ended,
    **case_text.SENTENCES,
    **ruling_text.SENTENCES,
}
