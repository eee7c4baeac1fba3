"""Every call of the store fails once: before it has done anything, and after it has done
everything, so that its answer is lost. Clients repeat what was not acknowledged, and the final
state is the same."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from eventsourcing.persistence import OperationalError, PersistenceError
from msgspec import Struct
from msgspec.structs import replace

from service.instance import Instance
from service.settings import Settings
from tests.faults.scenario_runner import Scenario, on_record
from tests.support.effort import new_chance, times
from tests.support.instants import NOON
from tests.support.servers.instance_settings import fresh_store
from tests.support.servers.postgres_proxy import PostgresProxy
from tests.support.virtual_clock import VirtualClock

When = Literal["before", "after"]
WHEN: tuple[When, ...] = ("before", "after")

RECORDERS = (
    "insert_rows",
    "insert_events",
    "select_states",
    "select_rows",
    "select_events",
    "select_grown",
    "select_notifications",
    "max_notification_id",
)


class Calls:
    """Counts calls of the store, or those of one `name`; call number `fatal`, counted from 1, fails
    once, unless it is `over` by then. `failed` describes that call once it has come."""

    def __init__(self, fatal: int = 0, when: When = "before", name: str | None = None) -> None:
        self.count = 0
        self.failed: str | None = None
        self.over = False
        self._fatal = fatal
        self.when = when
        self._name = name
        self._lock = threading.Lock()
        self._within = threading.local()

    def watch(self, instance: Instance) -> None:
        """From now on all calls of this instance count."""
        store = instance.store
        for name, recorder in (
            ("recorder", store.recorder),
            ("secrets", store.secrets),
            ("keyrings", store.keyrings),
        ):
            for method in RECORDERS:
                if hasattr(recorder, method):
                    self._wrap(recorder, method, f"{name}.{method}")
        database = instance.index._db
        self._wrap(database, "select", "index.select")
        transaction = database.transaction

        @contextmanager
        def counted() -> Iterator[Any]:
            with self._counting("index.transaction"), transaction() as cursor:
                yield cursor

        setattr(database, "transaction", counted)  # noqa: B010  types forbid it otherwise

    def _wrap(self, of: Any, method: str, name: str) -> None:
        do: Callable[..., Any] = getattr(of, method)

        def counted(*args: Any, **more: Any) -> Any:
            with self._counting(name):
                return do(*args, **more)

        setattr(of, method, counted)

    @contextmanager
    def _counting(self, name: str) -> Iterator[None]:
        """One call. The calls that it makes itself are not counted."""
        if getattr(self._within, "call", False):
            yield
            return
        with self._lock:
            counts = self._name in (None, name)
            self.count += counts
            fatal = counts and self.count == self._fatal and not self.over
        if fatal:
            self.failed = name
        if fatal and self.when == "before":
            raise OperationalError("planted: not done")
        self._within.call = True
        try:
            yield
        finally:
            self._within.call = False
        if fatal:
            raise OperationalError("planted: done, and the answer is lost")


EVERY = times("every call")
SOME = {"sqlite": 3, "postgres": 1, "wire": 2}
WRITE = "recorder.insert_rows"
"""The call of which the first is always a client's, who is answered 503 if it fails."""

SOON = 0.02
"""Seconds after which background tasks are retried here."""

PATIENCE = 20.0

RECORD = list[list[Any]]
HOST = "POSTGRES_HOST"


class Run(Struct, frozen=True):
    """The result of one run: what is on record, how many calls it took, which of them failed, and
    how many answers were 503."""

    record: RECORD
    count: int
    failed: str | None
    turned_away: int


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "application.scheduling.leader_tasks.RETRY_SECONDS",
        "application.scheduling.leader_tasks.POLL_SECONDS_SHARED",
        "application.scheduling.leader_tasks.POLL_SECONDS_SINGLE",
    ):
        monkeypatch.setattr(f"service.{name}", SOON)


async def played(settings: Settings, calls: Calls) -> Run:
    """The whole scenario, by an instance that is started again if the store fails at its start."""
    clock = VirtualClock(NOON)
    async with started(settings, clock, calls) as instance:
        scenario = Scenario(instance, clock)
        await scenario.run()
        await everything_signed(instance)
        assert not instance.broken.is_set()
        calls.over = True
        record = await asyncio.to_thread(on_record, instance.store)
        return Run(record, calls.count, calls.failed, scenario.turned_away)


@asynccontextmanager
async def started(settings: Settings, clock: VirtualClock, calls: Calls) -> AsyncIterator[Instance]:
    async with AsyncExitStack() as stack:
        try:
            instance = await begun(stack, settings, clock, calls)
        except PersistenceError:
            instance = await begun(stack, settings, clock, calls)
        yield instance


async def begun(
    stack: AsyncExitStack, settings: Settings, clock: VirtualClock, calls: Calls
) -> Instance:
    """An instance that runs until the stack is left. Raises PersistenceError if the store fails."""
    instance = Instance(settings, clock)
    calls.watch(instance)
    try:
        await stack.enter_async_context(instance.running())
    except PersistenceError:
        instance.store.close()
        raise
    return instance


async def everything_signed(instance: Instance) -> None:
    """Returns when the log of every match that is over has been signed."""

    def unsigned() -> bool:
        try:
            instance.index.follow()
            return bool(instance.index.unsigned())
        except PersistenceError:
            return True

    async with asyncio.timeout(PATIENCE):
        while await asyncio.to_thread(unsigned):  # noqa: ASYNC110  no one tells
            await asyncio.sleep(SOON)


def chosen(kind: str, count: int) -> list[int]:
    """The calls that fail, each in both ways."""
    if EVERY:
        return list(range(1, count + 1, EVERY))
    return new_chance().sample(range(1, count + 1), SOME[kind])


def within(fewest: int, number: int, count: int) -> int:
    """The call of a run, as far on in it as `number` is among `count`. How many calls a run takes
    depends on how busy the machine is: instances poll. Every run so far took `fewest` or more."""
    return number if EVERY else max(1, number * fewest // count)


ON_POSTGRES = pytest.mark.slow(
    because="it fails calls by chance; they fail on the embedded store, too, and each kind of lost"
    " answer in test_postgres_recorder"
)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=ON_POSTGRES)])
async def test_the_end_is_the_same_whichever_call_fails(kind: str, tmp_path: Path) -> None:
    with fresh_store(kind, tmp_path / "0") as settings:
        reference = await played(settings, Calls())
    for when in WHEN:
        run = await failing(kind, tmp_path / f"write-{when}", Calls(1, when, WRITE))
        assert (run.record, run.failed) == (reference.record, WRITE)
        assert run.turned_away > 0
    runs: list[Run] = []
    fewest = reference.count
    for turn, chosen_number in enumerate(chosen(kind, reference.count)):
        number = within(fewest, chosen_number, reference.count)
        for when in WHEN:
            run = await failing(kind, tmp_path / f"{turn}-{when}", Calls(number, when))
            assert run.record == reference.record, (number, when, run.failed)
            runs.append(run)
            fewest = min(fewest, run.count)
    print(f"{len(runs)} runs, {reference.count} calls")  # noqa: T201  shown if it fails
    assert sum(run.failed is not None for run in runs) > len(runs) // 2


async def failing(kind: str, folder: Path, calls: Calls) -> Run:
    """The scenario on a fresh store of which one call fails."""
    with fresh_store(kind, folder) as settings:
        try:
            return await played(settings, calls)
        except BaseException as error:
            error.add_note(f"call {calls.count} ({calls.failed}) failed {calls.when} it was done")
            raise


class Losing(PostgresProxy):
    """A connection that is cut when a chosen request has been carried out and not answered yet."""

    def __init__(self, folder: Path, server: str, fatal: int) -> None:
        self._fatal = fatal
        super().__init__(folder, server)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "requests" and value == self._fatal:
            self.lose_the_next_answer()


async def over_proxy(folder: Path, fatal: int) -> tuple[Run, int]:
    """The scenario on PostgreSQL, with one answer lost; and how many requests there were."""
    with fresh_store("postgres", folder) as settings, Losing(folder, host(settings), fatal) as wire:
        run = await played(replace(settings, store=settings.store | {HOST: str(folder)}), Calls())
        return run, wire.requests


def host(settings: Settings) -> str:
    return settings.store[HOST]


@ON_POSTGRES
async def test_the_end_is_the_same_whichever_answer_of_postgres_is_lost(tmp_path: Path) -> None:
    reference, count = await over_proxy(tmp_path / "0", 0)
    turned_away = 0
    for number in chosen("wire", count):
        try:
            run, _ = await over_proxy(tmp_path / f"{number}", number)
            assert run.record == reference.record
        except BaseException as error:
            error.add_note(f"answer {number} of {count} was lost")
            raise
        turned_away += run.turned_away
    print(f"{count} requests, {turned_away} answers 503")  # noqa: T201  shown if it fails
