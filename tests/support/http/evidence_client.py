"""Evidence over HTTP, as its tests ask for it."""

from domain.proof.notes import VerifierKey, verifier_key
from tests.support.servers.live_server import Json, Live, Player, body_of


def keys(live: Live) -> list[VerifierKey]:
    """The keys with which the service signs."""
    return [verifier_key(key["key"]) for key in live.anyone.get("/v1/keys").json()["keys"]]


def receipts(player: Player, **query: int) -> Json:
    """A page of receipts."""
    return body_of(player.client.get(f"{player.path}/receipts", None, **query), 200)
