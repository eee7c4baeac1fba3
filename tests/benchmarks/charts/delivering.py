"""From the acknowledgement of an action at one worker to the line in a stream of another."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import uvloop

from tests.benchmarks.charts.acting import look
from tests.benchmarks.charts.written_matches import WrittenMatch
from tests.benchmarks.delivery import delay, reading, worker
from tests.support.servers.redis_server import redis_server

STREAMS = 16
"""Maximum number of matches that are read, and acted in, in turn."""


def delays(
    folder: Path, store: Mapping[str, str], matches: Sequence[WrittenMatch], actions: int
) -> list[float]:
    """Seconds, of two workers on one PostgreSQL and one Redis that have all these matches open."""
    with ExitStack() as stack:
        env = {**store, "ARBITER_REDIS_URL": stack.enter_context(redis_server()).url}
        one, two = (stack.enter_context(worker(folder, env)) for _ in range(2))
        for each in (one, two):
            port = each.base_url.port
            assert port is not None
            uvloop.run(look(port, [(match.id, match.keys[0]) for match in matches]))
        watched = [(match, _seat(match)) for match in matches[:STREAMS]]
        arrived = [reading(two, _path(match), seat) for match, seat in watched]
        taken = []
        for number in range(actions):
            match, seat = watched[number % len(watched)]
            queue = arrived[number % len(watched)]
            taken.append(delay(one, _path(match), seat, queue, match.refused.sent))
        return taken


def _path(match: WrittenMatch) -> str:
    return f"/v1/matches/{match.id}"


def _seat(match: WrittenMatch) -> dict[str, str]:
    return {"Authorization": f"Bearer {match.keys[match.refused.seat]}"}
