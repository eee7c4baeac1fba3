"""Notices: what a public event tells someone who is not there.

A notice is made from public events and the public list alone, so nothing in it can differ if
something hidden does.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct

from domain.events import Event, Record
from domain.match.events import AwaitingChanged, MatchEnded, MatchPaused, MatchStarted
from domain.rulings.events import MatchConfirmed, MatchRuled, MatchVoided
from domain.tournament.events import (
    MatchAdded,
    MatchCorrected,
    MatchSettled,
    PlayerNamed,
    TournamentCreated,
)
from projections.audience.matches import MatchRow
from projections.audience.results import final_at_end, shown
from projections.texts.timestamps import rfc3339

Kind = Literal["started", "awaiting", "ended", "ruling", "tournament", "reminder"]

OF_MATCHES = (
    MatchStarted, AwaitingChanged, MatchPaused, MatchEnded, MatchVoided, MatchConfirmed, MatchRuled,
)  # fmt: skip
OF_TOURNAMENTS = (TournamentCreated, PlayerNamed, MatchAdded, MatchSettled, MatchCorrected)
KINDS = (*OF_MATCHES, *OF_TOURNAMENTS)
"""The events that notices are made from. All of them are public."""


class Notice(Struct, frozen=True):
    """What is told of a match or tournament, `subject`: its kind, when it happened in microseconds,
    and what is said."""

    kind: Kind
    subject: str
    at: int
    type: str
    data: dict[str, Any]

    @property
    def body(self) -> bytes:
        """The payload in the shape of the Standard Webhooks: type, timestamp, data."""
        told = {"type": self.type, "timestamp": rfc3339(self.at), "data": self.data}
        return msgspec.json.encode(told)


def notice_of(subject: str, record: Record[Event], row: MatchRow | None) -> Notice | None:
    """The notice of an event, if there is one; `row` is that of its match in the public list."""
    event = record.event
    if isinstance(event, OF_TOURNAMENTS):
        return _of_tournament(subject, record.at, event)
    if row is None:
        return None
    told = _of_match(event, row)
    if told is None:
        return None
    kind, data = told
    return Notice(kind, subject, record.at, f"match.{kind}", {**_named(row), **data})


def reminder_of(
    match: str, event: AwaitingChanged, row: MatchRow, seconds: int
) -> "tuple[int, Notice] | None":
    """The reminder of a deadline, and when it is due: `seconds` before. It goes to all whom the
    phase awaits, whether or not they have submitted. None where there is no deadline."""
    if event.deadline is None or not event.seats:
        return None
    due = event.deadline - seconds * 1_000_000
    data = {**_named(row), **_awaited(event)}
    return due, Notice("reminder", match, due, "match.reminder", data)


def _of_match(event: Event, row: MatchRow) -> tuple[Kind, dict[str, Any]] | None:
    match event:
        case MatchStarted():
            return "started", {}
        case AwaitingChanged(seats, draw) if seats or draw is not None:
            return "awaiting", _awaited(event)
        case MatchEnded():
            result = shown(event.result, final_at_end(event))
            return "ended", {"status": "ended", "result": _plain(result)}
        case MatchVoided(replaced_by):
            return "ended", {"status": "void", "result": None, "replaced_by": replaced_by}
        case MatchConfirmed():
            result = shown(row.result, final=True)
            return "ended", {"status": "ended", "result": _plain(result)}
        case MatchRuled(n, kind, reason, rule, appeals):
            said = {"n": n, "kind": kind, "reason": reason, "rule": rule, "appeals": appeals}
            return "ruling", {"ruling": said}
        case _:
            return None


def _awaited(event: AwaitingChanged) -> dict[str, Any]:
    """Whom the match waits for, as its view says it."""
    deadline = None if event.deadline is None else rfc3339(event.deadline)
    awaiting = {"seats": event.seats, "draw": _plain(event.draw), "deadline": deadline}
    return {"awaiting": awaiting}


def _of_tournament(tournament: str, at: int, event: Event) -> Notice:
    what = str(event.__struct_config__.tag).split(".")[1].replace("-", "_")
    fields = {name: value for name, value in _plain(event).items() if name != "type"}
    if isinstance(event, PlayerNamed):
        what, fields = "player_entered", {"player": event.player, "name": event.name}
    return Notice(
        "tournament", tournament, at, f"tournament.{what}", {"tournament": tournament, **fields}
    )


def _named(row: MatchRow) -> Mapping[str, Any]:
    """What tells people which match it is."""
    return {
        "match": row.id, "game": row.game, "seats": row.seats, "tournament": row.tournament
    }  # fmt: skip


def _plain(value: object) -> Any:
    return None if value is None or value is UNSET else msgspec.to_builtins(value)
