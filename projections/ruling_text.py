"""Rulings in a few words for people."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.events import Event
from domain.rewind_events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    PublicReapplied,
    Reapplied,
    RewindOrdered,
    SealedReapplied,
    SeatReapplied,
)
from domain.ruling_events import (
    ConsentAsked,
    ConsentClosed,
    MatchConfirmed,
    MatchRuled,
    MatchVoided,
    Noted,
    PublicNoted,
    ResultRuled,
    Ruled,
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
from domain.ruling_kinds import KindName, kind_of
from projections.plain_text import person, plain

Names = Sequence[str]

KINDS: Mapping[KindName, str] = {
    "pause": "to pause the match",
    "resume": "to let the match go on",
    "extend": "to extend the deadline",
    "note": "to note something",
    "result": "to decide the result",
    "void": "to void the match",
    "replace_seat": "to replace the player of a seat",
    "rewind": "to rewind the match",
    "confirm": "to confirm the result",
}
"""What a ruling is, behind `ruled`."""

ACTORS: Mapping[type[Event], str] = {
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
"""Who did it; of others the rules of rulings did."""


def _ruled(event: Ruled, names: Names) -> str:
    number = f" (ruling {event.n})" if isinstance(event, MatchRuled) else ""
    rule = "" if event.rule is None else f"; by rule {plain(event.rule)}"
    appeals = "" if event.appeals is None else f"; on the appeal against {plain(event.appeals)}"
    return f'ruled {KINDS[event.kind]}{number}: "{plain(event.reason)}"{rule}{appeals}'


def _ordered(event: RulingOrdered, names: Names) -> str:
    case = "" if event.case is None else f"; it closes case {plain(event.case)}"
    return f"ruling {plain(event.id)} was carried out{case}"


def _proposed(event: RulingProposed, names: Names) -> str:
    what = KINDS[kind_of(event.ruling)]
    asked = " or for every seat's consent" if event.ask_seats else ""
    return (
        f'proposed {what}: "{plain(event.reason)}"; ruling {plain(event.id)} waits for a second '
        f"person{asked}"
    )


def _asked(event: ConsentAsked, names: Names) -> str:
    whom, what = person(event.seat, names), KINDS[event.kind]
    return f'asked {whom} for consent {what}: "{plain(event.reason)}"; ruling {plain(event.id)}'


def _closed(event: ConsentClosed, names: Names) -> str:
    return f"{person(event.seat, names)} need not consent to ruling {plain(event.id)} any more"


def _voided(event: MatchVoided, names: Names) -> str:
    instead = "" if event.replaced_by is None else f"; match {plain(event.replaced_by)} replaces it"
    return f"the match is void{instead}"


def _noted(event: Noted, names: Names) -> str:
    return f'{event.severity}: "{plain(event.text)}"'


def _rewound(event: MatchRewound, names: Names) -> str:
    return f"the match goes on before event {event.before}: branch {event.branch} begins"


def _rewind_ordered(event: RewindOrdered, names: Names) -> str:
    again = ", and later inputs are judged again" if event.reapply == "while_legal" else ""
    return f"{len(event.changes)} changes were ordered{again}"


def _struck(event: ActionStruck, names: Names) -> str:
    return f"the action of {person(event.seat, names)} in event {event.of} is struck"


def _admitted(event: ActionAdmitted, names: Names) -> str:
    return f"the action of {person(event.seat, names)} in event {event.of} counts after all"


def _reapplied(event: Reapplied, names: Names) -> str:
    return f"the input in event {event.of} is judged again"


SENTENCES: Mapping[type[Event], Callable[[Any, Names], str]] = {
    MatchRuled: _ruled,
    SeatRuled: _ruled,
    SealedRuled: _ruled,
    RulingOrdered: _ordered,
    RulingProposed: _proposed,
    RulingWithdrawn: lambda event, _: f"withdrew ruling {plain(event.id)}",
    RulingLapsed: lambda event, _: f"ruling {plain(event.id)} lapsed: nobody seconded it",
    RulingConsented: lambda event, _: f"consented to ruling {plain(event.id)}",
    MatchRewound: _rewound,
    RewindOrdered: _rewind_ordered,
    ActionStruck: _struck,
    ActionAdmitted: _admitted,
    PublicReapplied: _reapplied,
    SeatReapplied: _reapplied,
    SealedReapplied: _reapplied,
    ConsentAsked: _asked,
    ConsentClosed: _closed,
    SeatReplaced: lambda event, names: f"{person(event.seat, names)} is replaced",
    ResultRuled: lambda event, _: f"the result is ruled: {event.because}",
    MatchVoided: _voided,
    MatchConfirmed: lambda _event, _names: "the result is final",
    PublicNoted: _noted,
    SeatNoted: _noted,
    SealedNoted: _noted,
}
