"""Names are looked up as the system does it, but with a deadline and without a thread."""

import asyncio
from pathlib import Path

import pytest
from dns.asyncresolver import Resolver
from dns.resolver import NoResolverConfiguration

from service.notices import host_names
from service.notices.host_names import HostNames
from tests.support.http.name_server import name_server

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
    monkeypatch.setattr(host_names, "LOOKUP_SECONDS", 0.05)
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
