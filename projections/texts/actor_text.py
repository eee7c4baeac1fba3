"""Who did what is on the record of a match, in words.

`texts/actors.json` says who does what by stored names; what is not in it the rules do by
themselves. `housekeeping` is what the service records for its own order: events in which
no one did anything, and which an audit folds away.
"""

from functools import cache

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.cases.match_events import MatchCaseOpened
from domain.events import Event, stored_name
from domain.match.commands import REUSED_KEY
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    ClientSeedGiven,
    DeadlineSet,
    Directed,
    DrawSettled,
    SealedDrawSettled,
)
from domain.match.key_events import ModeratorKeyIssued, SeatKeyIssued
from domain.rulings.events import RulingConsented
from projections.texts import FOLDER
from projections.texts.plain_text import Names, person, plain, quote_name


class Actors(Struct, frozen=True):
    """Stored names: by who does them, and those of housekeeping."""

    actors: dict[str, frozenset[str]]
    housekeeping: frozenset[str]


@cache
def known_actors() -> Actors:
    """What `actors.json` says."""
    return msgspec.json.decode(FOLDER.joinpath("actors.json").read_bytes(), type=Actors)


def actor(event: Event, names: Names, directed: Directed | None = None) -> str:
    """Who did it: a player, a moderator (an organiser acts as one), the clock, the dealer who
    draws, the service, or the rules, which did it by themselves. `directed` names a moderator, or
    the seat that asks for a ruling, where the reader may see it."""
    if directed is not None and not isinstance(directed.giver, UnsetType):
        return person(directed.giver, names)
    role = _role(event, names)
    if role not in ("moderator", "organiser") or directed is None:
        return role
    if directed.by is None:
        return f"{role} (key {plain(directed.key_id)})"
    return f"{role} {quote_name(directed.by)}"


def _role(event: Event, names: Names) -> str:
    match event:
        case ActionReceived() | ClientSeedGiven():
            return person(event.seat, names)
        case SeatKeyIssued() if event.renews is not UNSET:
            return person(event.seat, names)
        case ModeratorKeyIssued() if event.renews is not UNSET:
            return "moderator"
        case MatchCaseOpened(_, True):
            return "seat"
        case RulingConsented():
            return person(event.giver, names)
        case DeadlineSet(because="ruling"):
            return "rules"
        case DrawSettled() | SealedDrawSettled():
            return "dealer" if event.by == "server" else "moderator"
        case ActionRefused(_, code):
            return "service" if code == REUSED_KEY else "rules"
    kind = stored_name(type(event))
    return next((who for who, does in known_actors().actors.items() if kind in does), "rules")
