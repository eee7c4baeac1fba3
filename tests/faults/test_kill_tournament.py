"""Killed with kill -9 while a tournament's match comes to its end and garnets are being given:
every match is settled once, every request counts once, and no garnet is lost or doubled."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain import ledger
from domain.match_events import MatchEnded
from domain.tournament_events import GarnetsPosted, MatchSettled
from domain.tournament_state import NOTHING_YET, fold
from tests.support.effort import new_chance, times
from tests.support.faults.cup_lives import AT_FIRST, begun, close, created, session, settled
from tests.support.faults.server_process import Process, on_disk

KILLS = times("deaths while garnets move")
SETTLEMENT_DELAY = 30.0
"""Seconds by which every other life of the server delays settlement: it is killed before."""

LATE = ("--settle-after", str(SETTLEMENT_DELAY))

MOST_DELAY = 0.06
"""Seconds after which the other lives are killed at the latest."""


@pytest.mark.slow(
    because="test_tournament_settlement and test_rulings_settled stop a settlement at its commits,"
    " test_every_call does so at every call, and test_idempotency loses answers"
)
def test_every_match_is_settled_once_and_every_request_counts_once(tmp_path: Path) -> None:
    chance = new_chance()
    process = Process(tmp_path, *LATE)
    try:
        cup = created(process)
        matches: list[str] = []
        for n in range(KILLS):
            late = n % 2 == 0
            made = begun(process, cup)
            killed(process, cup, made, n, None if late else chance.uniform(0, MOST_DELAY))
            if late:
                check(on_disk(tmp_path)[cup], matches)
            matches.append(made["id"])
            process = Process(tmp_path)
            caught_up(process, cup, made, n)
            settled(process, cup, matches)
            check(on_disk(tmp_path)[cup], matches)
            check_balances(on_disk(tmp_path)[cup], n + 1)
            if not late:
                process.stop()
                process = Process(tmp_path, *LATE)
    finally:
        process.kill()


def killed(process: Process, cup: str, made: Any, n: int, delay: float | None) -> None:
    """Kills the server while a match is brought to its end and a garnet is given: after a delay, or
    when the match has just ended."""
    closing = threading.Thread(target=close, args=(process.url, made))
    giving = threading.Thread(target=give, args=(process.url, cup, f"key-{n}"))
    closing.start()
    giving.start()
    if delay is None:
        closing.join()
    else:
        time.sleep(delay)
    process.kill()
    closing.join()
    giving.join()


def caught_up(process: Process, cup: str, made: Any, n: int) -> None:
    """Repeats what may have been interrupted; the request for a garnet is always repeated."""
    if not ended(on_disk(process.data)[made["id"]]):
        close(process.url, made)
    assert give(process.url, cup, f"key-{n}") in (200, 201)


def ended(records: list[Any]) -> bool:
    return isinstance(records[-1].event, MatchEnded)


def give(url: str, cup: str, key: str) -> int | None:
    """Gives Ben a garnet, by a request with a key; None if the server is gone before it answers."""
    with suppress(httpx.TransportError), session(url) as http:
        return http.post(
            f"/v1/tournaments/{cup}/garnets",
            json={"player": 1, "amount": 1, "reason": key},
            headers={"Idempotency-Key": key},
        ).status_code
    return None


def check(records: list[Any], settled: list[str]) -> None:
    """On disk these matches are settled, once, and the ledgers are right after every event."""
    state = NOTHING_YET
    for record in records:
        state = fold(state, [record.event])
        ledger.check(state.balances)
    events = [record.event for record in records if isinstance(record.event, MatchSettled)]
    assert sorted(event.match for event in events) == sorted(settled)


def check_balances(records: list[Any], given: int) -> None:
    """Everybody has what they began with: Ann, the last on stage in round 2, earns the one garnet
    that she pays. Ben was given one each time, by requests that were repeated."""
    events = [record.event for record in records]
    balances = fold(NOTHING_YET, events).balances
    reasons = [event.reason for event in events if isinstance(event, GarnetsPosted)]
    assert sorted(r for r in reasons if r.startswith("key-")) == sorted(
        f"key-{n}" for n in range(given)
    )
    assert balances == {
        ledger.HOUSE: -4 * AT_FIRST - given,
        ledger.purse(0): AT_FIRST,
        ledger.purse(1): AT_FIRST + given,
        ledger.purse(2): AT_FIRST,
        ledger.purse(3): AT_FIRST,
    }
