"""Notices of public events, for people who do not watch.

A notice is made from public events and the public list alone, so nothing in it can differ if
something hidden does; that of an invalid submission is for its seat alone (`invalid_notice`).
"""

from collections.abc import Collection, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from domain.events import Event, Record
from domain.game import Result
from domain.match.events import (
    AwaitingChanged,
    MatchEnded,
    MatchPaused,
    MatchStarted,
    SubmissionInvalid,
)
from domain.rulings.events import MatchConfirmed, MatchRuled, MatchVoided
from domain.rulings.kinds import KindName
from domain.tournament.events import (
    MatchAdded,
    MatchCorrected,
    MatchSettled,
    PlayerNamed,
    TournamentCreated,
)
from domain.tournament.stage_events import CheckInOpened, ChoiceOpened, RoundPublished
from projections.audience.matches import MatchRow
from projections.audience.results import ShownResult, final_at_end, show_result
from projections.audience.view import Awaiting, awaiting_of
from projections.fields import Appeals, Player, Rule, Timestamp, rfc3339

Kind = Literal[
    "started", "awaiting", "ended", "ruling", "tournament", "reminder", "round_published",
    "check_in", "your_match", "choose_opponent", "submission_invalid",
]  # fmt: skip

OF_MATCHES = (
    MatchStarted, AwaitingChanged, MatchPaused, MatchEnded, MatchVoided, MatchConfirmed, MatchRuled,
)  # fmt: skip
OF_TOURNAMENTS = (TournamentCreated, PlayerNamed, MatchAdded, MatchSettled, MatchCorrected)
OF_ROUNDS = (RoundPublished, CheckInOpened)
KINDS = (*OF_MATCHES, *OF_TOURNAMENTS, *OF_ROUNDS, ChoiceOpened)
"""The events that notices are made from. All of them are public."""


class MatchTold(Struct, frozen=True):
    """Which match it is."""

    match: str
    game: str
    seats: Annotated[
        tuple[str, ...], Meta(description="The names of those who have the seats, in order")
    ]
    tournament: str | None


class AwaitingTold(MatchTold, frozen=True):
    """A match, and whom or what it waits for."""

    awaiting: Annotated[Awaiting, Meta(description="Whom or what the match waits for")]


class EndTold(MatchTold, frozen=True):
    """A match, and how it ended. A void one has no result, and says which match replaces it."""

    status: Literal["ended", "void"]
    result: ShownResult | None
    replaced_by: str | UnsetType | None = UNSET


class RulingNoticed(Struct, frozen=True):
    """A public ruling. `appeals` is the id of the ruling about which it decides."""

    n: int
    kind: KindName
    reason: str
    rule: Rule
    appeals: Appeals


class RulingTold(MatchTold, frozen=True):
    """A match, and what was ruled in it."""

    ruling: RulingNoticed


class InvalidTold(MatchTold, frozen=True):
    """A match in which a sealed submission of the `seat` does not count, and the rule's `code`. It
    is sent to that seat alone."""

    seat: int
    code: str


class TournamentTold(Struct, frozen=True):
    """A tournament and its name."""

    tournament: str
    name: str


class PlayerTold(Struct, frozen=True):
    """A tournament, and a player with the number in the roster."""

    tournament: str
    player: Player
    name: str


class MatchAddedTold(Struct, frozen=True):
    """A tournament, and a match in it with its players, seat by seat."""

    tournament: str
    match: str
    game: str
    players: tuple[int, ...]


class MatchResultTold(Struct, frozen=True):
    """A tournament, and how a match in it counts; without a result it does not."""

    tournament: str
    match: str
    result: Result | None


class TablePublished(Struct, frozen=True):
    """The players who meet at a table, in the order of their seats."""

    table: int
    players: tuple[int, ...]


class RoundTold(Struct, frozen=True):
    """A round of a stage: who meets whom, who has a bye, when it began and when it ends."""

    tournament: str
    stage: int
    round: int
    tables: tuple[TablePublished, ...]
    byes: tuple[int, ...]
    starts: Timestamp
    ends: Timestamp | None


class CheckInTold(Struct, frozen=True):
    """A tournament, and until when its players say that they are there."""

    tournament: str
    closes: Timestamp


class ChoiceTold(Struct, frozen=True):
    """A round of a show in which the player chooses an opponent, and until when."""

    tournament: str
    player: Player
    stage: int
    round: int
    until: Timestamp


class Notice(Struct, frozen=True):
    """A notice about a match or tournament, `subject`: its kind, when it happened in
    microseconds, and its data."""

    kind: Kind
    subject: str
    at: int
    type: str
    data: object

    @property
    def body(self) -> bytes:
        """The payload in the shape of the Standard Webhooks: type, timestamp, data."""
        payload = {"type": self.type, "timestamp": rfc3339(self.at), "data": self.data}
        return msgspec.json.encode(payload)


def rename_in_body(body: bytes, names: Collection[str], placeholder: str) -> bytes:
    """The body of a notice with `placeholder` in place of these names of those who play."""
    payload = msgspec.json.decode(body)
    data = payload["data"]
    if "seats" in data:
        data["seats"] = [placeholder if name in names else name for name in data["seats"]]
    if "player" in data and data.get("name") in names:
        data["name"] = placeholder
    return msgspec.json.encode(payload)


def notice_of(subject: str, record: Record[Event], row: MatchRow | None) -> Notice | None:
    """The notice of an event, if there is one; `row` is that of its match in the public list."""
    if isinstance(record.event, OF_TOURNAMENTS):
        what, of_tournament = _of_tournament(subject, record.event)
        return Notice("tournament", subject, record.at, f"tournament.{what}", of_tournament)
    if isinstance(record.event, OF_ROUNDS):
        kind, of_round = _of_round(subject, record.event)
        return Notice(kind, subject, record.at, f"tournament.{kind}", of_round)
    kind_and_data = None if row is None else _of_match(record.event, row)
    if kind_and_data is None:
        return None
    kind, data = kind_and_data
    return Notice(kind, subject, record.at, f"match.{kind}", data)


def invalid_notice(at: int, row: MatchRow, event: SubmissionInvalid) -> Notice:
    """The notice of a submission that does not count, for its seat alone."""
    data = InvalidTold(row.id, row.game, row.seats, row.tournament, event.seat, event.code)
    return Notice("submission_invalid", row.id, at, "match.submission_invalid", data)


def own_notice_of(tournament: str, record: Record[Event]) -> tuple[Notice, Sequence[int]] | None:
    """The notice of an event for certain players of a tournament alone, and who they are."""
    match record.event:
        case MatchAdded(match_id, game, players):
            kind: Kind = "your_match"
            data: Struct = MatchAddedTold(tournament, match_id, game, players)
        case ChoiceOpened(stage, number, player, until):
            kind, players = "choose_opponent", (player,)
            data = ChoiceTold(tournament, player, stage, number, rfc3339(until))
        case _:
            return None
    return Notice(kind, tournament, record.at, f"tournament.{kind}", data), players


def _of_round(tournament: str, event: RoundPublished | CheckInOpened) -> tuple[Kind, Struct]:
    if isinstance(event, CheckInOpened):
        return "check_in", CheckInTold(tournament, rfc3339(event.closes))
    tables = tuple(TablePublished(pairing.table, pairing.players) for pairing in event.pairings)
    byes = tuple(bye.player for bye in event.byes)
    starts, ends = rfc3339(event.starts), None if event.ends is None else rfc3339(event.ends)
    data = RoundTold(tournament, event.stage, event.round, tables, byes, starts=starts, ends=ends)
    return "round_published", data


def reminder_of(
    match: str, event: AwaitingChanged, row: MatchRow, seconds: int
) -> tuple[int, Notice] | None:
    """The reminder of a deadline, and when it is due: `seconds` before. It goes to all whom the
    phase awaits, whether or not they have submitted. None where there is no deadline."""
    if event.deadline is None or not event.seats:
        return None
    due = event.deadline - seconds * 1_000_000
    data = AwaitingTold(row.id, row.game, row.seats, row.tournament, awaiting_of(event))
    return due, Notice("reminder", match, due, "match.reminder", data)


def _of_match(event: Event, row: MatchRow) -> tuple[Kind, MatchTold] | None:
    of_match = row.id, row.game, row.seats, row.tournament
    match event:
        case MatchStarted():
            return "started", MatchTold(*of_match)
        case AwaitingChanged(seats, draw) if seats or draw is not None:
            return "awaiting", AwaitingTold(*of_match, awaiting_of(event))
        case MatchEnded():
            result = show_result(event.result, final_at_end(event))
            return "ended", EndTold(*of_match, "ended", result)
        case MatchVoided(replaced_by):
            return "ended", EndTold(*of_match, "void", None, replaced_by)
        case MatchConfirmed():
            return "ended", EndTold(*of_match, "ended", show_result(row.result, final=True))
        case MatchRuled(n, kind, reason, rule, appeals):
            return "ruling", RulingTold(*of_match, RulingNoticed(n, kind, reason, rule, appeals))
        case _:
            return None


def _of_tournament(tournament: str, event: Event) -> tuple[str, Struct]:
    match event:
        case TournamentCreated(name):
            return "created", TournamentTold(tournament, name)
        case PlayerNamed(player, name):
            return "player_entered", PlayerTold(tournament, player, name)
        case MatchAdded(match_id, game, players):
            return "match_added", MatchAddedTold(tournament, match_id, game, players)
        case MatchSettled(match_id, result):
            return "match_settled", MatchResultTold(tournament, match_id, result)
        case MatchCorrected(match_id, result):
            return "match_corrected", MatchResultTold(tournament, match_id, result)
    raise AssertionError(f"no notice is made of {event}")
