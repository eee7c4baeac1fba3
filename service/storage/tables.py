"""The tables of the index, and how far each format of them has been read off the log."""

import re
from collections.abc import Iterable

FORMAT = 2
"""The number of the tables' shape and of what is folded into them, which is part of their names.

Whoever changes either gives them the next number, and says so in the changelog: then a database has
them once more, empty, and they are read off the log from event 0. Each format has its own position,
so that an older release that still runs, or runs again, follows in its own tables and neither puts
anything out of the other's. Those of the older one are dropped when somebody says that it is gone
for good (`arbiter migrate --drop-old`).
"""

KIND = "game || ' ' || status"
"""What the list of matches is looked up by when it is filtered by both."""

TABLES = (
    "CREATE TABLE IF NOT EXISTS arbiter_index (format INTEGER PRIMARY KEY, position BIGINT)",
    f"INSERT INTO arbiter_index VALUES ({FORMAT}, 0) ON CONFLICT DO NOTHING",  # noqa: S608
    # Matches, for their list, their deadlines and what has to be done when they are over.
    "CREATE TABLE IF NOT EXISTS arbiter2_matches (id {text} PRIMARY KEY, game {text},"
    " status {text}, tournament {text}, deadline BIGINT, listed {bytes}) {keyed}",
    "CREATE INDEX IF NOT EXISTS arbiter2_deadlines ON arbiter2_matches (deadline)"
    " WHERE deadline IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS arbiter2_matches_by_game ON arbiter2_matches (game, id)",
    "CREATE INDEX IF NOT EXISTS arbiter2_matches_by_status ON arbiter2_matches (status, id)",
    # One value, of which the database knows how often it is there: of two it would have to guess.
    f"CREATE INDEX IF NOT EXISTS arbiter2_matches_by_kind ON arbiter2_matches (({KIND}), id)",
    "CREATE INDEX IF NOT EXISTS arbiter2_matches_by_tournament ON arbiter2_matches (tournament, id)"
    " WHERE tournament IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS arbiter2_unsigned (match {text} PRIMARY KEY) {keyed}",
    "CREATE TABLE IF NOT EXISTS arbiter2_settled (match {text} PRIMARY KEY) {keyed}",
    # Who sits in which match, and who and what is called so in which tournament.
    "CREATE TABLE IF NOT EXISTS arbiter2_seats"
    " (name {text}, match {text}, PRIMARY KEY (name, match)) {keyed}",
    "CREATE TABLE IF NOT EXISTS arbiter2_called"
    " (name {text}, tournament {text}, PRIMARY KEY (name, tournament)) {keyed}",
    # Tournaments, for their list and the page of each.
    "CREATE TABLE IF NOT EXISTS arbiter2_tournaments"
    " (id {text} PRIMARY KEY, listed {bytes}) {keyed}",
    "CREATE TABLE IF NOT EXISTS arbiter2_standings (tournament {text}, player BIGINT, name {text},"
    " played BIGINT, won BIGINT, shared BIGINT, lost BIGINT, PRIMARY KEY (tournament, player))"
    " {keyed}",
    "CREATE TABLE IF NOT EXISTS arbiter2_moderators (tournament {text}, moderator BIGINT,"
    " name {text}, PRIMARY KEY (tournament, moderator)) {keyed}",
    "CREATE TABLE IF NOT EXISTS arbiter2_added"
    " (match {text} PRIMARY KEY, tournament {text}, number BIGINT, shown {bytes}) {keyed}",
    "CREATE UNIQUE INDEX IF NOT EXISTS arbiter2_added_in_order"
    " ON arbiter2_added (tournament, number)",
    # The ledger: `seq` counts the postings of a tournament, `own` those of the player.
    "CREATE TABLE IF NOT EXISTS arbiter2_ledger (tournament {text}, seq BIGINT, player BIGINT,"
    " own BIGINT, posting {bytes}, PRIMARY KEY (tournament, seq)) {keyed}",
    "CREATE UNIQUE INDEX IF NOT EXISTS arbiter2_ledger_by_player"
    " ON arbiter2_ledger (tournament, player, own)",
)

FILLED = (
    "arbiter2_matches",
    "arbiter2_unsigned",
    "arbiter2_settled",
    "arbiter2_seats",
    "arbiter2_called",
    "arbiter2_tournaments",
    "arbiter2_standings",
    "arbiter2_moderators",
    "arbiter2_added",
    "arbiter2_ledger",
)
"""Every table that is read off the log."""

POSITION = f"SELECT position FROM arbiter_index WHERE format = {FORMAT}"  # noqa: S608
MOVE = f"UPDATE arbiter_index SET position = ? WHERE format = {FORMAT}"  # noqa: S608
FORGET = f"DELETE FROM arbiter_index WHERE format < {FORMAT}"  # noqa: S608

_NUMBERED = re.compile(r"arbiter(\d+)_\w+", re.ASCII)
_BEFORE_NUMBERS = {
    "arbiter_index_position",
    "arbiter_matches",
    "arbiter_tournaments",
    "arbiter_unsigned",
    "arbiter_settled",
}


def older(tables: Iterable[str]) -> list[str]:
    """Those among the tables that a release of an older format has made."""
    return [table for table in tables if table in _BEFORE_NUMBERS or _number(table) < FORMAT]


def _number(table: str) -> int:
    numbered = _NUMBERED.fullmatch(table)
    return int(numbered[1]) if numbered else FORMAT
