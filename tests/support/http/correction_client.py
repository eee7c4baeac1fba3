"""Rulings on tournaments over HTTP: made, previewed, seconded, withdrawn, listed."""

from typing import Any

from tests.support.http.ruling_client import WHY
from tests.support.http.tournament_client import LiveCup
from tests.support.servers.live_server import Answer, Client, Json, LiveMatch

LOST: Json = {"winners": [1], "losers": [0], "shared": False, "scores": [0, 1]}


def correct(
    cup: LiveCup,
    match: LiveMatch,
    result: Json | None,
    headers: dict[str, str] | None = None,
    client: Client | None = None,
    **fields: Any,
) -> Answer:
    """A correction as an organiser sends it."""
    asked = {"kind": "correct", "match": match.id, "result": result}
    return rule(cup, asked | fields, headers, client)


def rule(
    cup: LiveCup, asked: Json, headers: dict[str, str] | None = None, client: Client | None = None
) -> Answer:
    """A ruling of any kind as an organiser sends it."""
    body = {"reason": WHY} | asked
    return (client or cup.live.organiser).post(f"{cup.path}/rulings", body, headers)


def ruled(cup: LiveCup, asked: Json, client: Client | None = None) -> Json:
    """The answer to a ruling after its preview."""
    seen = previewed(rule(cup, asked | {"preview": True}, client=client))
    answer = rule(cup, asked, seen, client)
    assert answer.status_code in (201, 202), answer.text
    body: Json = answer.json()
    return body


def previewed(answer: Answer) -> dict[str, str]:
    """The header that says that a ruling was previewed."""
    assert answer.status_code == 200, answer.text
    return {"If-Match": answer.headers["etag"]}


def corrected(
    cup: LiveCup,
    match: LiveMatch,
    result: Json | None,
    client: Client | None = None,
    **fields: Any,
) -> Json:
    """The answer to a correction after its preview: it is carried out, or pending."""
    return ruled(cup, {"kind": "correct", "match": match.id, "result": result} | fields, client)


def second(
    cup: LiveCup,
    client: Client,
    ruling: str,
    headers: dict[str, str] | None = None,
    **fields: Any,
) -> Answer:
    """A second as it is sent."""
    return client.post(f"{cup.path}/rulings/{ruling}/second", fields, headers)


def seconded(cup: LiveCup, client: Client, ruling: str) -> Answer:
    """A second after its preview."""
    return second(cup, client, ruling, previewed(second(cup, client, ruling, preview=True)))


def withdraw(cup: LiveCup, client: Client, ruling: str) -> Answer:
    return client.send("DELETE", f"{cup.path}/rulings/{ruling}")


def listed(cup: LiveCup, client: Client) -> list[Json]:
    """The rulings that someone sees."""
    answer = client.get(f"{cup.path}/rulings")
    assert answer.status_code == 200, answer.text
    rulings: list[Json] = answer.json()["rulings"]
    return rulings
