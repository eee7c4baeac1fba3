"""Two instances on three nodes of PostgreSQL under Patroni, whose machines and etcd fail while
clients play: nothing acknowledged is lost or doubled, every request is answered, each refusal says
when to come again, someone leads soon, and no instance is ready while it refuses actions."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.faults.continuous_matches import writing
from tests.faults.durability_checks import check_disk, check_repeats
from tests.faults.http_writers import Ledger, Service
from tests.faults.patroni_cluster import ETCD, HAPROXY, PATIENCE, PATRONI, Cluster, cluster
from tests.faults.worker_fleet import Fleet, recorded
from tests.support.deploy.child_process import free_ports
from tests.support.effort import new_chance
from tests.support.http import local_http
from tests.support.servers.redis_server import redis_server
from tests.support.waiting import until, wait_until

pytestmark = [
    pytest.mark.slow(because="test_postgres_away and test_waiting_commits find most of it alone"),
    pytest.mark.skipif(
        ETCD is None or not PATRONI.exists(),
        reason="needs Debian's etcd-server, and Patroni: make .venv/patroni.ready",
    ),
]

NEEDS_HAPROXY = pytest.mark.skipif(HAPROXY is None, reason="needs Debian's haproxy")

LEADER_SECONDS = 25.0
"""Seconds after which someone leads again where a primary may be replaced at once and goes on
without a standby: Patroni takes 20."""

FOLLOWS_SECONDS = 6.0
"""Seconds after which someone leads when commits are possible again."""

ANSWER_SECONDS = 10.5
"""Seconds within which an action is answered: the ten of the manual, and a little."""

WHOLE_SECONDS = 120.0
REPEATED = 40
PACE = 0.25


@contextmanager
def switched_over(nodes: Cluster) -> Iterator[None]:
    nodes.switch_over()
    yield


@contextmanager
def killed_primary(nodes: Cluster) -> Iterator[None]:
    node = nodes.nodes[nodes.primary()]
    node.kill()
    yield
    node.start()


@contextmanager
def frozen_primary(nodes: Cluster) -> Iterator[None]:
    node = nodes.nodes[nodes.primary()]
    node.freeze()
    yield
    node.thaw()


@contextmanager
def frozen_first(nodes: Cluster) -> Iterator[None]:
    """A standby that is the first in the list of hosts; commits may wait for it."""
    while nodes.primary() == 0:
        nodes.switch_over()
        wait_until(nodes.whole, PATIENCE)
    nodes.nodes[0].freeze()
    yield
    nodes.nodes[0].thaw()


@contextmanager
def etcd_away(nodes: Cluster) -> Iterator[None]:
    nodes.etcd.kill()
    yield
    nodes.etcd.start()


@contextmanager
def standbys_away(nodes: Cluster) -> Iterator[None]:
    primary = nodes.primary()
    others = [node for number, node in enumerate(nodes.nodes) if number != primary]
    for node in others:
        node.kill()
    yield
    for node in others:
        node.start()


class Fault(NamedTuple):
    """What fails, and for how many seconds."""

    fails: Callable[[Cluster], AbstractContextManager[None]]
    seconds: float


FAULTS = (
    Fault(switched_over, 10),
    Fault(killed_primary, 40),
    Fault(frozen_primary, 50),
    Fault(frozen_first, 50),
    Fault(etcd_away, 40),
    Fault(standbys_away, 40),
)


class Answer(NamedTuple):
    """When an action was answered, after how many seconds, and whether it was refused."""

    at: float
    seconds: float
    refused: bool


class Look(NamedTuple):
    """How an instance was at an instant."""

    at: float
    ready: bool
    leads: bool


class Watched(Service):
    """The clients of an instance, which note how it answers actions, and how it is meanwhile."""

    def __init__(self, fleet: Fleet, metrics: int) -> None:
        super().__init__()
        self.fleet = fleet
        self.answers: list[Answer] = []
        self.looks: list[Look] = []
        self.metrics = f"http://127.0.0.1:{metrics}/metrics"

    async def once(self, method: str, path: str, key: str, **more: Any) -> httpx.Response:
        began = time.monotonic()
        answer = await super().once(method, path, key, **more)
        now, refused = time.monotonic(), answer.status_code == 503
        if method == "POST" and path.endswith("/actions"):
            self.answers.append(Answer(now, now - began, refused))
        if refused:
            await asyncio.sleep(PACE)
        return answer

    async def watch(self) -> None:
        while True:
            began = time.monotonic()
            metrics = await asyncio.to_thread(local_http.get, self.metrics)
            ready = await asyncio.to_thread(local_http.get, f"{self.fleet.url}/readyz")
            leads = "\narbiter_leader 1.0" in metrics.text
            self.looks.append(Look(began, ready.status_code == 200, leads))
            await asyncio.sleep(PACE)

    def forget(self) -> None:
        self.answers.clear()
        self.looks.clear()

    def ready_in_vain(self) -> list[Look]:
        """When it was ready in the middle of actions that were all refused."""
        runs = [list(run) for refused, run in groupby(self.answers, lambda a: a.refused) if refused]
        return [
            look
            for run in runs
            for look in self.looks
            if look.ready and run[0].at + 1 < look.at < run[-1].at - 1
        ]


@contextmanager
def instances(folder: Path, nodes: Cluster) -> Iterator[list[Watched]]:
    """Two that are ready."""
    with ExitStack() as held:
        redis = held.enter_context(redis_server()).url
        made = []
        for port in free_ports(2):
            settings = nodes.environment() | {
                "ARBITER_REDIS_URL": redis,
                "ARBITER_KEYS": str(folder / "keys"),
                "ARBITER_METRICS": f"127.0.0.1:{port}",
            }
            fleet = Fleet(folder / str(port), settings, 1)
            held.callback(fleet.kill_all)
            fleet.start()
            made.append(Watched(fleet, port))
        yield made


def longest(times: Iterable[float], began: float, ended: float) -> float:
    """The longest time between two of these, from beginning to end."""
    within = sorted([began, *(at for at in times if began < at < ended), ended])
    return max(after - before for before, after in pairwise(within))


async def check_fault(
    nodes: Cluster, fault: Fault, services: list[Watched], *, strict: bool
) -> None:
    """Lets it happen, and waits until it is over."""
    for service in services:
        service.forget()
    began, failing = time.monotonic(), fault.fails(nodes)
    await asyncio.to_thread(failing.__enter__)
    await asyncio.sleep(fault.seconds)
    await asyncio.to_thread(failing.__exit__, None, None, None)
    await until(nodes.whole, WHOLE_SECONDS)
    now = time.monotonic()
    led = [look.at for service in services for look in service.looks if look.leads]
    unled, uncommitted = longest(led, began, now), longest(nodes.commits, began, now)
    for service in services:
        slowest = max(answer.seconds for answer in service.answers)
        refused = [answer.at - began for answer in service.answers if answer.refused]
        print(  # noqa: T201  the measurement
            f"{fault.fails.__name__}: no commit for {uncommitted:.1f} s, no leader for {unled:.1f},"
            f" {len(service.answers)} actions, slowest {slowest:.1f}, {len(refused)} refused,"
            f" {refused[:1]} to {refused[-1:]}"
        )
        assert not service.ready_in_vain()
        assert slowest < ANSWER_SECONDS
    assert unled < uncommitted + FOLLOWS_SECONDS
    assert unled < LEADER_SECONDS or strict or fault.fails is etcd_away


@pytest.mark.parametrize(
    ("strict", "haproxy"),
    [
        pytest.param(False, False, id="soft"),
        pytest.param(True, False, id="strict"),
        pytest.param(False, True, id="haproxy", marks=NEEDS_HAPROXY),
    ],
)
async def test_machines_that_fail(tmp_path: Path, strict: bool, haproxy: bool) -> None:
    ledger, chance = Ledger(), new_chance()
    with cluster(strict, haproxy) as nodes, instances(tmp_path, nodes) as services:
        watching = [asyncio.create_task(service.watch()) for service in services]
        first, second = services
        for service in services:
            await service.at(service.fleet.url)
        async with writing(first, ledger, chance), writing(second, ledger, chance):
            for fault in FAULTS:
                await check_fault(nodes, fault, services, strict=strict)
                check_disk(ledger, recorded(nodes.environment(nodes.primary())))
        await check_repeats(first, ledger, ledger.actions[-REPEATED:])
        for task in watching:
            task.cancel()
        assert first.unanswered == second.unanswered == 0
        for service in services:
            await service.away()
