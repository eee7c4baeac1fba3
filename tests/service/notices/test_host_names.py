"""Names are looked up as the system does it, but with a deadline and without a thread."""

import asyncio
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from dns.asyncresolver import Resolver
from dns.resolver import NoResolverConfiguration

from service.notices import public_address
from service.notices.public_address import (
    AddressRefused,
    HostNames,
    check_addresses,
    checked_url,
    is_public,
)
from tests.service.notices.name_server import name_server

NOWHERE = Path("/nowhere")


async def found(names: HostNames, host: str) -> list[str]:
    return [str(address) for address in await names.addresses(host)]


async def test_a_name_has_the_addresses_of_its_name_server_those_of_ipv4_first() -> None:
    both = ["2606:4700::1111", "93.184.215.14", "1.1.1.1"]
    with name_server({"both.example": both, "six.example": both[:1]}) as server:
        names = HostNames(server.resolver, NOWHERE)
        assert await found(names, "both.example") in (
            ["93.184.215.14", "1.1.1.1", "2606:4700::1111"],
            ["1.1.1.1", "93.184.215.14", "2606:4700::1111"],
        )
        assert await found(names, "six.example") == ["2606:4700::1111"]
        assert await found(names, "none.example") == []


async def test_an_address_is_not_looked_up_and_a_number_is_no_address() -> None:
    with name_server() as server:
        names = HostNames(server.resolver, NOWHERE)
        assert await found(names, "127.0.0.1") == ["127.0.0.1"]
        assert await found(names, "::1") == ["::1"]
        assert server.asked == []
        assert await found(names, "2130706433") == []


async def test_the_file_of_hosts_comes_first(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text(
        "# names\n\n127.0.0.1 localhost\n::1 localhost ip6-localhost # bots\n"
        "10.0.0.7 Bots.example bots\nno-address bots\n1.1.1.1\n"
    )
    with name_server({"bots.example": ["1.1.1.1"]}) as server:
        names = HostNames(server.resolver, hosts)
        assert await found(names, "localhost") == ["127.0.0.1", "::1"]
        assert await found(names, "BOTS.example.") == ["10.0.0.7"]
        assert await found(names, "bots") == ["10.0.0.7"]
        assert server.asked == []


async def test_short_names_are_looked_up_in_the_search_domains() -> None:
    with name_server({"bots.cluster.example": ["10.0.0.8"]}) as server:
        names = HostNames(lambda: server.resolver("other.example", "cluster.example"), NOWHERE)
        assert await found(names, "bots") == ["10.0.0.8"]


async def test_a_name_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_address, "LOOKUP_SECONDS", 0.05)
    with name_server() as server:
        names = HostNames(server.resolver, NOWHERE)
        assert await found(names, "never.silent.example") == []


async def test_a_lookup_can_be_abandoned_at_any_moment() -> None:
    with name_server() as server:
        names = HostNames(server.resolver, NOWHERE)
        looking = asyncio.create_task(names.addresses("never.silent.example"))
        await asyncio.to_thread(server.wait_for, 2)
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking


async def test_without_a_name_server_no_name_has_an_address() -> None:
    def missing() -> Resolver:
        raise NoResolverConfiguration

    assert await HostNames(missing, NOWHERE).addresses("example.org") == []


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example", ".", ""])
async def test_what_cannot_be_a_name_has_no_address(host: str) -> None:
    with name_server() as server:
        assert await found(HostNames(server.resolver, NOWHERE), host) == []


# No one makes the service send to its own machine or network.

IANA_SPECIAL_PURPOSE = [
    # IPv4 (RFC 6890): what is not globally reachable, deprecated, or stands for many hosts.
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32",
    "192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24", "192.88.99.0/24",
    "192.88.99.2/32", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
    # IPv6.
    "::1/128", "::/128", "::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64",
    "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128",
    "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:20::/28",
    "2001:30::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7",
    "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip
"""Blocks of the IANA registries of special-purpose addresses, and of multicast addresses."""

DISGUISED = [
    "fe80::1%eth0", "2606:4700::1%eth0", "::ffff:127.0.0.1", "::ffff:192.88.99.1",
    "::ffff:1.1.1.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::c058:6301", "2002:7f00:1::",
    "2002:c058:6301::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
]  # fmt: skip
"""With a zone, or of IPv4 in the forms of IPv6: mapped, compatible, NAT64, 6to4, Teredo."""


@pytest.mark.parametrize("block", IANA_SPECIAL_PURPOSE)
def test_no_address_of_a_special_purpose_block_is_public(block: str) -> None:
    network = ip_network(block)
    for address in (network[0], network[-1], network[network.num_addresses // 2]):
        assert not is_public(address)


@pytest.mark.parametrize("address", DISGUISED)
def test_no_disguised_address_is_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["93.184.215.14", "192.0.1.1", "192.88.98.1", "2606:4700:4700::1111", "2001:200::1",
     "2001:4860:4860::8888", "3ffe::1"],
)  # fmt: skip
def test_an_address_of_a_host_on_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/", "ftp://example.org/", "https://", "https:///path", "example.org",
        "https://ann@example.org/", "https://ann:secret@example.org/", "https://example.org/#top",
        "https://example.org:0/", "https://example.org:99999/", "https://exa mple.org/",
        "https://exämple.org/", "https://[::1]/", "https://127.0.0.1/", "https://[::1", "",
        "https://[fec0::1]/", "https://192.88.99.1/", "https://[3fff::1]/", "https://192.0.0.8/",
        "https://[::ffff:192.88.99.1]/", "https://127.1/", "https://2130706433/",
        "https://0x7f.1/", "https://0x7f000001/", "https://1.2.3.0x./", "https://127.0.0.1./",
    ],
)  # fmt: skip
def test_what_is_no_public_https_address_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        checked_url(url, private=False)


def test_an_address_of_the_own_network_is_taken_where_the_operator_allows_it() -> None:
    assert checked_url("http://127.0.0.1:8080/", private=True).port == 8080
    check_addresses([ip_address("fec0::1")], private=True)


def test_a_name_with_one_private_address_is_refused() -> None:
    public, private = ip_address("93.184.215.14"), ip_address("192.0.0.8")
    check_addresses([public], private=False)
    with pytest.raises(AddressRefused, match="not on the public network"):
        check_addresses([public, private], private=False)
    with pytest.raises(AddressRefused, match="no address"):
        check_addresses([], private=True)
