"""Killed with kill -9 while the result of a settled match is being corrected: every correction
counts once, and no garnet is lost or doubled."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain import ledger
from domain.tournament_events import TournamentRuled, TournamentRulingOrdered
from domain.tournament_state import NOTHING_YET, fold
from tests.support.effort import new_chance, times
from tests.support.faults.cup_lives import AT_FIRST, NAMES, begun, close, created, session, settled
from tests.support.faults.server_process import Process, on_disk, serving

KILLS = times("deaths while garnets move")
MOST_DELAY = 0.06
"""Seconds after which the server is killed at the latest."""

BEN_WON = {"winners": [1], "losers": [0, 2, 3], "shared": False, "scores": [0, 1, 0, 0]}


@pytest.mark.slow(
    because="application/test_corrections stops one before and after its commit, and repeats it"
)
def test_every_correction_counts_once(tmp_path: Path) -> None:
    chance = new_chance()
    with serving(tmp_path) as process:
        cup = created(process)
        made = begun(process, cup, rulings="single")
        close(process.url, made)
        settled(process, cup, [made["id"]])
        process.stop()
    for n in range(KILLS):
        with serving(tmp_path) as process:
            body = {"kind": "correct", "match": made["id"], "reason": f"appeal-{n}"}
            body["result"] = BEN_WON if n % 2 else None
            seen = previewed(process, cup, body)
            killed(process, cup, body, seen, chance.uniform(0, MOST_DELAY))
        with serving(tmp_path) as process:
            assert sent(process.url, cup, body, seen) in (200, 201)
            process.stop()
        check(on_disk(tmp_path)[cup], n + 1)


def previewed(process: Process, cup: str, body: dict[str, Any]) -> dict[str, str]:
    """The headers of the correction, after its preview."""
    with session(process.url) as http:
        answer = http.post(f"/v1/tournaments/{cup}/rulings", json=body | {"preview": True})
    assert answer.status_code == 200, answer.text
    return {"If-Match": answer.headers["etag"], "Idempotency-Key": body["reason"]}


def sent(url: str, cup: str, body: dict[str, Any], headers: dict[str, str]) -> int | None:
    """Sends the correction; None if the server is gone before it answers."""
    with suppress(httpx.TransportError), session(url) as http:
        return http.post(f"/v1/tournaments/{cup}/rulings", json=body, headers=headers).status_code
    return None


def killed(
    process: Process, cup: str, body: dict[str, Any], headers: dict[str, str], delay: float
) -> None:
    """Kills the server while it corrects."""
    correcting = threading.Thread(target=sent, args=(process.url, cup, body, headers))
    correcting.start()
    time.sleep(delay)
    process.kill()
    correcting.join()


def check(records: list[Any], corrections: int) -> None:
    """On disk are so many corrections, in their order, and the ledgers are right after each event.
    Ann has both of her garnets back while the match does not count, and has spent one of them where
    Ben has won it."""
    state = NOTHING_YET
    for record in records:
        state = fold(state, [record.event])
        ledger.check(state.balances)
    events = [record.event for record in records]
    ruled = [event for event in events if isinstance(event, TournamentRuled)]
    assert [(event.n, event.reason) for event in ruled] == [
        (n + 1, f"appeal-{n}") for n in range(corrections)
    ]
    assert sum(isinstance(event, TournamentRulingOrdered) for event in events) == corrections
    spent = 1 - corrections % 2
    assert [state.balances[ledger.purse(n)] for n in range(len(NAMES))] == [
        AT_FIRST - spent, AT_FIRST, AT_FIRST, AT_FIRST
    ]  # fmt: skip
