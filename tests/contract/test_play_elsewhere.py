"""`GET /v1/matches/{id}/play` at one instance, while things happen at another."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.http.match_play import eager, step
from tests.support.http.play_socket import playing
from tests.support.servers.instance_settings import fresh_store
from tests.support.servers.live_server import Live, serving
from tests.support.servers.redis_server import redis_server
from tests.support.waiting import wait_until


@pytest.fixture
def instances(tmp_path: Path) -> Iterator[tuple[Live, Live]]:
    """Two instances on one store, which notify each other."""
    with (
        fresh_store("postgres", tmp_path / "store") as settings,
        redis_server() as redis,
        serving(tmp_path, redis=redis.url, store=settings.store, shared=True) as one,
        serving(tmp_path, redis=redis.url, store=settings.store, shared=True) as other,
    ):
        wait_until(lambda: alive(one) and alive(other))
        yield one, other


def alive(live: Live) -> bool:
    notifications = live.instance.notifications
    return notifications is not None and notifications.alive


def test_actions_and_ended_keys_of_another_instance_reach_it(instances: tuple[Live, Live]) -> None:
    here, there = instances
    match = here.started("twelve-chips")
    seat = match.moderator.view().json()["awaiting"]["seats"][0]
    elsewhere = replace(match.seats[seat], client=there.bearing(match.keys[seat]))
    keys = match.organiser.client.get(f"{match.organiser.path}/keys").json()["keys"]
    own = next(key["id"] for key in keys if key["role"] == f"seat:{seat}")
    with playing(elsewhere) as socket:
        assert socket.act(eager(elsewhere))["status"] == 201
        wait_until(lambda: seat not in match.moderator.view().json()["awaiting"]["seats"])
        assert step(match) is not None
        socket.follow_to(match.seats[seat].view().json()["seq"])
        ended = match.organiser.client.send("DELETE", f"{match.organiser.path}/keys/{own}")
        assert ended.is_success
        assert socket.closed() == 4401
