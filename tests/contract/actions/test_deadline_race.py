"""Sixteen players who all submit around a deadline, over sockets, by the machine's own clock."""

import asyncio
import threading
from collections.abc import Iterator
from datetime import datetime

import pytest

from service.clock import SystemClock
from tests.support.http.match_play import all_events
from tests.support.servers.live_server import SILENCE, Json, Live, LiveMatch, body_of, serving


class Shifted:
    """The machine's own clock, shifted far enough that a deadline days away is now."""

    def __init__(self) -> None:
        self._real = SystemClock()
        self._ahead = 0

    def now(self) -> int:
        return self._real.now() + self._ahead

    def set_forward(self) -> int:
        return self._real.set_forward()

    def go_to(self, instant: int) -> None:
        self._ahead += instant - self.now()

    def not_before(self, instant: int) -> None:
        self._real.not_before(instant - self._ahead)

    def compare(self) -> None:
        self._real.compare()

    async def wait_until(self, instant: int, changed: asyncio.Event) -> None:
        await self._real.wait_until(instant - self._ahead, changed)


SEATS = 16
WINDOW = 150_000
"""Microseconds before the deadline from which on everyone sends as fast as they can."""

LATE, MOST = 5, 200
"""Number of each seat's submissions that are late in the end; and the maximum it sends, in case
none is ever late."""


@pytest.fixture(scope="module")
def ahead() -> Shifted:
    return Shifted()


@pytest.fixture(scope="module")
def punctual(tmp_path_factory: pytest.TempPathFactory, ahead: Shifted) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("punctual"), ahead) as live:
        yield live


def instant(text: str) -> int:
    since = datetime.fromisoformat(text) - datetime.fromisoformat("1970-01-01T00:00:00Z")
    return round(since.total_seconds() * 1_000_000)


def submit_until_late(match: LiveMatch, seat: int, near: threading.Barrier) -> list[Json]:
    """The receipts of one seat's submissions, each for its round: of one from long before the
    deadline, and of more from when it is near until enough are late, however long that takes on a
    busy machine."""
    receipts = [receipt(match, seat)]
    near.wait(SILENCE)
    while sum(not one["valid"] for one in receipts) < LATE and len(receipts) < MOST:
        receipts.append(receipt(match, seat))
    return receipts


def receipt(match: LiveMatch, seat: int) -> Json:
    votes = [SEATS - 1 - seat % 2] * 3
    return dict(
        body_of(match.seats[seat].act({"type": "submit", "b": votes, "round": 1}), 201)["receipt"]
    )


def test_each_is_judged_by_its_time_of_receipt_and_the_round_ends_once(
    punctual: Live, ahead: Shifted
) -> None:
    names = [f"Seat {seat}" for seat in range(SEATS)]
    # No one votes a player off the stage: the match continues with a second round.
    options = {"b_self": True, "all_tied": "none_out"}
    match = punctual.started("together", names, clock="rules", options=options)
    due = instant(match.anyone.view().json()["awaiting"]["deadline"])
    near = threading.Barrier(SEATS, lambda: punctual.run(lambda: ahead.go_to(due - WINDOW)))
    receipts: dict[int, list[Json]] = {}

    def play(seat: int) -> None:
        receipts[seat] = submit_until_late(match, seat, near)

    players = [threading.Thread(target=play, args=(seat,)) for seat in range(SEATS)]
    for player in players:
        player.start()
    for player in players:
        player.join(30)

    every = [one for receipt in receipts.values() for one in receipt]
    assert len(receipts) == SEATS
    for receipt in every:
        late = instant(receipt["at"]) >= due
        assert (receipt["valid"], receipt["code"]) == (not late, "late" if late else None)
    assert [sum(not one["valid"] for one in receipt) for receipt in receipts.values()] == [
        LATE
    ] * SEATS
    events = all_events(match.moderator)
    kinds = [event["type"] for event in events]
    assert kinds.count("match.deadline-passed.1") == kinds.count("together.round-counted.1") == 1
    assert kinds.count("match.action-received.1") == len(every)
    counted = next(e["data"]["b"] for e in events if e["type"] == "together.round-counted.1")
    assert sum(counted) == 3 * SEATS
