"""Calendars: addresses at which a calendar program reads when matches take place. They lie beside
the log: in no event, in no backup and in no copy. Only hashes of their tokens are stored."""

from msgspec import Struct

from service.auth.key_form import KeyReference

TABLE = "arbiter_calendars"
COLUMNS = "id, token_hash, match_id, tournament, player, slot, ring, key_hash, since"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (id {{text}} PRIMARY KEY, token_hash {{bytes}},"
    " match_id {text}, tournament {text}, player BIGINT, slot {text}, ring {text},"
    " key_hash {bytes}, since BIGINT) {keyed}",
    f"CREATE UNIQUE INDEX IF NOT EXISTS {TABLE}_by_token ON {TABLE} (token_hash)",
)


class Calendar(Struct, frozen=True):
    """A calendar of one match, of a tournament, or of a `player` of it. `since` is in
    microseconds."""

    id: str
    token_hash: bytes
    match: str | None
    tournament: str | None
    player: int | None
    key: KeyReference
    since: int
