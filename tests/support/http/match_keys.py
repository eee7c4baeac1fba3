"""The keys of a match over HTTP: issuing, listing and ending them."""

from typing import Any

from tests.support.servers.live_server import Answer, Json, LiveMatch, Player, body_of

ANN, EVE = {"role": "seat:0", "name": "Ann"}, {"role": "moderator", "name": "Eve"}


def issue(match: LiveMatch, body: Any, key: str | None = None) -> Answer:
    headers = None if key is None else {"Idempotency-Key": key}
    return match.organiser.client.post(f"{match.organiser.path}/keys", body, headers)


def issued(match: LiveMatch, body: Any) -> Json:
    return body_of(issue(match, body), 201)


def listed(player: Player) -> list[Json]:
    return list(body_of(player.client.get(f"{player.path}/keys"), 200)["keys"])


def end(player: Player, key_id: str) -> Answer:
    return player.client.send("DELETE", f"{player.path}/keys/{key_id}")
