"""A tournament of four on a server process that may be gone at any moment."""

import time
from contextlib import suppress
from typing import Any

import httpx

from tests.support.faults.server_process import PATIENCE, Process
from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY

NAMES = ["Ann", "Ben", "Cy", "Di"]
AT_FIRST = 1_000
"""Garnets of each player before the first match."""


def session(url: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {ORGANISER_KEY}"}
    return local_http.client(url, headers=headers, timeout=PATIENCE)


def sent(http: httpx.Client, path: str, body: Any = None, **headers: str) -> Any:
    answer = http.post(path, json=body, headers=headers) if body else http.post(path)
    assert answer.status_code == 201, answer.text
    return answer.json()


def created(process: Process) -> str:
    """A tournament in which everybody has enough garnets for every match."""
    garnets = dict.fromkeys(NAMES, AT_FIRST)
    with session(process.url) as http:
        body = {"name": "Cup", "players": NAMES, "garnets": garnets}
        return str(sent(http, "/v1/tournaments", body)["id"])


def begun(process: Process, cup: str, **more: str) -> Any:
    """A match in which Ann has paid one of her two garnets, and its keys."""
    new = {"game": "together", "seats": NAMES, "tournament": cup, **more}
    with session(process.url) as http:
        made = sent(http, "/v1/matches", new | {"options": {"garnets": [2, 0, 3, 0]}})
        path = f"/v1/matches/{made['id']}"
        sent(http, f"{path}/start")
        ann = {"Authorization": f"Bearer {made['seats'][0]['key']}"}
        body = {"type": "submit", "round": 1, "a": [1], "b": [2, 2, 3], "pay_garnet": True}
        sent(http, f"{path}/actions", body, **ann)
    return made


def close(url: str, made: Any) -> None:
    """Closes one phase after the other until the match is over, or the server is gone."""
    moderator = {"Authorization": f"Bearer {made['moderator_key']}"}
    with suppress(httpx.TransportError), session(url) as http:
        while (
            http.post(f"/v1/matches/{made['id']}/close-phase", headers=moderator).status_code == 201
        ):
            pass


def settled(process: Process, cup: str, matches: list[str]) -> None:
    """Returns when all these matches count."""
    end = time.monotonic() + PATIENCE
    with session(process.url) as http:
        while True:
            rows = http.get(f"/v1/tournaments/{cup}").json()["matches"]
            assert [row["match"] for row in rows] == matches
            if all(row["result"] is not None for row in rows):
                return
            assert time.monotonic() < end, rows
            time.sleep(0.01)
