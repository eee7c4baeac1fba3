"""`Date`, from which players count down to a deadline."""

import time
from email.utils import parsedate_to_datetime
from pathlib import Path

from service.clock import SystemClock
from tests.support.instants import SECOND
from tests.support.servers.live_server import serving


def test_the_date_header_shows_the_clock_that_judges(tmp_path: Path) -> None:
    clock = SystemClock()
    clock.not_before(clock.now() + 30 * SECOND)
    with serving(tmp_path, clock) as live:
        dates = live.anyone.get("/healthz").headers.get_list("date")
        assert len(dates) == 1
        shown = parsedate_to_datetime(dates[0]).timestamp()
        assert -3 < shown - clock.now() / 1e6 < 1
        assert shown - time.time() > 20
