"""Addresses on the public network: no one makes the service send to its own machine or network.

The name of a host is resolved at each attempt, every address that it has is judged, and the
connection goes to one of those that were judged: a name that changes its mind in between reaches
nothing.
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_network
from urllib.parse import SplitResult, urlsplit

from service.notices.host_names import parsed

MAX_URL = 2_000

GLOBAL_UNICAST = ip_network("2000::/3")
"""Where all addresses of single hosts lie in IPv6 (RFC 4291, 2.4; IANA has allocated no others).
What stands for an address of IPv4, except in 6to4 and Teredo, lies outside."""

NO_HOSTS = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # IETF protocol assignments, RFC 6890
            "192.88.99.0/24",  # relays of 6to4, RFC 7526
            "2001::/23",  # IETF protocol assignments, RFC 2928: Teredo, ORCHID and others
            "2001:db8::/32",  # documentation, RFC 3849
            "2002::/16",  # 6to4, RFC 3056
            "3fff::/20",  # documentation, RFC 9637
        ),
    )
)
"""Blocks of the IANA special-purpose registries of which `is_global` says different things in
different releases of Python, or nothing; no receiver has an address in them."""

ENDS_IN_A_NUMBER = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)\.?", re.IGNORECASE)
"""A host that is no name (URL Standard, 3.5), but which some programs take for an address."""


class AddressRefused(Exception):
    """Nothing is sent to this address. The text says why, without the address."""


class HostUnknown(AddressRefused):
    """The name of the host was looked up in vain."""


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
    elif ENDS_IN_A_NUMBER.fullmatch(parts.hostname):
        raise AddressRefused("this is no address")
    return parts


def check_addresses(addresses: Sequence[IPv4Address | IPv6Address], *, private: bool) -> None:
    """Raises HostUnknown if a host has no address, and AddressRefused if, unless `private`, any of
    them is not on the public network."""
    if not addresses:
        raise HostUnknown("the host has no address")
    if not private and not all(map(is_public, addresses)):
        raise AddressRefused("not on the public network")


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of a single host on the public network."""
    if isinstance(address, IPv6Address) and (
        address.scope_id is not None or address not in GLOBAL_UNICAST
    ):
        return False
    special = address.is_multicast or address.is_reserved
    return address.is_global and not special and not any(address in block for block in NO_HOSTS)
