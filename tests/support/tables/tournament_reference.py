"""A tournament folded from its whole record, as plainly as possible: the expected read models."""

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from domain.events import Event, Record
from domain.game import Result
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchSettled,
    PlayerNamed,
)
from projections.tournaments.ledger import LedgerEntry, entry_of
from projections.tournaments.standings import Standing


def standings_of(events: Sequence[Event]) -> list[Standing]:
    """The standings of the tournament."""
    players = [e.name for e in events if isinstance(e, PlayerNamed)]
    matches: dict[str, tuple[tuple[int, ...], Result | None]] = {}
    for event in events:
        match event:
            case MatchAdded(match, _, seats):
                matches[match] = seats, None
            case MatchSettled(match, result) | MatchCorrected(match, result):
                matches[match] = matches[match][0], result
    rows = [_standing(n, name, list(matches.values())) for n, name in enumerate(players)]
    return sorted(rows, key=lambda row: (-row.won, -row.shared, row.name))


def _standing(
    player: int, name: str, matches: Sequence[tuple[tuple[int, ...], Result | None]]
) -> Standing:
    outcomes = []
    for players, result in matches:
        if result is not None and player in players:
            seat = players.index(player)
            won = "shared" if result.shared else "won"
            outcomes.append(
                won if seat in result.winners else "lost" if seat in result.losers else ""
            )
    counts = [outcomes.count(outcome) for outcome in ("won", "shared", "lost")]
    return Standing(player, name, len(outcomes), *counts)


def postings(records: Iterable[Record[Event]], player: int | None) -> list[LedgerEntry]:
    """The postings of a player, or of everyone, as their ledger counts them."""
    every = [
        (record.at, record.event) for record in records if isinstance(record.event, GarnetsPosted)
    ]
    own = [(at, event) for at, event in every if player in (None, event.seat)]
    return [
        entry_of(seq, at, event, _reversed(event, [of_all for _, of_all in every], player))
        for seq, (at, event) in enumerate(own, 1)
    ]


def _reversed(
    event: GarnetsPosted, every: Sequence[GarnetsPosted], player: int | None
) -> int | None:
    """The number of the posting that another one reverses: it is named by that of its player."""
    if event.reverses is UNSET or player is not None:
        return None if event.reverses is UNSET else event.reverses
    places = [n for n, posted in enumerate(every, 1) if posted.seat == event.seat]
    return places[event.reverses - 1]
