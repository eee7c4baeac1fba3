"""Evidence over HTTP, as its tests ask for it."""

from domain.proof.notes import VerifierKey, verifier_key
from tests.support.servers.live_server import Json, Live, LiveMatch, Player, body_of


def keys(live: Live) -> list[VerifierKey]:
    """The keys with which the service signs."""
    return [verifier_key(key["key"]) for key in live.anyone.get("/v1/keys").json()["keys"]]


def receipts(player: Player, **query: int) -> Json:
    return body_of(player.client.get(f"{player.path}/receipts", None, **query), 200)


def reads(reader: Player) -> list[Json]:
    return list(body_of(reader.client.get(f"{reader.path}/reads"), 200)["reads"])


def seen(rows: list[Json], role: str, as_: str, *, hidden: bool) -> Json | None:
    wanted = (role, as_, hidden)
    matching = [row for row in rows if (row["role"], row["as"], row["hidden"]) == wanted]
    assert len(matching) < 2, "one row a key and audience"
    return matching[0] if matching else None


def looked(match: LiveMatch, as_: str) -> int | None:
    """The number up to which the moderator has looked as an audience."""
    row = seen(reads(match.moderator), "moderator", as_, hidden=True)
    return None if row is None else row["seq"]
