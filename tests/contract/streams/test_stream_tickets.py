"""Tickets to streams: for one match and audience, for a day at most, as long as their key is valid,
and for one reader at a time; the answers do not show which of these was wrong."""

import base64
import time
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from uuid import UUID

import msgspec
import pytest
from redis import Redis

from domain.games.twelve_chips.actions import Play
from service.auth.keyring import hash_key
from service.auth.rate_limiter import Rates
from service.auth.tickets import Tickets
from service.cluster.redis_notifications import CHANNEL, RedisNotifications
from service.streams.live_stream import PING_SECONDS
from tests.support.captured_logs import logged
from tests.support.http.match_keys import request_ticket, ticket
from tests.support.http.match_play import all_events, assert_problem, play_out, sse, step
from tests.support.http.rate_limited_server import SECRET, rate_limited
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player
from tests.support.servers.redis_server import RedisServer, redis_server
from tests.support.waiting import wait_until

__all__ = ["logged"]


def stream_lines(match: LiveMatch, text: str) -> list[Json]:
    """The lines of the match's stream from its beginning, with this ticket and no key."""
    with match.anyone.stream(ticket=text, after=0) as response:
        assert response.status_code == 200, response.read()
        return [line for _, line in sse(response)]


def worthless(answer: Answer) -> None:
    assert_problem(answer, 401, "ticket_unknown")


@pytest.mark.parametrize("audience", ["public", "seat:0", "moderator"])
def test_a_ticket_reads_as_its_audience(short: LiveMatch, audience: str) -> None:
    player = short.audiences()[audience]
    text = ticket(short.moderator if audience == "public" else player, audience)
    play_out(short)
    assert stream_lines(short, text) == all_events(short.moderator, audience)


def test_the_second_stream_with_a_ticket_ends_the_first(short: LiveMatch) -> None:
    text, other = ticket(short.seats[0]), ticket(short.seats[0])
    with short.anyone.stream(ticket=text) as first, short.anyone.stream(ticket=other) as another:
        left, stays = first.iter_lines(), sse(another)
        with short.anyone.stream(ticket=text) as second:
            assert second.status_code == 200
            assert not [line for line in left if line.startswith(("data:", "event:"))]
            expected = len(all_events(short.seats[0]))
            step(short)
            new = all_events(short.seats[0])[expected:]
            assert [line for _, line in islice(sse(second), len(new))] == new
            assert [line for _, line in islice(stays, len(new))] == new, "another ticket's goes on"


def test_the_first_stream_may_close_after_the_second_has_begun(short: LiveMatch) -> None:
    text = ticket(short.seats[0])
    with short.anyone.stream(ticket=text) as second, short.anyone.stream(ticket=text) as third:
        list(second.iter_lines())
        second.close()
        before = len(all_events(short.seats[0]))
        step(short)
        new = all_events(short.seats[0])[before:]
        assert [line for _, line in islice(sse(third), len(new))] == new


def test_a_key_beside_a_ticket_gives_no_further_access(short: LiveMatch) -> None:
    text = ticket(short.seats[0])
    play_out(short)
    with short.moderator.stream(ticket=text, after=0) as response:
        assert [line for _, line in sse(response)] == all_events(short.seats[0], "seat:0")


def test_no_byte_of_a_ticket_can_be_changed(short: LiveMatch) -> None:
    text = ticket(short.seats[0])
    raw = bytearray(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    for at in range(0, len(raw), 3):
        raw[at] ^= 1
        changed = base64.urlsafe_b64encode(raw).decode().rstrip("=")
        worthless(short.anyone.try_stream(ticket=changed))
        raw[at] ^= 1
    for wrong in ("", text[:-4], text + "AAAA", "%&/" + text, text[:-1] + "é", text * 20):
        worthless(short.anyone.try_stream(ticket=wrong))
    with short.anyone.stream(ticket=text) as response:
        assert response.status_code == 200


def test_a_stream_ends_at_once_when_the_key_of_its_ticket_is_revoked(
    live: Live, short: LiveMatch
) -> None:
    """Long before the next ping."""
    text, other = ticket(short.seats[0]), ticket(short.moderator)
    with short.anyone.stream(ticket=text) as ends, short.anyone.stream(ticket=other) as goes_on:
        lines, others = ends.iter_lines(), sse(goes_on)
        assert len(list(islice(lines, 3))) == 3, "its opening"
        began = time.monotonic()
        live.instance.keyring.revoke(UUID(short.id), hash_key(short.keys[0]))
        assert list(lines) == []
        assert time.monotonic() - began < PING_SECONDS / 2
        before = len(all_events(short.moderator))
        assert short.seats[1].act(msgspec.to_builtins(Play(1))).status_code in (201, 422)
        new = all_events(short.moderator)[before:]
        assert [line for _, line in islice(others, len(new))] == new, "the others' go on"


def test_a_ticket_works_after_its_key_has_left_memory(live: Live, short: LiveMatch) -> None:
    text = ticket(short.seats[0])
    live.instance.keyring.revoke(UUID(short.id), hash_key("another"))
    with short.anyone.stream(ticket=text) as response:
        assert response.status_code == 200


def test_there_is_no_ticket_for_what_does_not_exist(short: LiveMatch) -> None:
    assert_problem(request_ticket(short.moderator, "seat:7"), 404, "no_such_seat")
    assert_problem(request_ticket(short.moderator, "x"), 400, "bad_audience")
    stranger = Player(short.organiser.client, "0199aa00-0000-7000-8000-000000000000")
    assert_problem(request_ticket(stranger), 404, "no_such_match")


@pytest.mark.parametrize("body", [b"", b"{}", b' {"as": null} '])
def test_the_body_of_a_ticket_request_may_be_empty(short: LiveMatch, body: bytes) -> None:
    seat = short.seats[0]
    answer = seat.client.send("POST", f"{seat.path}/stream-tickets", body)
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    assert set(answer.json()) == {"ticket", "expires"}


def test_nothing_of_a_key_can_be_read_in_its_ticket(short: LiveMatch) -> None:
    text = ticket(short.seats[0])
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert short.keys[0].rpartition("_")[2].encode() not in raw
    assert bytes.fromhex(short.keys[0].rpartition("_")[2]) not in raw
    assert hash_key(short.keys[0]) not in raw
    assert SECRET not in raw


def test_a_ticket_looks_the_same_whatever_happens_in_the_match(live: Live) -> None:
    """Nothing in it depends on what the seat may not know."""
    sizes = set()
    for steps in (0, 3):
        match = live.started("twelve-chips")
        for _ in range(steps):
            step(match)
        sizes.add(len(ticket(match.seats[0])))
    assert len(sizes) == 1


@pytest.mark.parametrize("failing", ["read", "issue"])
def test_no_ticket_is_ever_logged(
    short: LiveMatch, logged: StringIO, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Whatever fails while there is one."""
    text = ticket(short.seats[0])

    def fail(*_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(Tickets, failing, fail)
    answer = (
        short.anyone.try_stream(ticket=text)
        if failing == "read"
        else request_ticket(short.seats[0])
    )
    assert_problem(answer, 500, "internal_error")
    assert "planted" in logged.getvalue()
    for secret in (text, text[40:80], short.keys[0]):
        assert secret not in logged.getvalue()


# Several instances that share Redis.


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
