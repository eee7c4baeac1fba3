"""Tickets to streams and to play, as clients ask for them."""

from tests.support.servers.live_server import Answer, Player


def request_ticket(player: Player, as_: str | None = None, for_: str | None = None) -> Answer:
    body = {"as": as_, "for": for_}
    sent = {name: value for name, value in body.items() if value is not None}
    return player.client.post(f"{player.path}/stream-tickets", sent or None)


def ticket(player: Player, as_: str | None = None, for_: str | None = None) -> str:
    answer = request_ticket(player, as_, for_)
    assert answer.status_code == 201, answer.text
    text: str = answer.json()["ticket"]
    return text


def play_ticket(player: Player) -> str:
    return ticket(player, for_="play")
