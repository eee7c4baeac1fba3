"""Addresses on the public network: no one makes the service send to its own machine or network.

The name of a host is resolved at each attempt, with a deadline, every address that it has is
judged, and the connection goes to one of those that were judged: a name that changes its mind in
between reaches nothing. The system's own `getaddrinfo` blocks a thread until the system gives up: a
few names that never answer would use up all of them. So names are looked up as the system does, in
its file of hosts and then at its name servers with its search domains, but without a thread.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from dns.asyncresolver import Resolver
from dns.exception import DNSException

LOOKUP_SECONDS = 5.0
"""Time limit of the lookup of one name."""

HOSTS = Path("/etc/hosts")

Address = IPv4Address | IPv6Address


class HostNames:
    """Looks up names. `resolver` makes one for each lookup, by default from `/etc/resolv.conf` as
    it is then."""

    def __init__(self, resolver: Callable[[], Resolver] = Resolver, hosts: Path = HOSTS) -> None:
        self._resolver = resolver
        self._hosts = hosts

    async def addresses(self, host: str) -> list[Address]:
        """The addresses of a host, those of IPv4 first; empty if none was found in time."""
        literal = parse_address(host)
        if literal is not None:
            return [literal]
        in_file = self._listed(host.lower().removesuffix("."))
        return sorted(in_file, key=_version) or await self._looked_up(host)

    async def _looked_up(self, host: str) -> list[Address]:
        try:
            resolver = self._resolver()
        except DNSException:
            return []  # The system has no name server.
        answers = await asyncio.gather(*(_records(resolver, host, kind) for kind in ("A", "AAAA")))
        return [address for addresses in answers for address in addresses]

    def _listed(self, host: str) -> Iterator[Address]:
        """The addresses of a name in the file of hosts, as hosts(5) has them."""
        lines = self._hosts.read_text("utf-8", "replace") if self._hosts.exists() else ""
        for line in lines.splitlines():
            first, *names = line.partition("#")[0].lower().split() or [""]
            address = parse_address(first) if host in names else None
            if address is not None:
                yield address


def parse_address(text: str) -> Address | None:
    """The address that a text is; None for a name."""
    try:
        return ip_address(text)
    except ValueError:
        return None


async def _records(resolver: Resolver, host: str, kind: str) -> list[Address]:
    """The addresses of one kind; empty if there is none, or no answer in time."""
    try:
        answer = await resolver.resolve(host, kind, search=True, lifetime=LOOKUP_SECONDS)
    except DNSException:
        return []
    return [ip_address(record.address) for record in answer]


def _version(address: Address) -> int:
    return address.version


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
    literal = parse_address(parts.hostname)
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
