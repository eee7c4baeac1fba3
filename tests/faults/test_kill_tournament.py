"""Killed with kill -9 when a tournament's match has just ended and garnets are being given: every
match is settled once, every request counts once, and no garnet is lost or doubled.

`ARBITER_KILLS` says how often, `ARBITER_SEED` repeats a run's choices (though not its timing).
"""

import os
import random
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from domain import ledger
from domain.tournament_events import GarnetsPosted, MatchSettled
from domain.tournament_state import NOTHING_YET, fold
from tests.faults.process import ORGANISER_KEY, PATIENCE, Process, on_disk

KILLS = max(3, int(os.environ.get("ARBITER_KILLS", "6")) // 2)
SEED = int(os.environ.get("ARBITER_SEED", "0")) or random.SystemRandom().getrandbits(32)
NAMES = ["Ann", "Ben", "Cy", "Di"]
AT_FIRST = 1_000
MOST_DELAY = 0.004
"""Seconds for which the server may go on after a match has ended: settling takes less."""


def test_every_match_is_settled_once_and_every_request_counts_once(tmp_path: Path) -> None:
    print(f"ARBITER_SEED={SEED}")  # noqa: T201  shown if it fails
    chance = random.Random(SEED)
    process = Process(tmp_path)
    try:
        cup = created(process)
        matches: list[str] = []
        for n in range(KILLS):
            matches.append(played(process, cup))
            giving = threading.Thread(target=give, args=(process.url, cup, f"key-{n}"))
            giving.start()
            time.sleep(chance.uniform(0, MOST_DELAY))
            process.kill()
            giving.join()
            process = Process(tmp_path)
            assert give(process.url, cup, f"key-{n}") in (200, 201)
            settled(process, cup, matches)
            check(on_disk(tmp_path)[cup], matches, n + 1)
    finally:
        process.kill()


def session(url: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {ORGANISER_KEY}"}
    return httpx.Client(base_url=url, headers=headers, timeout=PATIENCE, trust_env=False)


def sent(http: httpx.Client, path: str, body: Any = None, **headers: str) -> Any:
    answer = http.post(path, json=body, headers=headers) if body else http.post(path)
    assert answer.status_code == 201, answer.text
    return answer.json()


def created(process: Process) -> str:
    """A tournament in which everybody holds enough for every match."""
    garnets = dict.fromkeys(NAMES, AT_FIRST)
    with session(process.url) as http:
        body = {"name": "Cup", "players": NAMES, "garnets": garnets}
        return str(sent(http, "/v1/tournaments", body)["id"])


def played(process: Process, cup: str) -> str:
    """A match that has just ended, in which Ann has paid one of her two garnets."""
    new = {"game": "together", "seats": NAMES, "tournament": cup}
    with session(process.url) as http:
        made = sent(http, "/v1/matches", new | {"options": {"garnets": [2, 0, 3, 0]}})
        path = f"/v1/matches/{made['id']}"
        sent(http, f"{path}/start")
        ann = {"Authorization": f"Bearer {made['seats'][0]['key']}"}
        body = {"type": "submit", "a": [1], "b": [2, 2, 3], "pay_garnet": True}
        sent(http, f"{path}/actions", body, **ann)
        moderator = {"Authorization": f"Bearer {made['moderator_key']}"}
        while http.post(f"{path}/close-phase", headers=moderator).status_code == 201:
            pass
    return str(made["id"])


def give(url: str, cup: str, key: str) -> int | None:
    """Gives Ben a garnet, by a request with a key; None if the server is gone before it answers."""
    with suppress(httpx.TransportError), session(url) as http:
        return http.post(
            f"/v1/tournaments/{cup}/garnets",
            json={"player": 1, "amount": 1, "reason": key},
            headers={"Idempotency-Key": key},
        ).status_code
    return None


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


def check(records: list[Any], matches: list[str], given: int) -> None:
    """The tournament as it lies on disk."""
    events = [record.event for record in records]
    state = NOTHING_YET
    for event in events:
        state = fold(state, [event])
        ledger.check(state.balances)
    counted = [event.match for event in events if isinstance(event, MatchSettled)]
    assert sorted(counted) == sorted(matches)
    reasons = [event.reason for event in events if isinstance(event, GarnetsPosted)]
    assert sorted(r for r in reasons if r.startswith("key-")) == [f"key-{n}" for n in range(given)]
    assert all(state.balances.get(ledger.brought(p, m), 0) == 0 for p in range(4) for m in matches)
    purses = [state.balances[ledger.purse(player)] for player in range(4)]
    # Ann is the last on stage, in round 2: she earns the one garnet that she pays.
    assert purses == [AT_FIRST, AT_FIRST + given, AT_FIRST, AT_FIRST]
