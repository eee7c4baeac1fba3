"""The rates of requests and streams that one client may have, as an operator sets them."""

from typing import Annotated

from limits import RateLimitItem, parse
from msgspec import Meta, Struct, field

Streams = Annotated[int, Meta(ge=0, description="the number of streams, a whole number")]


class Rates(Struct, frozen=True):
    """The limits of one client: requests `by_key` with a known key, `by_address` without one, and
    `failures` with unknown keys; and open streams. `0` or `off` means no limit.

    The defaults allow a thousand spectators behind one address, and a bot to play at full speed. A
    stream counts as one request, and as an open stream until it closes.
    """

    by_key: str = field(name="ARBITER_RATE_BY_KEY", default="6000/minute")
    by_address: str = field(name="ARBITER_RATE_BY_ADDRESS", default="1200/minute")
    failures: str = field(name="ARBITER_RATE_FAILURES", default="30/minute")
    streams_by_key: Streams = field(name="ARBITER_STREAMS_BY_KEY", default=50)
    streams_by_address: Streams = field(name="ARBITER_STREAMS_BY_ADDRESS", default=500)
    streams: Streams = field(name="ARBITER_STREAMS", default=10_000)

    def __post_init__(self) -> None:
        for setting in (self.by_key, self.by_address, self.failures):
            rate(setting)


def rate(setting: str) -> RateLimitItem | None:
    """Parses a setting such as `600/minute` or `20 per 10 seconds`; None if it is off.

    Raises ValueError with a sentence for the operator.
    """
    if setting.strip().lower() in ("0", "off"):
        return None
    try:
        limit = parse(setting)
    except (ValueError, IndexError):
        raise ValueError(f"{setting!r} is not a rate: write 600/minute, or off") from None
    return limit if limit.amount else None
