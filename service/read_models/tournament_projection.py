"""The tournament projection: applies a page of the log to the players, moderators, matches and
standings of tournaments, and reads them again."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from domain.events import Event
from domain.names import spoken
from domain.tournament_events import (
    MatchAdded,
    MatchSettled,
    ModeratorNamed,
    PlayerNamed,
    TournamentCreated,
)
from projections.standings import NO_MATCHES, Standing, Tally, changed, ranked, total
from projections.tournaments import (
    LISTED,
    SHOWN,
    MatchShown,
    Shown,
    TournamentRow,
    list_tournament,
    show_match,
)
from service.event_store.bulk_sql import write_rows
from service.event_store.database import Cursor, Database
from service.read_models.match_projection import StreamRecord, listed_rows
from service.read_models.sequence import SequenceNumbers

KINDS = (*LISTED, PlayerNamed, ModeratorNamed, *SHOWN)
"""The events that change the tables of tournaments."""

E = TypeVar("E", bound=Event)

_encoder = msgspec.json.Encoder()
_decode_match = msgspec.json.Decoder(MatchShown).decode
decode_tournament = msgspec.json.Decoder(TournamentRow).decode


def apply_page(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    """Applies a page of the log to the tables of tournaments."""
    _update_list(cursor, [change for change in page if isinstance(change.record.event, LISTED)])
    _index_names(cursor, page)
    write_rows(
        cursor,
        "INSERT INTO arbiter1_standings VALUES (?, ?, ?, 0, 0, 0, 0)",
        [(stream, e.player, e.name) for stream, e in _events_of(page, PlayerNamed)],
    )
    write_rows(
        cursor,
        "INSERT INTO arbiter1_moderators VALUES (?, ?, ?)",
        [(stream, e.moderator, e.name) for stream, e in _events_of(page, ModeratorNamed)],
    )
    _update_matches(cursor, page)
    settled = [(event.match,) for _, event in _events_of(page, MatchSettled)]
    write_rows(cursor, "INSERT INTO arbiter1_settled VALUES (?) ON CONFLICT DO NOTHING", settled)


def _events_of(page: Iterable[StreamRecord], kind: type[E]) -> list[tuple[str, E]]:
    """The events of one kind, each with the id of its tournament."""
    return [(stream, record.event) for stream, record in page if isinstance(record.event, kind)]


def _update_list(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    found = listed_rows(cursor, "arbiter1_tournaments", {tournament for tournament, _ in page})
    rows = {tournament: decode_tournament(row) for tournament, row in found.items()}
    for tournament, record in page:
        row = list_tournament(tournament, rows.get(tournament), record)
        # Without a row its creation could not be read.
        if row is None:
            continue
        rows[tournament] = row
    write_rows(
        cursor,
        "INSERT INTO arbiter1_tournaments VALUES (?, ?) "
        "ON CONFLICT (id) DO UPDATE SET listed = excluded.listed",
        [(tournament, _encoder.encode(row)) for tournament, row in rows.items()],
    )


def _index_names(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    """Makes tournaments searchable by their own name and those of their players."""
    names = [(spoken(event.name), stream) for stream, event in _events_of(page, TournamentCreated)]
    names += [(spoken(event.name), stream) for stream, event in _events_of(page, PlayerNamed)]
    write_rows(cursor, "INSERT INTO arbiter1_called VALUES (?, ?) ON CONFLICT DO NOTHING", names)


def _update_matches(cursor: Cursor, page: Sequence[StreamRecord]) -> None:
    """Updates the matches of tournaments that have changed, and the standings with them."""
    changes = [change for change in page if isinstance(change.record.event, SHOWN)]
    added = {event.match: stream for stream, event in _events_of(page, MatchAdded)}
    known = {record.event.match for _, record in changes} - set(added)  # type: ignore[attr-defined]  # SHOWN have it
    found = listed_rows(cursor, "arbiter1_added", known, "match", "shown")
    before = {match: _decode_match(row) for match, row in found.items()}
    shown = dict(before)
    for _, record in changes:
        match: str = record.event.match  # type: ignore[attr-defined]  # SHOWN have it
        after = show_match(shown.get(match), record.event)
        if after is not None:
            shown[match] = after
    numbers = SequenceNumbers(
        cursor, "arbiter1_added", ("tournament",), "number", [(t,) for t in added.values()]
    )
    write_rows(
        cursor,
        "INSERT INTO arbiter1_added VALUES (?, ?, ?, ?)",
        [(m, t, numbers.next(t), _encoder.encode(shown[m])) for m, t in added.items()],
    )
    write_rows(
        cursor,
        "WITH given (id, now) AS (VALUES (?, ?)) "
        "UPDATE arbiter1_added SET shown = now FROM given WHERE match = id",
        [(match, _encoder.encode(shown[match])) for match in found],
    )
    tournaments = {record.event.match: stream for stream, record in changes}  # type: ignore[attr-defined]  # SHOWN have it
    _update_standings(cursor, before, shown, tournaments)


def _update_standings(
    cursor: Cursor,
    before: Mapping[str, MatchShown],
    after: Mapping[str, MatchShown],
    tournaments: Mapping[str, str],
) -> None:
    """Changes the standings by the matches that count otherwise than before."""
    tallies: dict[tuple[str, int], Tally] = {}
    for match, shown in after.items():
        counted_before = before[match].result if match in before else None
        if shown.result == counted_before:
            continue
        for player, more in changed(shown.players, counted_before, shown.result).items():
            key = tournaments[match], player
            tallies[key] = total(tallies.get(key, NO_MATCHES), more)
    write_rows(
        cursor,
        "WITH more (tournament, player, played, won, shared, lost) AS (VALUES (?, ?, ?, ?, ?, ?)) "
        "UPDATE arbiter1_standings AS so_far SET played = so_far.played + more.played, "
        "won = so_far.won + more.won, shared = so_far.shared + more.shared, "
        "lost = so_far.lost + more.lost FROM more "
        "WHERE so_far.tournament = more.tournament AND so_far.player = more.player",
        [(*key, *tally) for key, tally in tallies.items()],
    )


# A tournament's page.


def shown(database: Database, tournament: str) -> Shown | None:
    """The tournament as everybody may see it, from one snapshot; None if it does not exist."""
    parameters = (tournament,)
    found, standings, moderators, matches = database.select_at_once(
        ("SELECT listed FROM arbiter1_tournaments WHERE id = ?", parameters),
        (
            "SELECT player, name, played, won, shared, lost FROM arbiter1_standings "
            "WHERE tournament = ? ORDER BY player",
            parameters,
        ),
        (
            "SELECT name FROM arbiter1_moderators WHERE tournament = ? ORDER BY moderator",
            parameters,
        ),
        (
            # The log may have a match added to the tournament before it is created.
            "SELECT shown, COALESCE(status, 'created') FROM arbiter1_added "
            "LEFT JOIN arbiter1_matches ON id = match "
            "WHERE arbiter1_added.tournament = ? ORDER BY number",
            parameters,
        ),
    )
    if not found:
        return None
    players = [Standing(*row) for row in standings]
    return Shown(
        decode_tournament(found[0][0]).name,
        tuple(player.name for player in players),
        tuple(name for (name,) in moderators),
        [(_decode_match(row), status) for row, status in matches],
        ranked(players),
    )
