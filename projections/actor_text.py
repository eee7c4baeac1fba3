"""Who did what is on the record of a match, in words."""

from msgspec import UNSET

from domain.case_events import MatchCaseClosed, MatchCaseOpened
from domain.commands import REUSED_KEY
from domain.events import Event
from domain.key_events import ModeratorKeyEnded, ModeratorKeyIssued, SeatKeyEnded, SeatKeyIssued
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    ClientSeedGiven,
    DeadlinePassed,
    DeadlineSet,
    Directed,
    DrawRefused,
    DrawSettled,
    MatchCreated,
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
)
from domain.rewind_events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    PublicReapplied,
    RewindOrdered,
    SealedReapplied,
    SeatReapplied,
)
from domain.ruling_events import (
    ConsentAsked,
    ConsentClosed,
    MatchRuled,
    MatchVoided,
    PublicNoted,
    ResultRuled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedNoted,
    SealedRuled,
    SeatNoted,
    SeatReplaced,
    SeatRuled,
)
from projections.plain_text import Names, person, plain, quoted

_DIRECTING = ("moderator", "organiser")


def actor(event: Event, names: Names, directed: Directed | None = None) -> str:
    """Who did it: a player, a moderator (an organiser acts as one), the clock, the dealer who
    draws, the service, or the rules, which did it by themselves. `directed` names a moderator,
    where the reader may see it."""
    role = _role(event, names)
    if role not in _DIRECTING or directed is None:
        return role
    if directed.by is None:
        return f"{role} (key {plain(directed.key_id)})"
    return f"{role} {quoted(directed.by)}"


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
    return _ACTORS.get(type(event), "rules")


_ACTORS: dict[type[Event], str] = {
    MatchCreated: "organiser",
    SeedCommitted: "service",
    SeatNamed: "service",
    SeedSealed: "service",
    SeedRevealed: "service",
    SealedSeedRevealed: "service",
    MatchStarted: "moderator",
    DrawRefused: "moderator",
    DeadlinePassed: "clock",
    DeadlineSet: "service",
    Directed: "service",
    PhaseClosed: "moderator",
    SeatKeyIssued: "organiser",
    SeatKeyEnded: "moderator",
    ModeratorKeyIssued: "organiser",
    ModeratorKeyEnded: "moderator",
    MatchPaused: "moderator",
    MatchResumed: "moderator",
    MatchCaseOpened: "moderator",
    MatchCaseClosed: "moderator",
    MatchRuled: "moderator",
    SeatRuled: "moderator",
    SealedRuled: "moderator",
    SeatReplaced: "moderator",
    ResultRuled: "moderator",
    MatchVoided: "moderator",
    PublicNoted: "moderator",
    SeatNoted: "moderator",
    SealedNoted: "moderator",
    RulingProposed: "moderator",
    RulingWithdrawn: "moderator",
    RulingLapsed: "clock",
    RulingOrdered: "service",
    MatchRewound: "moderator",
    RewindOrdered: "service",
    ActionStruck: "moderator",
    ActionAdmitted: "moderator",
    PublicReapplied: "rules",
    SeatReapplied: "rules",
    SealedReapplied: "rules",
    ConsentAsked: "service",
    ConsentClosed: "service",
}
