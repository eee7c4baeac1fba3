"""The keys of a match over HTTP: issuing, listing and ending them."""

from typing import Any

from tests.support.servers.live_server import Answer, Client, Json, Live, LiveMatch, Player, body_of

ANN, EVE = {"role": "seat:0", "name": "Ann"}, {"role": "moderator", "name": "Eve"}


def issue(match: LiveMatch, body: Any, key: str | None = None) -> Answer:
    return match.organiser.client.post(f"{match.organiser.path}/keys", body, once=key)


def issued(match: LiveMatch, body: Any) -> Json:
    return body_of(issue(match, body), 201)


def listed(player: Player) -> list[Json]:
    return list(body_of(player.client.get(f"{player.path}/keys"), 200)["keys"])


def end(player: Player, key_id: str) -> Answer:
    return player.client.send("DELETE", f"{player.path}/keys/{key_id}")


def renew(client: Client, request: str | None = None) -> Answer:
    """A renewal as it is sent, under an idempotency key or without one."""
    return client.post("/v1/keys/renew", once=request)


def renewed(live: Live, key: str) -> str:
    """The key in place of this one."""
    return str(body_of(renew(live.bearing(key)), 201)["key"])


def moderating(live: Live, match: LiveMatch, name: str, organiser: Client | None = None) -> Player:
    """One more moderator, by a key in this name as the organiser issues it."""
    issuer = organiser or match.organiser.client
    issued = issuer.post(f"{match.anyone.path}/keys", {"role": "moderator", "name": name})
    return Player(live.bearing(body_of(issued, 201)["key"]), match.id)


def request_ticket(player: Player, as_: str | None = None) -> Answer:
    body = None if as_ is None else {"as": as_}
    return player.client.post(f"{player.path}/stream-tickets", body)


def ticket(player: Player, as_: str | None = None) -> str:
    return str(body_of(request_ticket(player, as_), 201)["ticket"])
