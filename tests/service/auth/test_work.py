"""Work is counted as requests: what takes more leaves fewer, and what was used too much is missing
later."""

from limits import parse

from service.auth.rate_limiter import Limiter
from service.auth.rates import Rates, rate
from service.observability.work import REQUEST, Work, begin, spend

TEN = parse("10/minute")
SHARE = 0.3


def allowed(limiter: Limiter) -> int:
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


def test_what_was_charged_leaves_fewer_requests() -> None:
    limiter = Limiter()
    assert limiter.count(TEN, "a") is None
    limiter.charge(TEN, "a", 6)
    assert allowed(limiter) == 3
    assert limiter.count(TEN, "b") is None, "others are not concerned"


def test_over_many_windows_nobody_has_more_than_the_rate() -> None:
    """Requests that come at once are let in before the work of any is known."""
    now = 1_000.0
    limiter = Limiter(now=lambda: now)
    served, begun = 0, now
    while now < begun + 3_600:
        let_in = allowed(limiter)
        for _ in range(let_in):
            limiter.charge(TEN, "a", 7)
        served += 8 * let_in
        now += 1
    assert served <= TEN.amount * 60 + 8 * TEN.amount
    assert served >= TEN.amount * 50


def test_a_refused_request_is_not_charged_again() -> None:
    now = 1_000.0
    limiter = Limiter(now=lambda: now)
    allowed(limiter)
    for _ in range(100):
        wait = limiter.count(TEN, "a")
        assert wait is not None and wait <= 60
    now += 60
    assert allowed(limiter) == 10
