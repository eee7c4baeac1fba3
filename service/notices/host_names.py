"""Names of hosts to addresses, with a deadline.

The system's own `getaddrinfo` blocks a thread until the system gives up: a few names that never
answer would use up all of them. So names are looked up as the system does, in its file of hosts and
then at its name servers with its search domains, but without a thread.
"""

import asyncio
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

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
        literal = parsed(host)
        if literal is not None:
            return [literal]
        listed = self._listed(host.lower().removesuffix("."))
        return sorted(listed, key=_version) or await self._looked_up(host)

    async def _looked_up(self, host: str) -> list[Address]:
        try:
            resolver = self._resolver()
        except DNSException:
            return []  # The system has no name server.
        found = await asyncio.gather(*(_records(resolver, host, kind) for kind in ("A", "AAAA")))
        return [address for addresses in found for address in addresses]

    def _listed(self, host: str) -> Iterator[Address]:
        """The addresses of a name in the file of hosts, as hosts(5) has them."""
        lines = self._hosts.read_text("utf-8", "replace") if self._hosts.exists() else ""
        for line in lines.splitlines():
            first, *names = line.partition("#")[0].lower().split() or [""]
            address = parsed(first) if host in names else None
            if address is not None:
                yield address


def parsed(text: str) -> Address | None:
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
