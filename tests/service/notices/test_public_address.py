"""Nobody makes the service send to its own machine or network."""

from ipaddress import ip_address
from typing import Any

import pytest

from service.notices.public_address import AddressRefused, checked_url, is_public, resolved

PRIVATE = [
    "127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "0.0.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
    "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    "2001:db8::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_of_a_private_network_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700:4700::1111", "::ffff:1.1.1.1"])
def test_an_address_of_a_host_on_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/", "ftp://example.org/", "https://", "https:///path", "example.org",
        "https://ann@example.org/", "https://ann:secret@example.org/", "https://example.org/#top",
        "https://example.org:0/", "https://example.org:99999/", "https://exa mple.org/",
        "https://exämple.org/", "https://[::1]/", "https://127.0.0.1/", "https://[::1", "",
    ],
)  # fmt: skip
def test_what_is_no_public_https_address_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        checked_url(url, private=False)


async def test_a_name_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = checked_url("https://example.org/", private=False)
    given(monkeypatch, "93.184.215.14")
    assert await resolved(parts, private=False) == "93.184.215.14"
    given(monkeypatch, "93.184.215.14", "127.0.0.1")
    with pytest.raises(AddressRefused, match="not on the public network"):
        await resolved(parts, private=False)
    assert await resolved(parts, private=True) == "93.184.215.14"


async def test_a_name_without_an_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch)
    with pytest.raises(AddressRefused, match="no address"):
        await resolved(checked_url("https://nowhere.example/", private=False), private=False)


def given(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Every name has these addresses."""

    async def found(*_: Any, **__: Any) -> list[Any]:
        return [(None, None, None, "", (address, 443)) for address in addresses]

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", found)
