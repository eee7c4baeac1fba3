"""Counting requests, open streams and work: what takes more leaves fewer requests."""

import time
from contextlib import ExitStack
from ipaddress import ip_network

import pytest
from limits import parse

from service.auth.rate_limiter import Limiter, OpenStreams, Rates, StreamsFull, TooManyStreams, rate
from service.auth.request_guard import UNKNOWN, ClientAddresses
from service.observability.work import REQUEST, Work, begin, spend

FIVE, SHORT = parse("5/minute"), parse("2/second")


def allowed(limiter: Limiter, times: int, counter: str = "a") -> int:
    """How many of `times` requests are allowed."""
    return [limiter.count(FIVE, counter) for _ in range(times)].count(None)


@pytest.mark.parametrize("off", ["0", "off", "OFF", " off ", "0/minute"])
def test_a_rate_can_be_off(off: str) -> None:
    assert rate(off) is None


@pytest.mark.parametrize("wrong", ["", "ten", "5", "5/fortnight", "-5/minute"])
def test_a_wrong_rate_is_reported_to_the_operator(wrong: str) -> None:
    with pytest.raises(ValueError, match="is not a rate: write 600/minute, or off"):
        rate(wrong)


def test_one_request_too_many_gets_a_time_to_wait() -> None:
    limiter = Limiter()
    assert allowed(limiter, 5) == 5
    wait = limiter.count(FIVE, "a")
    assert wait is not None and 55 <= wait <= 60
    assert limiter.count(FIVE, "b") is None, "others are not concerned"


def test_the_wait_is_at_least_a_second_and_then_enough() -> None:
    now = 1_000.0
    limiter = Limiter(now=lambda: now)
    assert [limiter.count(SHORT, "a") for _ in range(3)] == [None, None, 1]
    now += 1.01
    assert limiter.count(SHORT, "a") is None


def test_used_up_counts_nothing() -> None:
    limiter = Limiter()
    for _ in range(9):
        assert limiter.used_up(FIVE, "a") is None
    assert allowed(limiter, 9) == 5
    assert limiter.used_up(FIVE, "a") is not None


def test_a_minute_is_a_minute_when_the_wall_clock_is_set_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passed, real = 0.0, time.time
    limiter = Limiter(now=lambda: 1_000.0 + passed)
    assert allowed(limiter, 5) == 5
    monkeypatch.setattr(time, "time", lambda: real() - 3600)
    passed = 20.0
    wait = limiter.count(FIVE, "a")
    assert wait is not None and 39 <= wait <= 41
    passed = 60.1
    assert allowed(limiter, 9) == 5


def test_closed_windows_are_dropped() -> None:
    passed = 0
    limiter = Limiter(now=lambda: 1_000.0 + passed)
    for n in range(1_000):
        limiter.count(FIVE, f"a{n}")
    passed = 61
    for n in range(1_000):
        limiter.count(FIVE, f"b{n}")
    assert len(limiter) <= 1_001


def test_memory_has_a_bound() -> None:
    limiter = Limiter(most=100)
    for n in range(1_000):
        limiter.count(FIVE, f"a{n}")
    assert len(limiter) == 100
    assert allowed(limiter, 9, "a999") == 4, "the last is known still"


def test_streams_are_counted_while_they_are_open() -> None:
    streams = OpenStreams(most=3)
    with ExitStack() as first:
        first.enter_context(streams.acquire("a", 2))
        first.enter_context(streams.acquire("a", 2))
        with pytest.raises(TooManyStreams):
            first.enter_context(streams.acquire("a", 2))
        first.enter_context(streams.acquire(None, 2))
        for sender in ("a", "b", None):
            with pytest.raises(TooManyStreams if sender == "a" else StreamsFull):
                first.enter_context(streams.acquire(sender, 2))
        assert len(streams) == 3
    assert len(streams) == 0
    with streams.acquire("a", 1):
        pass
    assert not streams._by_sender, "nobody is remembered"


TEN = parse("10/minute")
SHARE = 0.3


def work_allowed(limiter: Limiter) -> int:
    """How many requests are allowed until one is refused."""
    count = 0
    while limiter.count(TEN, "a") is None:
        count += 1
    return count


def test_the_usual_rates_leave_nobody_more_than_their_share_of_a_worker() -> None:
    for setting in (Rates().by_key, Rates().by_address):
        limit = rate(setting)
        assert limit is not None
        assert limit.amount * REQUEST <= SHARE * limit.get_expiry() * 1_000_000


def test_work_is_charged_as_soon_as_it_is_worth_another_request() -> None:
    charged = list[int]()
    begin(Work(charged.append))
    for _ in range(7):
        spend(REQUEST // 2)
    spend(REQUEST, 2.5)
    assert charged == [1, 1, 1, 3]


def test_what_costs_little_is_one_request() -> None:
    charged = list[int]()
    Work(charged.append).spend(REQUEST - 1)
    assert charged == []


def test_over_many_windows_nobody_has_more_than_the_rate() -> None:
    """Requests that come at once are let in before the work of any is known."""
    now = 1_000.0
    limiter = Limiter(now=lambda: now)
    served, begun = 0, now
    while now < begun + 3_600:
        let_in = work_allowed(limiter)
        for _ in range(let_in):
            limiter.charge(TEN, "a", 7)
        served += 8 * let_in
        now += 1
    assert served <= TEN.amount * 60 + 8 * TEN.amount
    assert served >= TEN.amount * 50


# Whose requests are counted together.


PROXIES = [ip_network("10.0.0.0/8"), ip_network("fd00::/8"), ip_network("127.0.0.1/32")]
BEHIND = ClientAddresses(PROXIES)
OPEN = ClientAddresses()


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.2", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1,203.0.113.7 ,10.0.0.2,10.0.0.3", "203.0.113.7"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.9", "10.0.0.9"),
        ("10.0.0.1", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, nonsense", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, nonsense, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
        ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::/64"),
        ("fd00::1", "203.0.113.7", "203.0.113.7"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("203.0.113.9", "127.0.0.1", "203.0.113.9"),
        ("10.0.0.1", "127.0.0.1, 203.0.113.7", "203.0.113.7"),
    ],
)
def test_the_rightmost_address_that_no_trusted_proxy_has_counts(
    peer: str, forwarded: str, counted: str
) -> None:
    assert BEHIND.address(peer, forwarded) == counted


def test_without_a_trusted_proxy_the_header_means_nothing() -> None:
    assert OPEN.address("203.0.113.9", "198.51.100.1") == "203.0.113.9"
    assert OPEN.address("10.0.0.1", "198.51.100.1") == "10.0.0.1"


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", None, ""])
def test_this_machine_is_not_counted(peer: str | None) -> None:
    assert OPEN.address(peer) is None


def test_behind_a_trusted_proxy_on_this_machine_others_are_counted() -> None:
    assert BEHIND.address("127.0.0.1", "203.0.113.7") == "203.0.113.7"
    assert BEHIND.address("127.0.0.1") is None


@pytest.mark.parametrize("forwarded", ["nonsense", "203.0.113.7, nonsense", "203.0.113.7,", "1.2"])
def test_what_is_no_address_is_counted_together_behind_a_proxy_on_this_machine(
    forwarded: str,
) -> None:
    assert BEHIND.address("127.0.0.1", forwarded) == UNKNOWN


def test_exempt_addresses_are_a_setting() -> None:
    strict = ClientAddresses(exempt=())
    assert strict.address("127.0.0.1") == "127.0.0.1"
    assert strict.address("::1") == "::/64"


def test_a_subscriber_counts_as_one_network_whatever_the_address() -> None:
    first, second = OPEN.address("2001:db8:1:2::1"), OPEN.address("2001:db8:1:2:ffff::9")
    assert first == second == "2001:db8:1:2::/64"
    assert OPEN.address("2001:db8:1:3::1") != first
