"""Tickets to streams of several instances that share Redis."""

import base64
from collections.abc import Iterator

import pytest
from redis import Redis

from service.auth.rate_limiter import Rates
from service.cluster.redis_notifications import CHANNEL, RedisNotifications
from tests.support.http.match_play import sse, step
from tests.support.http.rate_limited_server import rate_limited
from tests.support.http.stream_tickets import ticket
from tests.support.servers.live_server import Live, Player
from tests.support.servers.redis_server import RedisServer, redis_server
from tests.support.waiting import wait_until


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


def test_with_redis_a_ticket_has_one_stream_in_all_instances_together(
    redis: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = tmp_path_factory.mktemp("two instances")
    with (
        rate_limited(data, Rates(), redis.url) as one,
        rate_limited(data, Rates(), redis.url) as other,
    ):
        wait_until(lambda: alive(one) and alive(other))
        match = one.started("twelve-chips")
        there = Player(other.anyone, match.id)
        text, second = ticket(match.seats[0]), ticket(match.seats[0])
        with match.anyone.stream(ticket=text) as ends, match.anyone.stream(ticket=second) as stays:
            assert ends.status_code == stays.status_code == 200
            with there.stream(ticket=text) as response:
                assert response.status_code == 200, "another instance knows it"
                assert not [line for line in ends.iter_lines() if line.startswith("data:")]
            step(match)
            assert next(sse(stays))
        redis.kill()
        for player in (match.anyone, there):
            with player.stream(ticket=second) as response:
                assert response.status_code == 200, "without Redis it is good all the same"


def alive(live: Live) -> bool:
    notifications = live.instance.notifications
    return notifications is not None and notifications.alive


def queued(live: Live) -> int:
    assert isinstance(live.instance.notifications, RedisNotifications)
    return live.instance.notifications.queued


def test_of_a_ticket_redis_gets_its_id_alone(
    redis: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with (
        Redis.from_url(redis.url) as client,
        client.pubsub(ignore_subscribe_messages=True) as listener,
        rate_limited(tmp_path_factory.mktemp("one instance"), Rates(), redis.url) as live,
    ):
        match = live.started("twelve-chips")
        wait_until(lambda: alive(live) and not queued(live))
        listener.subscribe(CHANNEL)
        assert listener.get_message(timeout=5) is None
        text = ticket(match.seats[0])
        with match.anyone.stream(ticket=text):
            notice = listener.get_message(timeout=5)
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        assert notice is not None
        assert len(notice["data"]) == 32 and notice["data"][16:] in raw
        assert notice["data"][16:] not in raw[:32], "the ticket's id, nothing of its seal"
        assert redis.execute("KEYS", "*") == b"*0\r\n", "nothing is kept there"
