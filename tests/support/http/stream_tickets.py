"""Tickets to streams, as clients ask for them."""

from tests.support.servers.live_server import Answer, Player, body_of


def request_ticket(player: Player, as_: str | None = None) -> Answer:
    body = None if as_ is None else {"as": as_}
    return player.client.post(f"{player.path}/stream-tickets", body)


def ticket(player: Player, as_: str | None = None) -> str:
    return str(body_of(request_ticket(player, as_), 201)["ticket"])
