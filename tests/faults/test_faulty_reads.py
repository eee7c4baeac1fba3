"""The disk below the database cannot be read, or what is read has a flipped bit. What is answered
then is right, or an honest error; once the disk works, everything acknowledged is there."""

import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import msgspec
import pytest

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience
from service.checking.whole_store import check_store
from service.event_store.database import embedded
from service.observability.readiness import Readiness
from tests.faults.continuous_matches import writing
from tests.faults.durability_checks import check_chance, check_disk, check_repeats
from tests.faults.faulty_disk import FaultyDisk
from tests.faults.http_writers import Acknowledged, Ledger, Service, Table
from tests.support.effort import new_chance, times
from tests.support.faults.server_process import Process, on_disk
from tests.support.game_actions import refused
from tests.support.http.match_play import assert_problem
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.waiting import until

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)


class Question(NamedTuple):
    """A request that changes nothing: a read, or, with an action, the repeat of it."""

    match: str
    path: str
    key: str
    repeats: Acknowledged | None = None

    async def ask(self, service: Service) -> httpx.Response:
        """Sends it once."""
        if self.repeats is None:
            return await service.once("GET", self.path, self.key)
        headers = {"Idempotency-Key": self.repeats.key}
        return await service.once(
            "POST", self.path, self.key, json=self.repeats.action, headers=headers
        )


class Known(NamedTuple):
    """A question, and the body of the right answer."""

    question: Question
    body: bytes


def questions(ledger: Ledger) -> Iterator[Question]:
    """Views, events and receipts of every match for every audience, and its last action again."""
    last = {action.match: action for action in ledger.actions}
    for there in ledger.tables.values():
        path = f"/v1/matches/{there.id}"
        for viewer, key in _viewers(there):
            shown = name_audience(viewer)
            yield Question(there.id, f"{path}/view?as={shown}", key)
            yield Question(there.id, f"{path}/events?as={shown}&limit=1000", key)
        yield Question(there.id, f"{path}/receipts?limit=1000", there.seat_keys[0])
        if (action := last.get(there.id)) is not None:
            yield Question(there.id, f"{path}/actions", there.seat_keys[action.seat], action)


def _viewers(there: Table) -> list[tuple[Viewer, str]]:
    return [
        (PUBLIC_VIEWER, there.seat_keys[0]),
        (MODERATOR, there.moderator_key),
        *enumerate(there.seat_keys),
    ]


async def known(service: Service, ledger: Ledger) -> list[Known]:
    """The right answers, from a service whose store works."""
    return [await _known(service, question) for question in questions(ledger)]


async def _known(service: Service, question: Question) -> Known:
    answer = await question.ask(service)
    assert answer.status_code in (200, 409, 422), (question, answer.text)
    return Known(question, answer.content)


CYCLES = times("faults of a disk")

PLAYED = 100
"""Acknowledged actions before the faults, and after them."""

MANY = 1_000_000
"""More reads than a process makes here."""

MOST_PASS = 30
"""At most how many reads pass before a bit is flipped: a process that has just started makes more
to answer everything."""

MOST_FLIPS = 4
LOOK_AGAIN = 5.0
"""Seconds after which a closed record is read again."""

UNANSWERED = {"try_again", "operator_needed"}


async def test_what_cannot_be_read_is_refused_until_it_can(tmp_path: Path) -> None:
    played = await Played.at(tmp_path / "data")
    codes: Counter[str] = Counter()
    with FaultyDisk(tmp_path) as disk:
        for _ in range(CYCLES):
            async with cold(played, disk) as service:
                disk.order("read error", 0, MANY)
                found = [await code_of(service, right) for right in played.right]
                await until(lambda: in_trouble(service))
                await check_refused(service, played)
                assert disk.mend() > 0
                codes += Counter(code for code in found if code is not None)
                assert codes.keys() <= UNANSWERED
                await until(lambda: is_up(service))
                assert await all_right(service, played.right)
        await played.goes_on()
    assert codes
    report("read errors", played, codes)


async def test_a_flipped_bit_is_neither_served_nor_built_upon(tmp_path: Path) -> None:
    played, chance = await Played.at(tmp_path / "data"), new_chance()
    codes: Counter[str] = Counter()
    with FaultyDisk(tmp_path) as disk:
        for _ in range(CYCLES):
            codes += await through_flips(played, disk, chance)
        await played.goes_on()
    report("flipped bits", played, codes)


async def through_flips(played: "Played", disk: FaultyDisk, chance: random.Random) -> Counter[str]:
    """Reads everything while bits are flipped, in a process that has nothing in memory; and again
    until everything is right. Returns the codes of what was refused: keys have no digest, and one
    with a flipped bit is no one's."""
    async with cold(played, disk) as service:
        after, times = chance.randint(0, MOST_PASS), chance.randint(1, MOST_FLIPS)
        disk.order("flipped bit", after, times, chance.getrandbits(16))
        codes: Counter[str] = Counter()
        closed: set[str] = set()
        for right in chance.sample(played.right, len(played.right)):
            code = await code_of(service, right)
            if code is not None:
                codes[code] += 1
            if code == "record_altered" and right.question.match not in closed:
                closed.add(right.question.match)
                await check_closed(service, played, right.question.match)
        assert disk.mend() > 0
        assert codes.keys() <= {"record_altered", "key_unknown", *UNANSWERED}
        readiness = await ready(service)
        corrupt = readiness.checks["database"] == "corrupt"
        assert (readiness.checks["records"] == "degraded") == bool(closed)
        assert readiness.ready != corrupt and (corrupt or readiness.degraded == bool(closed))
        await until(lambda: all_right(service, played.right))
        assert (await ready(service)).checks["records"] == "up"
        await until(lambda: is_up(service))
    return codes


class Played(NamedTuple):
    """Matches that have been played a while: what was promised, and what was shown of them."""

    data: Path
    ledger: Ledger
    right: list[Known]

    @classmethod
    async def at(cls, data: Path) -> "Played":
        """Plays matches on a disk that works."""
        ledger = Ledger()
        with Process(data) as process:
            async with served(process) as service:
                await play(service, ledger)
                return cls(data, ledger, await known(service, ledger))

    async def goes_on(self) -> None:
        """Everything acknowledged is on disk, sound, and can be played on."""
        check_disk(self.ledger, on_disk(self.data))
        with Process(self.data) as process:
            async with served(process) as service:
                assert await all_right(service, self.right)
                await check_repeats(service, self.ledger, self.ledger.actions)
                await play(service, self.ledger)
        store = embedded(self.data / "arbiter.db")
        records = on_disk(self.data)
        check_disk(self.ledger, records)
        check_chance(store, records)
        assert check_store(store).findings == []


async def play(service: Service, ledger: Ledger) -> None:
    """Plays new matches of every game until some more actions are acknowledged."""
    chance, enough = new_chance(), len(ledger.actions) + PLAYED
    async with writing(service, ledger, chance):
        await ledger.reaches(enough)


@asynccontextmanager
async def served(process: Process) -> AsyncIterator[Service]:
    service = Service()
    await service.at(process.url)
    try:
        yield service
    finally:
        await service.away()


@asynccontextmanager
async def cold(played: Played, disk: FaultyDisk) -> AsyncIterator[Service]:
    """A service that has read nothing yet of the matches."""
    again = ("--look-again", str(LOOK_AGAIN))
    with Process(played.data, *again, under=disk.under) as process:
        async with served(process) as service:
            yield service


async def code_of(service: Service, right: Known) -> str | None:
    """Why there was no answer; None for the right one. There is no other."""
    answer = await right.question.ask(service)
    if answer.content == right.body:
        return None
    code: str = answer.json()["code"]
    acting = right.question.repeats is not None
    statuses = {"key_unknown": 401, "record_altered": 409 if acting else 503}
    assert answer.status_code == statuses.get(code, 503), answer.text
    return code


async def all_right(service: Service, every: Sequence[Known]) -> bool:
    """Whether everything is answered as it was before the faults."""
    return all([await code_of(service, right) is None for right in every])


async def check_refused(service: Service, played: Played) -> None:
    """No new action is accepted, and no match created."""
    for answer in [await act(service, played, match) for match in played.ledger.tables]:
        assert answer.status_code == 503 and answer.json()["code"] in UNANSWERED
    new = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    answer = await service.once("POST", "/v1/matches", ORGANISER_KEY, json=new)
    assert answer.status_code == 503 and answer.json()["code"] in UNANSWERED


async def check_closed(service: Service, played: Played, match: str) -> None:
    """A closed record takes no new action; nor does any, while the file is known to be damaged."""
    answer = await act(service, played, match)
    if (await ready(service)).checks["database"] != "corrupt":
        assert_problem(answer, 409, "record_altered")
    else:
        assert answer.status_code == 503 or answer.json()["code"] == "record_altered"


async def act(service: Service, played: Played, match: str) -> httpx.Response:
    """A new action, which would be refused by the rules and recorded."""
    table, path = played.ledger.tables[match], f"/v1/matches/{match}/actions"
    action = refused(table.game)[0]
    return await service.once("POST", path, table.seat_keys[0], json=action)


async def ready(service: Service) -> Readiness:
    answer = await service.once("GET", "/readyz", ORGANISER_KEY)
    readiness = msgspec.json.decode(answer.content, type=Readiness)
    assert answer.status_code == (200 if readiness.ready else 503)
    return readiness


async def in_trouble(service: Service) -> bool:
    """Whether the service says that it is not ready because its database cannot be read; SQLite
    calls a page damaged that the disk does not return."""
    readiness = await ready(service)
    return not readiness.ready and readiness.checks["database"] in ("io_error", "corrupt")


async def is_up(service: Service) -> bool:
    readiness = await ready(service)
    return readiness.ready and readiness.checks["database"] == "up"


def report(what: str, played: Played, codes: Counter[str]) -> None:
    """A row of the table of faults; pytest shows it with -s."""
    acknowledged = len(played.ledger.actions) + len(played.ledger.draws)
    print(f"SQLite: {what}: {CYCLES} faults, {acknowledged} acknowledged, 0 lost; {dict(codes)}")  # noqa: T201
