"""Keys that are made their holders', over HTTP."""

from tests.support.servers.live_server import Answer, Client, Live, LiveMatch, Player, body_of


def renew(client: Client, request: str | None = None) -> Answer:
    """A renewal as it is sent, under an idempotency key or without one."""
    headers = None if request is None else {"Idempotency-Key": request}
    return client.post("/v1/keys/renew", None, headers)


def renewed(live: Live, key: str) -> str:
    """The key in place of this one."""
    return str(body_of(renew(live.bearing(key)), 201)["key"])


def moderating(live: Live, match: LiveMatch, name: str, organiser: Client | None = None) -> Player:
    """One more moderator, by a key in this name as the organiser issues it."""
    issuer = organiser or match.organiser.client
    made = issuer.post(f"{match.anyone.path}/keys", {"role": "moderator", "name": name})
    assert made.status_code == 201, made.text
    return Player(live.bearing(made.json()["key"]), match.id)
