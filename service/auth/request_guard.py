"""What stands between an instance and its clients: rate limits, stream tickets, and the address of
a client, also behind the proxies that the operator trusts."""

import secrets
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from service.auth.rate_limiter import Limiter, OpenStreams, Rates, rate
from service.auth.tickets import SECRET_SIZE, Tickets
from service.observability.loop_delay import LoopDelay

Network = IPv4Network | IPv6Network
Address = str

LOOPBACK: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))

SUBSCRIBER_BITS = 64
"""Leading bits of an IPv6 address that identify one subscriber, who can choose the rest freely."""

UNKNOWN = "unknown"
"""What all requests are counted as together of which an exempt proxy says no address."""

MAX_CACHED = 8_192
"""Maximum addresses whose classification is cached."""


class ClientAddresses:
    """Finds the address by which a request is counted.

    `trusted` are the proxies whose `X-Forwarded-For` is believed. Requests from an `exempt` address
    are not counted.
    """

    def __init__(
        self, trusted: Sequence[Network] = (), exempt: Sequence[Network] = LOOPBACK
    ) -> None:
        self.trusted = tuple(trusted)
        self._exempt = tuple(exempt)
        self._classified = lru_cache(MAX_CACHED)(self._classify)

    def address(self, peer: str | None, forwarded: str = "") -> Address | None:
        """The client's address, for IPv6 its network; None if it is not counted.

        `peer` is the other end of the connection, `forwarded` the request's `X-Forwarded-For`. Each
        proxy appends the address of its own peer. It is read from the right up to the first address
        that is not a trusted proxy; everything to the left of that may be forged. What is no
        address is counted as the proxy that wrote it.
        """
        try:
            trusted, counted_as = self._classified(peer or "")
        except ValueError:
            return None  # A Unix socket has no address.
        if not (trusted and forwarded):
            return counted_as
        for hop in reversed(forwarded.split(",")):
            try:
                trusted, counted_as = self._classified(hop.strip())
            except ValueError:
                return counted_as or UNKNOWN
            if not trusted:
                break
        return counted_as

    def _classify(self, text: str) -> tuple[bool, Address | None]:
        """Whether the address is a trusted proxy, and what it is counted as; None if it is exempt.
        Raises ValueError if the text is not an address."""
        address = ip_address(_bare(text))
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        trusted = any(address in network for network in self.trusted)
        if any(address in network for network in self._exempt):
            return trusted, None
        if isinstance(address, IPv6Address):
            return trusted, str(IPv6Network((int(address), SUBSCRIBER_BITS), strict=False))
        return trusted, str(address)


def _bare(text: str) -> str:
    """The address without the port that some proxies append."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


class RequestGuard:
    """Counts requests and streams, and issues tickets.

    All instances of a service need the same `ticket_secret`. `turned_away` counts the requests
    refused because too many were `under_way`, or the `delay` of the loop was too long.
    """

    def __init__(
        self,
        rates: Rates | None = None,
        client_addresses: ClientAddresses | None = None,
        ticket_secret: bytes | None = None,
    ) -> None:
        """Raises ValueError with a sentence for the operator when a setting is wrong."""
        self.rates = rates or Rates()
        self.client_addresses = client_addresses or ClientAddresses()
        self.limiter = Limiter()
        self.open_streams = OpenStreams(self.rates.streams)
        self.under_way = self.turned_away = 0
        self.delay = LoopDelay()
        self.by_key = rate(self.rates.by_key)
        self.by_address = rate(self.rates.by_address)
        self.failures = rate(self.rates.failures)
        self.tickets = Tickets(ticket_secret or secrets.token_bytes(SECRET_SIZE))

    @property
    def requests(self) -> int:
        """The number of requests being answered, not counting streams."""
        return self.under_way - len(self.open_streams)
