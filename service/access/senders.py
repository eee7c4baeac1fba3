"""From which address a request comes, behind the proxies that the operator has named."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
Address = str

LOOPBACK: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))

SUBSCRIBER = 64
"""So many bits of an IPv6 address are given to one subscriber, who is free to choose the rest."""

MOST_KNOWN = 8_192


class Senders:
    """Names the address that counts for a request.

    `trusted` are the proxies whose `X-Forwarded-For` is believed; who comes from a `spared` address
    is not counted.
    """

    def __init__(
        self, trusted: Sequence[Network] = (), spared: Sequence[Network] = LOOPBACK
    ) -> None:
        self.trusted = tuple(trusted)
        self._spared = tuple(spared)
        self._placed = lru_cache(MOST_KNOWN)(self._place)

    def address(self, peer: str | None, forwarded: str = "") -> Address | None:
        """The sender's address, of IPv6 its network; None if it is not counted.

        `peer` is the other end of the connection, `forwarded` the `X-Forwarded-For` of the request,
        of which every proxy appends the address that it was asked from: what stands left of the
        first address that no trusted proxy vouches for could be anything.
        """
        try:
            trusted, name = self._placed(peer or "")
        except ValueError:
            return None  # A socket of this machine.
        if not (trusted and forwarded):
            return name
        for hop in reversed(forwarded.split(",")):
            try:
                trusted, name = self._placed(hop.strip())
            except ValueError:
                break
            if not trusted:
                break
        return name

    def _place(self, text: str) -> tuple[bool, Address | None]:
        """Whether it is a trusted proxy, and what it is counted as. Raises ValueError for what is
        no address."""
        address = ip_address(_bare(text))
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        trusted = any(address in network for network in self.trusted)
        if any(address in network for network in self._spared):
            return trusted, None
        if isinstance(address, IPv6Address):
            return trusted, str(IPv6Network((int(address), SUBSCRIBER), strict=False))
        return trusted, str(address)


def _bare(text: str) -> str:
    """The address without the port that some proxies write behind it."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
