"""Cases: what someone says went wrong in a match, and how it is closed (/docs/cases).

What a case adds to the record of its match or tournament is in `on_record`.
"""

from collections.abc import Iterable

from domain.cases.state import (
    Case,
    CaseAppealed,
    CaseClosed,
    CasePublished,
    CaseStated,
    PartyAdded,
)
from domain.events import later
from domain.match.commands import Conflict, check_judge
from domain.match.deadlines import DAY
from domain.people import Actor

MOST_OPEN = 10
"""Maximum open cases of a match to which one seat is a party, or of a tournament to which one
player is, beyond which they open no other."""

SEAT_BYTES = 64 * 1024
"""Maximum bytes that one seat says in all cases of a match, or one player in those of a
tournament."""

APPEAL_TIME = DAY
"""Microseconds for which a closed case can be appealed."""


def appeal_until(case: Case) -> int | None:
    """Until when the case can be appealed, in microseconds; None if it cannot be."""
    if case.closed_at is None or case.appealed:
        return None
    return later(case.closed_at, APPEAL_TIME)


def state(case: Case, event: CaseStated) -> list[CaseStated]:
    """A party or a moderator says something. Raises Conflict."""
    _check_open(case)
    return [event]


def add_party(case: Case, party: int, actor: Actor) -> list[PartyAdded]:
    """A moderator makes a seat or a player a party; nothing happens if it is one. Raises
    Conflict."""
    _check_open(case)
    return [] if party in case.parties else [PartyAdded(party, actor)]


def publish(case: Case, actor: Actor) -> list[CasePublished]:
    """An organiser lets everyone read the case; nothing happens if they can."""
    return [] if case.public else [CasePublished(actor)]


def close(case: Case, players: Iterable[str], note: str, actor: Actor) -> list[CaseClosed]:
    """A moderator or an organiser closes the case by a note: none of the `players`, nor anyone who
    has closed the case before. Raises Conflict."""
    _check_open(case)
    check_judge(actor, players, case.people)
    return [CaseClosed(None, note, actor.by, (actor.person,))]


def closed_by_ruling(case: Case, ruling: str, people: tuple[str, ...]) -> list[CaseClosed]:
    """A ruling of these people closes the case. Raises Conflict."""
    _check_open(case)
    return [CaseClosed(ruling, None, None, people)]


def appeal(case: Case, event: CaseAppealed, at: int) -> list[CaseAppealed]:
    """A party appeals at `at` against how the case was closed. Raises Conflict."""
    if case.appealed:
        raise Conflict("already_appealed")
    until = appeal_until(case)
    if until is None:
        raise Conflict("case_open")
    if at >= until:
        raise Conflict("appeal_too_late")
    return [event]


def _check_open(case: Case) -> None:
    if not case.is_open:
        raise Conflict("case_closed")
