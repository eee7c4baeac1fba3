"""A tournament folded from its whole record, as plainly as possible: the expected read models."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from domain.events import Event, Record
from domain.tournament_events import (
    GarnetsPosted,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    ModeratorAppointed,
    PlayerEntered,
    TournamentCreated,
)
from projections.ledger import Posted
from projections.standings import Standing
from projections.tournaments import MatchShown, Shown


def shown(events: Sequence[Event], statuses: Mapping[str, str]) -> Shown:
    """The tournament's public view, with these statuses of its matches."""
    (name,) = [e.name for e in events if isinstance(e, TournamentCreated)]
    players = [e.name for e in events if isinstance(e, PlayerEntered)]
    matches: dict[str, MatchShown] = {}
    for event in events:
        match event:
            case MatchAdded(match, game, seats):
                matches[match] = MatchShown(match, game, seats)
            case MatchGiven(match, moderator):
                given = (*matches[match].moderators, moderator)
                matches[match] = replace(matches[match], moderators=given)
            case MatchSettled(match, result):
                matches[match] = replace(matches[match], result=result)
    rows = [_standing(n, name, list(matches.values())) for n, name in enumerate(players)]
    return Shown(
        name,
        tuple(players),
        tuple(e.name for e in events if isinstance(e, ModeratorAppointed)),
        [(match, statuses[match.match]) for match in matches.values()],
        sorted(rows, key=lambda row: (-row.won, -row.shared, row.name)),
    )


def _standing(player: int, name: str, matches: Sequence[MatchShown]) -> Standing:
    outcomes = []
    for match in matches:
        if match.result is not None and player in match.players:
            seat, result = match.players.index(player), match.result
            won = "shared" if result.shared else "won"
            outcomes.append(
                won if seat in result.winners else "lost" if seat in result.losers else ""
            )
    counts = [outcomes.count(outcome) for outcome in ("won", "shared", "lost")]
    return Standing(player, name, len(outcomes), *counts)


def postings(records: Iterable[Record[Event]], player: int | None) -> list[Posted]:
    """The postings of a player, or of everybody, as their ledger counts them."""
    found = [
        (record.at, record.event)
        for record in records
        if isinstance(record.event, GarnetsPosted) and player in (None, record.event.seat)
    ]
    return [Posted(seq, at, event) for seq, (at, event) in enumerate(found, 1)]
