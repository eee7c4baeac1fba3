"""The work that a request or a line causes is the same, however much happens that its reader may
not see: store reads, rows, decoded and folded events, encoded lines, readers woken.

Opening a match that is in no one's memory is not claimed: it reads all events, the first read of
each audience afterwards reads and folds its own, and the first receipt reads all events again.
"""

import asyncio
import os
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack
from typing import Any, TypeVar
from uuid import UUID

import pytest

from domain.games.twelve_chips.actions import Play
from projections.audience.disclosure import PUBLIC_VIEWER, may_see
from service.settings import Limits
from tests.support.http.match_play import ndjson
from tests.support.instance.service_instance import on_record, sends, someone_acts
from tests.support.instance.work_counter import WorkCounter
from tests.support.servers.live_server import NDJSON, Live, LiveMatch, serving

HIDDEN = (0, 1, 999, 1_001, 2_001, 5_000) if "ARBITER_TEST_WORLDS" in os.environ else (0, 1, 1_001)
"""Numbers of submissions of another seat, on both sides of every limit: of the lines that stay in
memory, of a page, of a read. The long form has more close to them."""

READERS = ("public", "seat:1")
BATCH = 256
MOMENTS = 4
SEEN_BY_SEAT_1 = 48
TRIES = 64

Work = dict[str, dict[str, int]]
T = TypeVar("T")


@pytest.fixture(scope="module")
def live(counter: WorkCounter, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("work"), limits=Limits(seat_bytes=1 << 40)) as server:
        yield server


def in_loop(live: Live, coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(coroutine, live.loop).result(60)


def hidden_submissions(live: Live, match: LiveMatch, count: int) -> None:
    """Seat 0 sends what is refused: only it and the moderators learn of it."""
    execute, match_id = live.instance.matches.execute, UUID(match.id)

    async def submit() -> None:
        for start in range(0, count, BATCH):
            some = range(start, min(count, start + BATCH))
            await asyncio.gather(*(execute(match_id, sends(0, Play(99)), 0) for _ in some))

    in_loop(live, submit())


def played(live: Live, hidden: int) -> LiveMatch:
    """A match in which seat 0 makes so many hidden submissions, at several moments. Chance decides
    who begins, so it is played until it goes the usual way."""
    for _ in range(TRIES):
        match = played_once(live, hidden)
        if match.seats[1].view().json()["seq"] == SEEN_BY_SEAT_1:
            return match
    raise AssertionError("no match went the usual way")


def played_once(live: Live, hidden: int) -> LiveMatch:
    match = live.started("twelve-chips")
    for moment in range(MOMENTS):
        hidden_submissions(live, match, hidden // MOMENTS)
        for number in range(3):
            key = {"Idempotency-Key": f"{moment}.{number}"}
            assert match.seats[1].act({"type": "play", "chip": 99}, key).status_code == 422
        in_loop(live, someone_acts(live.instance, UUID(match.id)))
    hidden_submissions(live, match, hidden % MOMENTS)
    return match


def work_of_requests(counter: WorkCounter, match: LiveMatch, reader: str) -> Work:
    """The work of each request that a reader can make, page by page."""
    player = match.audiences()[reader]
    last = player.view().json()["seq"]
    queries: list[tuple[str, dict[str, Any]]] = [("view", {})]
    queries += [("view", {"at": at}) for at in range(0, last + 1, 5)]
    queries += [("events", {"after": after, "limit": 3}) for after in range(last)]
    queries += [("events", {"limit": 1_000})]
    if reader != "public":
        queries += [("receipts", {"after": after, "limit": 2}) for after in range(0, last, 3)]
        queries += [("receipts", {}), ("actions", {})]
    done: Work = {}
    for path, query in queries:
        counter.take()
        answer = player.client.get(f"{player.path}/{path}", **query)
        assert answer.status_code == 200, answer.text
        done[f"{reader} {path} {query}"] = counter.take()
    if reader != "public":
        again = player.act({"type": "play", "chip": 99}, {"Idempotency-Key": "1.1"})
        assert (again.status_code, again.headers["idempotent-replayed"]) == (422, "true")
        done["an action again"] = counter.take()
    return done


def work_of_streams(live: Live, counter: WorkCounter, match: LiveMatch, hidden: int) -> Work:
    """The work of catching up, of what is hidden while streams are open, and of a line that their
    readers see."""
    done: Work = {}
    with ExitStack() as stack:
        opened = []
        for reader in READERS:
            player = match.audiences()[reader]
            last = player.view().json()["seq"]
            counter.take()
            lines = ndjson(stack.enter_context(player.stream({"Accept": NDJSON}, after=0)))
            assert [next(lines)["seq"] for _ in range(last)] == list(range(1, last + 1))
            done[f"{reader} catches up"] = counter.take()
            opened.append(lines)
        hidden_submissions(live, match, hidden)
        meanwhile = counter.take()
        done["hidden submissions"] = {
            kind: meanwhile.get(kind, 0) for kind in ("reads", "readers woken", "chunks written")
        }
        in_loop(live, someone_acts(live.instance, UUID(match.id)))
        for lines in opened:
            next(lines)
        done["a line"] = counter.take()
    return done


def test_the_worlds_differ_in_hidden_events_alone(live: Live) -> None:
    found = {}
    for hidden in (0, 999):
        records = on_record(live.instance, UUID(played(live, hidden).id))
        found[hidden] = [
            sum(may_see(viewer, record.event) for record in records)
            for viewer in (PUBLIC_VIEWER, 1)
        ]
        assert len(records) > 2 * hidden
    assert found[0] == found[999]


@pytest.mark.parametrize("in_memory", [1_000, 4])
@pytest.mark.parametrize("reopened", [False, True])
def test_no_work_depends_on_what_a_reader_may_not_see(
    live: Live,
    counter: WorkCounter,
    monkeypatch: pytest.MonkeyPatch,
    in_memory: int,
    reopened: bool,
) -> None:
    """In memory and from the store."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", in_memory)
    worlds: dict[int, Work] = {}
    for hidden in HIDDEN:
        match = played(live, hidden)
        if reopened:
            reopen(live, match, in_memory)
        work: Work = {}
        for reader in READERS:
            work |= work_of_requests(counter, match, reader)
        worlds[hidden] = work | work_of_streams(live, counter, match, hidden)
    for hidden in HIDDEN:
        assert worlds[hidden] == worlds[0], f"{hidden} hidden submissions can be told from none"
    read = {request for request, work in worlds[0].items() if work.get("rows read")}
    assert len(read) > 20, "the store is read, too"


def reopen(live: Live, match: LiveMatch, few: int) -> None:
    """Drops the match from memory; then every audience reads it, and more than a few of its events
    by themselves, and what receipts bind is read."""
    live.run(lambda: live.instance.sessions.invalidate(UUID(match.id)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("projections.audience.projection.MAX_UNFOLDED", few)
        for player in match.audiences().values():
            player.view()
    in_loop(live, live.instance.sessions.with_chains(UUID(match.id)))


def test_a_key_of_another_seat_wakes_nobody_else(live: Live, counter: WorkCounter) -> None:
    match = live.started("twelve-chips")
    path = f"{match.organiser.path}/keys"
    with ExitStack() as stack:
        opened = []
        for reader in READERS:
            player = match.audiences()[reader]
            lines = ndjson(stack.enter_context(player.stream({"Accept": NDJSON}, after=0)))
            opened.append(lines)
            for _ in range(player.view().json()["seq"]):
                next(lines)
        counter.take()
        for body in ({"role": "seat:0", "name": "Ann"}, {"role": "moderator", "name": "Mo"}):
            made = match.organiser.client.post(path, body)
            assert made.status_code == 201, made.text
            ended = match.organiser.client.send("DELETE", f"{path}/{made.json()['id']}")
            assert ended.status_code == 204, ended.text
        work = counter.take()
        in_loop(live, someone_acts(live.instance, UUID(match.id)))
        for lines in opened:
            next(lines)
        assert counter.take()["chunks written"] > 0, "they get what they may see"
    assert {kind: work.get(kind, 0) for kind in ("readers woken", "chunks written")} == {
        "readers woken": 0, "chunks written": 0,
    }  # fmt: skip
