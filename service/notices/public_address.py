"""Addresses on the public network: nobody makes the service send to its own machine or network.

The name of a host is resolved at each attempt, every address that it has is judged, and the
connection goes to one of those that were judged: a name that changes its mind in between reaches
nothing.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_network
from urllib.parse import SplitResult, urlsplit

from service.notices.host_names import parsed

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
    literal = parsed(parts.hostname)
    if literal is not None:
        check_addresses([literal], private=private)
    return parts


def check_addresses(addresses: Sequence[IPv4Address | IPv6Address], *, private: bool) -> None:
    """Raises AddressRefused if a host has no address, or, unless `private`, if any of them is not
    on the public network."""
    if not addresses:
        raise AddressRefused("the host has no address")
    if not private and not all(map(is_public, addresses)):
        raise AddressRefused("not on the public network")


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of a single host on the public network."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address.scope_id is not None or any(address in network for network in TRANSLATED):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved
