"""Killed with kill -9 around the end of a protest window: the result becomes final, the seed is
revealed and the match is settled, each once, and nothing of it without the rest."""

import time
from pathlib import Path
from typing import Any

import httpx

from domain import ledger
from domain.events import Event, Record
from domain.match_events import MatchEnded, SeedRevealed
from domain.rejudging import judged
from domain.ruling_events import MatchConfirmed
from domain.tournament_events import MatchSettled
from domain.tournament_state import NOTHING_YET, fold
from tests.support.effort import new_chance, times
from tests.support.faults.server_process import PATIENCE, Process, on_disk
from tests.support.http import local_http
from tests.support.instants import SECOND
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.waiting import wait_until

KILLS = times("deaths while protests end")
NAMES = ["Ann", "Ben", "Cy", "Di"]
RESULT = {"winners": [0], "losers": [1, 2, 3], "shared": False, "scores": [1, 0, 0, 0]}
CHANCES = ("server", "manual")
LATE = ("--settle-after", "30")
"""Every other life is killed when the results are final, long before they are settled."""

TO_COME = 3.0
"""Seconds from the beginning of a life to the end of the windows."""

AROUND = (-0.02, 0.08)
"""When the other lives are killed, in seconds from the end of the windows on."""

Records = dict[str, list[Record[Event]]]


def test_results_become_final_once_and_are_settled_once(tmp_path: Path) -> None:
    chance, matches = new_chance(), list[str]()
    process = Process(tmp_path)
    try:
        cup = created(process)
        for n in range(KILLS):
            made = [provisional(process, cup, kind) for kind in CHANCES]
            matches += made
            process.kill()
            ahead = before_the_windows_end(on_disk(tmp_path), made)
            end, late = time.monotonic() + TO_COME, n % 2 == 0
            process = Process(tmp_path, *ahead, *(LATE if late else ()))
            killed(process, made, None if late else end + chance.uniform(*AROUND))
            nothing_half_done(on_disk(tmp_path), cup, matches)
            process = Process(tmp_path, *ahead)
            settled(process, cup, len(matches))
            once_each(on_disk(tmp_path), cup, matches)
    finally:
        process.kill()


def session(process: Process) -> httpx.Client:
    headers = {"Authorization": f"Bearer {ORGANISER_KEY}"}
    return local_http.client(process.url, headers=headers, timeout=PATIENCE)


def created(process: Process) -> str:
    body = {"name": "Cup", "players": NAMES, "garnets": dict.fromkeys(NAMES, 1_000)}
    with session(process) as http:
        answer = http.post("/v1/tournaments", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def provisional(process: Process, cup: str, chance: str) -> str:
    """A match of the tournament whose result was ruled just now, and is provisional for an hour."""
    new = {"game": "together", "seats": NAMES, "tournament": cup, "chance": chance}
    more = {"options": {"garnets": [2, 0, 3, 0]}, "rulings": "single", "protest_hours": 1}
    ruling: dict[str, Any] = {"kind": "result", "reason": "They agree.", "because": "adjudicated"}
    with session(process) as http:
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


def killed(process: Process, made: list[str], instant: float | None) -> None:
    """Kills the server at an instant of the monotonic clock, or when the results are final."""
    if instant is None:
        with session(process) as http:
            wait_until(lambda: all(is_final(http, match) for match in made), PATIENCE)
    else:
        time.sleep(max(0.0, instant - time.monotonic()))
    process.kill()


def is_final(http: httpx.Client, match: str) -> bool:
    final: bool = http.get(f"/v1/matches/{match}/view").json()["result"]["final"]
    return final


def settled(process: Process, cup: str, count: int) -> None:
    """Returns when so many matches count."""

    def all_count() -> bool:
        rows = http.get(f"/v1/tournaments/{cup}").json()["matches"]
        return sum(row["result"] is not None for row in rows) == count

    with session(process) as http:
        wait_until(all_count, PATIENCE)


def nothing_half_done(disk: Records, cup: str, matches: list[str]) -> None:
    """A result that is final is so from its instant on, with the seed; only such a match is
    settled."""
    paid = [one.event.match for one in disk[cup] if isinstance(one.event, MatchSettled)]
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
    paid = [one.event.match for one in disk[cup] if isinstance(one.event, MatchSettled)]
    assert sorted(paid) == sorted(matches)
    state = NOTHING_YET
    for record in disk[cup]:
        state = fold(state, [record.event])
        ledger.check(state.balances)
    assert {state.balances[ledger.purse(player)] for player in range(4)} == {1_000}
