"""Invitations over HTTP: making, listing, revoking and accepting them."""

from typing import Any

from tests.support.servers.live_server import Answer, Client, Json, LiveMatch, Player, body_of

MINE, OTHERS = "drawn-at-random-1", "drawn-at-random-2"
"""Idempotency keys of those who accept."""


def invite(player: Player, seat: int = 0, key: str | None = None, **more: Any) -> Answer:
    return player.client.post(f"{player.path}/invitations", {"seat": seat, **more}, once=key)


def invited(match: LiveMatch, seat: int = 0, **more: Any) -> Json:
    return body_of(invite(match.organiser, seat, **more), 201)


def token_of(made: Json) -> str:
    """What stands after the `#` of the link."""
    token: str = made["link"].partition("#")[2]
    return token


def accept(anyone: Client, match_id: str, token: str, key: str | None = MINE) -> Answer:
    path = f"/v1/matches/{match_id}/invitations/accept"
    return anyone.post(path, {"token": token}, once=key)


def invitations(player: Player) -> list[Json]:
    return list(body_of(player.client.get(f"{player.path}/invitations"), 200)["invitations"])


def revoke(player: Player, invitation: str) -> Answer:
    return player.client.send("DELETE", f"{player.path}/invitations/{invitation}")
