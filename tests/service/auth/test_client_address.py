"""The address that counts: a client cannot choose its own with a header."""

from ipaddress import ip_network

import pytest

from service.auth.request_guard import UNKNOWN, ClientAddresses

PROXIES = [ip_network("10.0.0.0/8"), ip_network("fd00::/8"), ip_network("127.0.0.1/32")]
BEHIND = ClientAddresses(PROXIES)
OPEN = ClientAddresses()


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.2", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1,203.0.113.7 ,10.0.0.2,10.0.0.3", "203.0.113.7"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.9", "10.0.0.9"),
        ("10.0.0.1", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, nonsense", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, nonsense, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
        ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::/64"),
        ("fd00::1", "203.0.113.7", "203.0.113.7"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("203.0.113.9", "127.0.0.1", "203.0.113.9"),
        ("10.0.0.1", "127.0.0.1, 203.0.113.7", "203.0.113.7"),
    ],
)
def test_the_rightmost_address_that_no_trusted_proxy_has_counts(
    peer: str, forwarded: str, counted: str
) -> None:
    assert BEHIND.address(peer, forwarded) == counted


def test_without_a_trusted_proxy_the_header_means_nothing() -> None:
    assert OPEN.address("203.0.113.9", "198.51.100.1") == "203.0.113.9"
    assert OPEN.address("10.0.0.1", "198.51.100.1") == "10.0.0.1"


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", None, ""])
def test_this_machine_is_not_counted(peer: str | None) -> None:
    assert OPEN.address(peer) is None


def test_behind_a_trusted_proxy_on_this_machine_others_are_counted() -> None:
    assert BEHIND.address("127.0.0.1", "203.0.113.7") == "203.0.113.7"
    assert BEHIND.address("127.0.0.1") is None


@pytest.mark.parametrize("forwarded", ["nonsense", "203.0.113.7, nonsense", "203.0.113.7,", "1.2"])
def test_what_is_no_address_is_counted_together_behind_a_proxy_on_this_machine(
    forwarded: str,
) -> None:
    assert BEHIND.address("127.0.0.1", forwarded) == UNKNOWN


def test_exempt_addresses_are_a_setting() -> None:
    strict = ClientAddresses(exempt=())
    assert strict.address("127.0.0.1") == "127.0.0.1"
    assert strict.address("::1") == "::/64"


def test_a_subscriber_counts_as_one_network_whatever_the_address() -> None:
    first, second = OPEN.address("2001:db8:1:2::1"), OPEN.address("2001:db8:1:2:ffff::9")
    assert first == second == "2001:db8:1:2::/64"
    assert OPEN.address("2001:db8:1:3::1") != first
