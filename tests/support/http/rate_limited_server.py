"""Servers that limit the rate of requests, and clients at addresses of their own."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from ipaddress import ip_network
from itertools import count
from pathlib import Path

from service.auth.rate_limiter import Rates
from service.auth.request_guard import ClientAddresses, RequestGuard
from tests.support.servers.live_server import Client, Live, LiveMatch, Player, Setup, serving

PROXY = [ip_network("127.0.0.0/8")]
"""The tests' own address: the server trusts their `Forwarded` headers."""

SECRET = bytes(range(32))

_numbers = count(1)


def new_address() -> str:
    """An address that has sent no request yet."""
    number = next(_numbers)
    return f"198.51.{100 + number // 250}.{number % 250}"


@dataclass(frozen=True)
class Elsewhere(Client):
    """A client at another address."""

    address: str = ""

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return super().headers({"X-Forwarded-For": self.address, **(more or {})})


def at(address: str, live: Live, match: LiveMatch, key: str | None = None) -> Player:
    """A participant of the match, at this address."""
    return Player(Elsewhere(live.http, key, address), match.id)


def rate_limited(
    data: Path, rates: Rates, redis_url: str | None = None
) -> AbstractContextManager[Live]:
    """A server with these limits, and a Redis if one is named."""
    guard = RequestGuard(rates, ClientAddresses(PROXY), SECRET)
    return serving(data, redis=redis_url, setup=Setup(guard=guard))
