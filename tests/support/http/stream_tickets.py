"""Tickets to streams, as clients ask for them."""

from tests.support.servers.live_server import Answer, Player


def request_ticket(player: Player, as_: str | None = None) -> Answer:
    body = None if as_ is None else {"as": as_}
    return player.client.post(f"{player.path}/stream-tickets", body)


def ticket(player: Player, as_: str | None = None) -> str:
    answer = request_ticket(player, as_)
    assert answer.status_code == 201, answer.text
    text: str = answer.json()["ticket"]
    return text
