"""Killed with kill -9 while a tournament's match comes to its end, its result is corrected, or its
protest window ends: every match is settled once, every request counts once, and no garnet is lost
or doubled."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.events import Event, Record
from domain.match.events import MatchEnded, SeedRevealed
from domain.proof.rejudging import judged
from domain.rulings.events import MatchConfirmed
from domain.tournament import ledger
from domain.tournament.events import (
    GarnetsPosted,
    MatchSettled,
    TournamentRuled,
    TournamentRulingOrdered,
)
from domain.tournament.state import NOTHING_YET, fold
from tests.support.effort import new_chance, times
from tests.support.faults.server_process import PATIENCE, Process, on_disk, serving
from tests.support.http import local_http
from tests.support.instants import SECOND
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

KILLS = times("deaths while garnets move")
PROTEST_KILLS = times("deaths while protests end")
NAMES = ["Ann", "Ben", "Cy", "Di"]
AT_FIRST = 1_000
"""Garnets of each player before the first match."""

LATE = ("--settle-after", "30")
"""Every other life of the server delays settlement by so many seconds: it is killed before."""

MOST_DELAY = 0.06
"""Seconds after which the other lives are killed at the latest."""

Records = dict[str, list[Record[Event]]]


def session(url: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {ORGANISER_KEY}"}
    return local_http.client(url, headers=headers, timeout=PATIENCE)


def sent(http: httpx.Client, path: str, body: Any = None, **headers: str) -> Any:
    answer = http.post(path, json=body, headers=headers) if body else http.post(path)
    assert answer.status_code == 201, answer.text
    return answer.json()


def created(process: Process) -> str:
    """A tournament in which everyone has enough garnets for every match."""
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

    def all_count() -> bool:
        rows = http.get(f"/v1/tournaments/{cup}").json()["matches"]
        assert [row["match"] for row in rows] == matches
        return all(row["result"] is not None for row in rows)

    with session(process.url) as http:
        wait_until(all_count, PATIENCE)


def folded(records: list[Record[Event]]) -> Any:
    """The tournament; its ledgers are right after every event."""
    state = NOTHING_YET
    for record in records:
        state = fold(state, [record.event])
        ledger.check(state.balances)
    return state


def settled_matches(records: list[Record[Event]]) -> list[str]:
    return sorted(one.event.match for one in records if isinstance(one.event, MatchSettled))


# The end of a match.


@pytest.mark.slow(
    because="test_tournament_settlement stops a settlement at its commits, test_every_call does so"
    " at every call, and test_idempotency loses answers"
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
            killed_at_the_end(
                process, cup, made, n, None if late else chance.uniform(0, MOST_DELAY)
            )
            if late:
                assert settled_matches(on_disk(tmp_path)[cup]) == sorted(matches)
            matches.append(made["id"])
            process = Process(tmp_path)
            caught_up(process, cup, made, n)
            settled(process, cup, matches)
            assert settled_matches(on_disk(tmp_path)[cup]) == sorted(matches)
            check_balances(on_disk(tmp_path)[cup], n + 1)
            if not late:
                process.stop()
                process = Process(tmp_path, *LATE)
    finally:
        process.kill()


def killed_at_the_end(process: Process, cup: str, made: Any, n: int, delay: float | None) -> None:
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


def check_balances(records: list[Any], given: int) -> None:
    """Everyone has what they began with: Ann, the last on stage in round 2, earns the one garnet
    that she pays. Ben was given one each time, by requests that were repeated."""
    events = [record.event for record in records]
    balances = folded(records).balances
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


# A correction.

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
            killed_while_correcting(process, cup, body, seen, chance.uniform(0, MOST_DELAY))
        with serving(tmp_path) as process:
            assert corrected(process.url, cup, body, seen) in (200, 201)
            process.stop()
        check_corrections(on_disk(tmp_path)[cup], n + 1)


def previewed(process: Process, cup: str, body: dict[str, Any]) -> dict[str, str]:
    """The headers of the correction, after its preview."""
    with session(process.url) as http:
        answer = http.post(f"/v1/tournaments/{cup}/rulings", json=body | {"preview": True})
    assert answer.status_code == 200, answer.text
    return {"If-Match": answer.headers["etag"], "Idempotency-Key": body["reason"]}


def corrected(url: str, cup: str, body: dict[str, Any], headers: dict[str, str]) -> int | None:
    """Sends the correction; None if the server is gone before it answers."""
    with suppress(httpx.TransportError), session(url) as http:
        return http.post(f"/v1/tournaments/{cup}/rulings", json=body, headers=headers).status_code
    return None


def killed_while_correcting(
    process: Process, cup: str, body: dict[str, Any], headers: dict[str, str], delay: float
) -> None:
    """Kills the server while it corrects."""
    correcting = threading.Thread(target=corrected, args=(process.url, cup, body, headers))
    correcting.start()
    time.sleep(delay)
    process.kill()
    correcting.join()


def check_corrections(records: list[Record[Event]], corrections: int) -> None:
    """On disk are so many corrections, in their order, and the ledgers are right after each event.
    Ann has both of her garnets back while the match does not count, and has spent one of them where
    Ben has won it."""
    state = folded(records)
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


# The end of a protest window.

RESULT = {"winners": [0], "losers": [1, 2, 3], "shared": False, "scores": [1, 0, 0, 0]}
CHANCES = ("server", "manual")
TO_COME = 3.0
"""Seconds from the beginning of a life to the end of the windows."""

AROUND = (-0.02, 0.08)
"""When the other lives are killed, in seconds from the end of the windows on."""


def test_results_become_final_once_and_are_settled_once(tmp_path: Path) -> None:
    chance, matches = new_chance(), list[str]()
    process = Process(tmp_path)
    try:
        cup = created(process)
        for n in range(PROTEST_KILLS):
            made = [provisional(process, cup, kind) for kind in CHANCES]
            matches += made
            process.kill()
            ahead = before_the_windows_end(on_disk(tmp_path), made)
            end, late = time.monotonic() + TO_COME, n % 2 == 0
            process = Process(tmp_path, *ahead, *(LATE if late else ()))
            killed_around(process, made, None if late else end + chance.uniform(*AROUND))
            nothing_half_done(on_disk(tmp_path), cup, matches)
            process = Process(tmp_path, *ahead)
            settled(process, cup, matches)
            once_each(on_disk(tmp_path), cup, matches)
    finally:
        process.kill()


def provisional(process: Process, cup: str, chance: str) -> str:
    """A match of the tournament whose result was ruled just now, and is provisional for an hour."""
    new = {"game": "together", "seats": NAMES, "tournament": cup, "chance": chance}
    more = {"options": {"garnets": [2, 0, 3, 0]}, "rulings": "single", "protest_hours": 1}
    ruling: dict[str, Any] = {"kind": "result", "reason": "They agree.", "because": "adjudicated"}
    with session(process.url) as http:
        match = http.post("/v1/matches", json=new | more).json()["id"]
        assert http.post(f"/v1/matches/{match}/start").status_code == 201
        path, body = f"/v1/matches/{match}/rulings", ruling | {"result": RESULT}
        preview = http.post(path, json=body | {"preview": True})
        answer = http.post(path, json=body, headers={"If-Match": preview.headers["etag"]})
        assert answer.status_code == 201, answer.text
    return str(match)


def before_the_windows_end(disk: Records, made: list[str]) -> tuple[str, str]:
    """What lets the next life begin shortly before these windows end."""
    until = max(window_end(disk[match]) for match in made)
    return "--ahead", str(until / SECOND - time.time() - TO_COME)


def window_end(records: list[Record[Event]]) -> int:
    (end,) = (one.event for one in records if isinstance(one.event, MatchEnded))
    assert isinstance(end.protests_until, int)
    return end.protests_until


def killed_around(process: Process, made: list[str], instant: float | None) -> None:
    """Kills the server at an instant of the monotonic clock, or when the results are final."""
    if instant is None:
        with session(process.url) as http:
            wait_until(lambda: all(is_final(http, match) for match in made), PATIENCE)
    else:
        time.sleep(max(0.0, instant - time.monotonic()))
    process.kill()


def is_final(http: httpx.Client, match: str) -> bool:
    final: bool = http.get(f"/v1/matches/{match}/view").json()["result"]["final"]
    return final


def nothing_half_done(disk: Records, cup: str, matches: list[str]) -> None:
    """A result that is final is so from its instant on, with the seed; only such a match is
    settled."""
    paid = settled_matches(disk[cup])
    assert len(paid) == len(set(paid))
    for match in matches:
        final = [one.at for one in disk[match] if isinstance(one.event, MatchConfirmed)]
        assert final in ([], [window_end(disk[match])])
        assert judged(match, disk[match]).over == bool(final)
        seeds = [one.at for one in disk[match] if isinstance(one.event, SeedRevealed)]
        assert seeds in ([], final)
        assert final or match not in paid


def once_each(disk: Records, cup: str, matches: list[str]) -> None:
    """Everything has happened, and the ledger is right after every event."""
    nothing_half_done(disk, cup, matches)
    assert settled_matches(disk[cup]) == sorted(matches)
    state = folded(disk[cup])
    assert {state.balances[ledger.purse(player)] for player in range(4)} == {1_000}
