"""Who has read what of a match, as `/v1/matches/{id}/reads` tells."""

from tests.support.servers.live_server import Json, LiveMatch, Player, body_of


def reads(reader: Player) -> list[Json]:
    return list(body_of(reader.client.get(f"{reader.path}/reads"), 200)["reads"])


def seen(rows: list[Json], role: str, as_: str, *, hidden: bool) -> Json | None:
    wanted = (role, as_, hidden)
    found = [row for row in rows if (row["role"], row["as"], row["hidden"]) == wanted]
    assert len(found) < 2, "one row a key and audience"
    return found[0] if found else None


def looked(match: LiveMatch, as_: str) -> int | None:
    """The number up to which the moderator has looked as an audience."""
    row = seen(reads(match.moderator), "moderator", as_, hidden=True)
    return None if row is None else row["seq"]
