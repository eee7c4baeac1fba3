"""Cases over HTTP: opened, discussed, closed and appealed."""

from typing import Any

from tests.support.servers.live_server import Answer, Json, Player, body_of

COIN = "The coin had left the table."
NOWHERE = "0199aa00-0000-4000-8000-000000000000"


def cases_of(player: Player) -> str:
    return f"{player.path}/cases"


def open_case(player: Player, headers: dict[str, str] | None = None, **fields: Any) -> Answer:
    return player.client.post(cases_of(player), {"says": COIN} | fields, headers)


def opened(player: Player, **fields: Any) -> str:
    """The id of a case that someone opens."""
    return str(body_of(open_case(player, **fields), 201)["case"])


def do(player: Player, case: str, what: str, body: Any = None, key: str | None = None) -> Answer:
    """Something that is done in a case: `statements`, `parties`, `publish`, `close`, `appeal`."""
    return player.client.post(f"{cases_of(player)}/{case}/{what}", body, once=key)


def say(player: Player, case: str, says: str, key: str | None = None, **fields: Any) -> Answer:
    return do(player, case, "statements", {"says": says} | fields, key)


def close(player: Player, case: str, note: str = "It stands.") -> Answer:
    return do(player, case, "close", {"note": note})


def appeal(player: Player, case: str, says: str = "Nobody asked the witness.") -> Answer:
    return do(player, case, "appeal", {"says": says})


def read(player: Player, case: str) -> Answer:
    return player.client.get(f"{cases_of(player)}/{case}")


def shown(player: Player, case: str) -> Json:
    return body_of(read(player, case), 200)


def listed(player: Player) -> list[Json]:
    return list(body_of(player.client.get(cases_of(player)), 200)["cases"])
