"""A tournament folded from its whole record, as plainly as possible: the expected read models."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from domain.events import Event, Record
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchGiven,
    MatchSettled,
    ModeratorNamed,
    PlayerNamed,
    TournamentCreated,
)
from domain.tournament.staff_events import MatchTaken
from projections.tournaments.ledger import LedgerEntry, entry_of
from projections.tournaments.standings import Standing
from projections.tournaments.tournaments import MatchShown, ShownTournament


def shown(events: Sequence[Event], statuses: Mapping[str, str]) -> ShownTournament:
    """The tournament's public view, with these statuses of its matches."""
    (name,) = [e.name for e in events if isinstance(e, TournamentCreated)]
    players = [e.name for e in events if isinstance(e, PlayerNamed)]
    matches: dict[str, MatchShown] = {}
    for event in events:
        match event:
            case MatchAdded(match, game, seats):
                matches[match] = MatchShown(match, game, seats)
            case MatchGiven(match, moderator):
                given = (*matches[match].moderators, moderator)
                matches[match] = replace(matches[match], moderators=given)
            case MatchTaken(match, moderator):
                left = tuple(one for one in matches[match].moderators if one != moderator)
                matches[match] = replace(matches[match], moderators=left)
            case MatchSettled(match, result) | MatchCorrected(match, result):
                matches[match] = replace(matches[match], result=result)
    rows = [_standing(n, name, list(matches.values())) for n, name in enumerate(players)]
    return ShownTournament(
        name,
        tuple(players),
        tuple(e.name for e in events if isinstance(e, ModeratorNamed)),
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
