"""Rulings over HTTP, of matches and of tournaments: made, previewed, seconded, consented to."""

from typing import Any

from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player, body_of

WHY = "The judges have decided."
LOST: Json = {"winners": [1], "losers": [0], "shared": False, "scores": [0, 1]}
EVEN: Json = {"winners": [0, 1], "losers": [], "shared": True, "scores": [0, 0]}


def rule(
    player: Player, /, kind: str, headers: dict[str, str] | None = None, **fields: Any
) -> Answer:
    """A ruling as it is sent, for a reason."""
    body = {"kind": kind, "reason": WHY} | fields
    return player.client.post(f"{player.path}/rulings", body, headers)


def previewed(player: Player, /, kind: str, **fields: Any) -> dict[str, str]:
    """The header that says that this ruling was previewed."""
    answer = rule(player, kind, preview=True, **fields)
    assert answer.status_code == 200, answer.text
    return {"If-Match": answer.headers["etag"]}


def ruled(player: Player, /, kind: str, **fields: Any) -> Json:
    """The answer to a ruling after its preview: it is carried out, or pending."""
    return body_of(rule(player, kind, previewed(player, kind, **fields), **fields), 201, 202)


def second(
    player: Player, ruling: str, headers: dict[str, str] | None = None, **fields: Any
) -> Answer:
    """A second as it is sent."""
    return player.client.post(f"{player.path}/rulings/{ruling}/second", fields, headers)


def seconded(player: Player, ruling: str) -> Answer:
    """A second after its preview."""
    preview = second(player, ruling, preview=True)
    assert preview.status_code == 200, preview.text
    return second(player, ruling, {"If-Match": preview.headers["etag"]})


def consent(player: Player, ruling: str, key: str | None = None) -> Answer:
    return player.client.post(f"{player.path}/rulings/{ruling}/consent", once=key)


def withdraw(player: Player, ruling: str) -> Answer:
    return player.client.send("DELETE", f"{player.path}/rulings/{ruling}")


def listed(player: Player) -> list[Json]:
    return list(body_of(player.client.get(f"{player.path}/rulings"), 200)["rulings"])


ZOE: Json = {"seat": 1, "name": "Zoe"}


def replaced(match: LiveMatch, **fields: object) -> Answer:
    """The answer to the second who carries it out: the organiser rules, a judge seconds."""
    pending = ruled(match.organiser, "replace_seat", **(ZOE | fields))
    assert pending["status"] == "pending" and "key" not in pending
    return seconded(match.judge, pending["ruling"])


def successor(live: Live, match: LiveMatch, **fields: object) -> Player:
    """The seat, with the key of the person who has taken it over."""
    answer = body_of(replaced(match, **fields), 201)
    return Player(live.bearing(answer["key"]), match.id)
