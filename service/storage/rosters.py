"""What a page of the log changes in the tournaments of the index: who plays and moderates, which
matches they play, and the standings."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from domain.events import Event
from domain.seats import spoken
from domain.tournament_events import (
    MatchAdded,
    MatchSettled,
    ModeratorAppointed,
    PlayerEntered,
    TournamentCreated,
)
from projections.standings import Standing, Tally, counted, ranked
from projections.tournaments import (
    LISTED,
    SHOWN,
    MatchShown,
    Shown,
    TournamentRow,
    list_tournament,
    show_match,
)
from service.storage.database import Cursor, Database
from service.storage.listing import Read, listed
from service.storage.numbering import Numbers
from service.storage.statements import put

KINDS = (*LISTED, *SHOWN)
"""The events that change anything here."""

E = TypeVar("E", bound=Event)

_encoder = msgspec.json.Encoder()
_decode_match = msgspec.json.Decoder(MatchShown).decode
decode_tournament = msgspec.json.Decoder(TournamentRow).decode

NOBODY_YET: Tally = (0, 0, 0, 0)


def enter(cursor: Cursor, page: Sequence[Read]) -> None:
    """Brings the tables of tournaments from the page's beginning to its end."""
    _list(cursor, [read for read in page if isinstance(read[1].event, LISTED)])
    _call(cursor, page)
    put(
        cursor,
        "INSERT INTO arbiter2_standings VALUES (?, ?, ?, 0, 0, 0, 0)",
        [(stream, e.player, e.name) for stream, e in _those(page, PlayerEntered)],
    )
    put(
        cursor,
        "INSERT INTO arbiter2_moderators VALUES (?, ?, ?)",
        [(stream, e.moderator, e.name) for stream, e in _those(page, ModeratorAppointed)],
    )
    matches = _show_matches(cursor, page)
    _count(cursor, page, matches)
    settled = [(event.match,) for _, event in _those(page, MatchSettled)]
    put(cursor, "INSERT INTO arbiter2_settled VALUES (?) ON CONFLICT DO NOTHING", settled)


def _those(page: Iterable[Read], kind: type[E]) -> list[tuple[str, E]]:
    """The events of a kind, and the tournament of each."""
    return [(stream, record.event) for stream, record in page if isinstance(record.event, kind)]


def _list(cursor: Cursor, page: Sequence[Read]) -> None:
    found = listed(cursor, "arbiter2_tournaments", {tournament for tournament, _ in page})
    rows = {tournament: decode_tournament(row) for tournament, row in found.items()}
    for tournament, record in page:
        row = list_tournament(tournament, rows.get(tournament), record)
        assert row is not None
        rows[tournament] = row
    put(
        cursor,
        "INSERT INTO arbiter2_tournaments VALUES (?, ?) "
        "ON CONFLICT (id) DO UPDATE SET listed = excluded.listed",
        [(tournament, _encoder.encode(row)) for tournament, row in rows.items()],
    )


def _call(cursor: Cursor, page: Sequence[Read]) -> None:
    """By its own name and by its players' a tournament is found."""
    names = [(spoken(event.name), stream) for stream, event in _those(page, TournamentCreated)]
    names += [(spoken(event.name), stream) for stream, event in _those(page, PlayerEntered)]
    put(cursor, "INSERT INTO arbiter2_called VALUES (?, ?) ON CONFLICT DO NOTHING", names)


def _show_matches(cursor: Cursor, page: Sequence[Read]) -> dict[str, MatchShown]:
    """Brings the matches of tournaments up to date, and gives those that have changed."""
    changes = [read for read in page if isinstance(read[1].event, SHOWN)]
    added = {event.match: stream for stream, event in _those(page, MatchAdded)}
    before = {record.event.match for _, record in changes} - set(added)  # type: ignore[attr-defined]
    found = listed(cursor, "arbiter2_added", before, "match", "shown")
    shown = {match: _decode_match(row) for match, row in found.items()}
    for _, record in changes:
        match: str = record.event.match  # type: ignore[attr-defined]
        after = show_match(shown.get(match), record.event)
        if after is not None:
            shown[match] = after
    numbers = Numbers(
        cursor, "arbiter2_added", ("tournament",), "number", [(t,) for t in added.values()]
    )
    put(
        cursor,
        "INSERT INTO arbiter2_added VALUES (?, ?, ?, ?)",
        [(m, t, numbers.next(t), _encoder.encode(shown[m])) for m, t in added.items()],
    )
    put(
        cursor,
        "WITH given (id, now) AS (VALUES (?, ?)) "
        "UPDATE arbiter2_added SET shown = now FROM given WHERE match = id",
        [(match, _encoder.encode(shown[match])) for match in found],
    )
    return shown


def _count(cursor: Cursor, page: Sequence[Read], matches: dict[str, MatchShown]) -> None:
    """Lets the matches that are settled now count in the standings."""
    tallies: dict[tuple[str, int], Tally] = {}
    for tournament, event in _those(page, MatchSettled):
        if event.result is not None and event.match in matches:
            for player, more in counted(matches[event.match].players, event.result):
                tally = tallies.get((tournament, player), NOBODY_YET)
                tallies[tournament, player] = _sum(tally, more)
    put(
        cursor,
        "WITH more (tournament, player, played, won, shared, lost) AS (VALUES (?, ?, ?, ?, ?, ?)) "
        "UPDATE arbiter2_standings AS so_far SET played = so_far.played + more.played, "
        "won = so_far.won + more.won, shared = so_far.shared + more.shared, "
        "lost = so_far.lost + more.lost FROM more "
        "WHERE so_far.tournament = more.tournament AND so_far.player = more.player",
        [(*key, *tally) for key, tally in tallies.items()],
    )


def _sum(tally: Tally, more: Tally) -> Tally:
    return tally[0] + more[0], tally[1] + more[1], tally[2] + more[2], tally[3] + more[3]


# A tournament's page.


def shown(database: Database, tournament: str) -> Shown | None:
    """The tournament as everybody sees it, all of one moment; None if there is none."""
    asked = (tournament,)
    found, standings, moderators, matches = database.select_at_once(
        ("SELECT listed FROM arbiter2_tournaments WHERE id = ?", asked),
        (
            "SELECT player, name, played, won, shared, lost FROM arbiter2_standings "
            "WHERE tournament = ? ORDER BY player",
            asked,
        ),
        (
            "SELECT name FROM arbiter2_moderators WHERE tournament = ? ORDER BY moderator",
            asked,
        ),
        (
            # A match may be added before it is read that it was created.
            "SELECT shown, COALESCE(status, 'created') FROM arbiter2_added "
            "LEFT JOIN arbiter2_matches ON id = match "
            "WHERE arbiter2_added.tournament = ? ORDER BY number",
            asked,
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
