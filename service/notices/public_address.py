"""Addresses on the public network: nobody makes the service send to its own machine or network.

The name of a host is resolved at each attempt, every address that it has is judged, and the
connection goes to one of those that were judged: a name that changes its mind in between reaches
nothing.
"""

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

MAX_URL = 2_000

TRANSLATED = (ip_network("64:ff9b::/96"), ip_network("2002::/16"), ip_network("2001::/32"))
"""IPv6 networks in which each address stands for one of IPv4."""


class AddressRefused(Exception):
    """Nothing is sent to this address. The text says why, without the address."""


def checked_url(url: str, *, private: bool) -> SplitResult:
    """The parts of an address to which notices may be sent: https, a host, and nothing that is
    meant for browsers. `private` allows http and the own network, too. Raises AddressRefused."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused("this is no address") from None
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise AddressRefused("say https")
    if not parts.hostname or port == 0 or not url.isascii() or not url.isprintable() or " " in url:
        raise AddressRefused("this is no address")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressRefused("no user, password or fragment")
    if not private and _literal(parts.hostname) not in (None, True):
        raise AddressRefused("not on the public network")
    return parts


async def resolved(parts: SplitResult, *, private: bool) -> str:
    """An address of the host. Raises AddressRefused if it has none, or, unless `private`, if any of
    them is not on the public network."""
    assert parts.hostname is not None, "checked before"
    port = parts.port or (443 if parts.scheme == "https" else 80)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressRefused("the host has no address") from None
    addresses = [str(sockaddr[0]) for *_, sockaddr in found]
    if not addresses:
        raise AddressRefused("the host has no address")
    if not private and not all(is_public(ip_address(address)) for address in addresses):
        raise AddressRefused("not on the public network")
    return addresses[0]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of a single host on the public network."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address.scope_id is not None or any(address in network for network in TRANSLATED):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _literal(host: str) -> bool | None:
    """Whether a host that is written as an address is public; None for a name."""
    try:
        return is_public(ip_address(host))
    except ValueError:
        return None
