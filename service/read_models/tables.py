"""The tables of the index, and the name of its follower for each of their formats."""

from service.read_models.follower import statements

FORMAT = 1
"""The version of the tables' columns and of the fold that fills them. It is part of their names.

A change of either needs the next number, and a line in the changelog: the database then gets new,
empty tables, which are filled from event 0. Each format has its own position, so that an older
release that still runs, or runs again, follows the log in its own tables and the two do not disturb
each other. The operator drops the older tables.
"""

NAME = f"lists.{FORMAT}"
"""The name under which the index follows the log."""

KIND = "game || ' ' || status"
"""The indexed expression for a list of matches that is filtered by both game and status."""

TABLES = (
    *statements(NAME),
    # Matches: their list, when they were created and are due, and the work left when they are over.
    "CREATE TABLE IF NOT EXISTS arbiter1_matches (id {text} PRIMARY KEY, game {text},"
    " status {text}, tournament {text}, created BIGINT, due BIGINT, idle BIGINT, unsettled BIGINT,"
    " unsigned BIGINT, listed {bytes}) {keyed}",
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_by_creation ON arbiter1_matches (created, id)",
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_due ON arbiter1_matches (due)"
    " WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_idle ON arbiter1_matches (idle)"
    " WHERE idle IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_unsettled ON arbiter1_matches (id)"
    " WHERE unsettled = 1",
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_unsigned ON arbiter1_matches (id)"
    " WHERE unsigned = 1",
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_by_game ON arbiter1_matches (game, created, id)",
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_by_status"
    " ON arbiter1_matches (status, created, id)",
    # One expression, whose frequency the planner knows; for two columns it would have to guess.
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_by_kind"
    f" ON arbiter1_matches (({KIND}), created, id)",
    "CREATE INDEX IF NOT EXISTS arbiter1_matches_by_tournament"
    " ON arbiter1_matches (tournament, created, id) WHERE tournament IS NOT NULL",
    # Names, with when their matches were created: of the seats in each match, and of the
    # tournament's moderators who moderate it; of each tournament and its players.
    "CREATE TABLE IF NOT EXISTS arbiter1_seats"
    " (name {text}, created BIGINT, match {text}, PRIMARY KEY (name, created, match)) {keyed}",
    "CREATE TABLE IF NOT EXISTS arbiter1_moderating"
    " (name {text}, created BIGINT, match {text}, PRIMARY KEY (name, created, match)) {keyed}",
    "CREATE INDEX IF NOT EXISTS arbiter1_moderating_by_match ON arbiter1_moderating (match)",
    "CREATE TABLE IF NOT EXISTS arbiter1_called"
    " (name {text}, tournament {text}, PRIMARY KEY (name, tournament)) {keyed}",
    # Tournaments: their list, when the first pending ruling lapses (0 with an open round),
    # whether its log is to be signed, and what else is kept of each.
    "CREATE TABLE IF NOT EXISTS arbiter1_tournaments"
    " (id {text} PRIMARY KEY, due BIGINT, unsigned BIGINT, listed {bytes}, page {bytes}) {keyed}",
    "CREATE INDEX IF NOT EXISTS arbiter1_tournaments_due ON arbiter1_tournaments (due)"
    " WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS arbiter1_tournaments_unsigned ON arbiter1_tournaments (id)"
    " WHERE unsigned = 1",
    # The ledger: `seq` numbers the postings of a tournament, `own` those of the player.
    "CREATE TABLE IF NOT EXISTS arbiter1_ledger (tournament {text}, seq BIGINT, player BIGINT,"
    " own BIGINT, posting {bytes}, PRIMARY KEY (tournament, seq)) {keyed}",
    "CREATE UNIQUE INDEX IF NOT EXISTS arbiter1_ledger_by_player"
    " ON arbiter1_ledger (tournament, player, own)",
)

DERIVED_TABLES = (
    "arbiter1_matches", "arbiter1_seats", "arbiter1_moderating", "arbiter1_called",
    "arbiter1_tournaments", "arbiter1_ledger",
)  # fmt: skip
"""Every table that is filled from the log."""
