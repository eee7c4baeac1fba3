"""What PostgreSQL under Patroni costs: commits and actions a second with clients at one and at two
instances, sessions, and bytes a match. Three nodes, etcd, the instances and all clients share the
cores and the disk of this machine. Not part of `make bench` unless it is named."""

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from tests.benchmarks.rows import Row
from tests.faults.continuous_matches import writing
from tests.faults.http_writers import Ledger
from tests.faults.patroni_cluster import Cluster, cluster
from tests.faults.test_patroni import Watched, instances
from tests.support.effort import new_chance
from tests.support.http import local_http
from tests.support.servers.postgres_server import connect

SECONDS = 30.0

COMMITS = re.compile(r"^arbiter_commit_seconds_count (\S+)", re.MULTILINE)

SESSIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    " AND application_name !~ '^Patroni' AND pid <> pg_backend_pid()"
)

BYTES = (
    "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
    " WHERE relkind = 'r' AND relname ~ %s"
)
LISTS, LOG = "^arbiter[0-9]+_", "^arbiter_(events|digests|secrets)$"
"""The tables of the lists, and those of the log."""


def measure(folder: Path) -> list[Row]:
    """Both ways of waiting for a standby."""
    return asyncio.run(_measured(folder))


async def _measured(folder: Path) -> list[Row]:
    rows: list[Row] = []
    for strict in (False, True):
        how = "strict" if strict else "goes on alone"
        with cluster(strict) as nodes, instances(folder / how, nodes) as services:
            for service in services:
                await service.at(service.fleet.url)
            one = await _loaded(f"{how}, clients at one of two", nodes, services[:1])
            both = await _loaded(f"{how}, clients at both", nodes, services)
            rows += [one, both, _size(how, nodes)]
            for service in services:
                await service.away()
    return rows


async def _loaded(what: str, nodes: Cluster, used: Sequence[Watched]) -> Row:
    """The same clients at each."""
    ledger = Ledger()
    async with AsyncExitStack() as clients:
        for service in used:
            await clients.enter_async_context(writing(service, ledger, new_chance()))
        began, commits, actions = time.monotonic(), _commits(used), len(ledger.actions)
        await asyncio.sleep(SECONDS)
        sessions = _asked(nodes, SESSIONS)
        lasted = time.monotonic() - began
        done, acted = _commits(used) - commits, len(ledger.actions) - actions
    figure = f"{done / lasted:.0f} commits, {acted / lasted:.0f} actions a second"
    return Row(what, f"{figure}; {sessions} sessions")


def _size(how: str, nodes: Cluster) -> Row:
    """Of matches as clients left them, some of them in the middle."""
    matches = _asked(nodes, "SELECT count(*) FROM arbiter1_matches")
    events = _asked(nodes, "SELECT count(*) FROM arbiter_events")
    log, lists = (_asked(nodes, BYTES, of) / matches / 1024 for of in (LOG, LISTS))
    figure = f"{log:.1f} KiB in the log, {lists:.1f} in the lists"
    return Row(f"{how}, a match of {events / matches:.0f} events", figure)


def _commits(services: Sequence[Watched]) -> float:
    shown = [local_http.get(service.metrics).text for service in services]
    return sum(float(found[1]) for text in shown if (found := COMMITS.search(text)))


def _asked(nodes: Cluster, query: str, *values: str) -> int:
    with connect(nodes.environment(nodes.primary())) as connection:
        ((found,),) = connection.execute(query.encode(), values).fetchall()
    return int(found)
