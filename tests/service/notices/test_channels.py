"""Channels to people: which addresses are taken, what they are sent, and that no one is shown
them."""

import importlib.util

import pytest

from service.notices import channels
from service.notices.channels import ChannelMissing, check_channel, is_channel, masked
from service.notices.messages import message_of
from service.notices.notices import Notice
from service.notices.public_address import AddressRefused
from tests.support.instants import NOON

SMTP = "mailtos://user:password@smtp.example.org?from=arbiter@example.org"
TOKEN = 3 * "abcdefghijkl"
TAKEN = [
    "mailto:ann@example.org",
    f"discord://123456789012345678/{TOKEN}",
    "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
    f"tgram://123456789:{TOKEN}/-12315544",
]
MATCH = {"match": "m1", "game": "dollar-prize", "seats": ["Ann", "Ben"], "tournament": None}


@pytest.mark.parametrize("url", TAKEN, ids=lambda url: url.partition(":")[0])
def test_an_address_of_a_fixed_service_is_taken_and_shown_to_nobody(url: str) -> None:
    assert is_channel(url)
    check_channel(url, SMTP)
    for shown in (masked(url, own=True), masked(url, own=False)):
        assert TOKEN not in shown and "ann" not in shown and len(shown) < 25


@pytest.mark.parametrize(
    "url",
    [
        *(f"{url}?verify=no" for url in TAKEN),
        "mailto:ann@example.org,ben@example.org",
        "mailto:ann@example.org?smtp=10.0.0.1",
        "mailto:ann",
        "discord://123/short",
        f"discord://localhost/{TOKEN}",
        "slack://bot@T1/#channel",
        "mailto:\nann@example.org",
    ],
)
def test_options_and_other_forms_are_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_channel(url, SMTP)


def test_other_schemes_are_no_channels() -> None:
    for url in ("json://localhost", "ntfy://10.0.0.1/topic", "mailtos://a:b@c", "file:///etc"):
        assert not is_channel(url)


def test_what_the_operator_has_not_set_up_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ChannelMissing, match="ARBITER_SMTP"):
        check_channel(TAKEN[0], None)
    find = importlib.util.find_spec
    monkeypatch.setattr(
        channels, "find_spec", lambda name: None if name == "apprise" else find(name)
    )
    with pytest.raises(ChannelMissing, match=r"arbiter\[notices\]"):
        check_channel(TAKEN[1], SMTP)


def said(type_: str, **data: object) -> str:
    """The first line of the message of a notice."""
    body = Notice("started", "m1", NOON, type_, {**MATCH, **data}).body
    return message_of("msg_1", body).text.splitlines()[0]


def test_a_message_says_what_the_notice_does() -> None:
    until = {"seats": [0, 1], "draw": None, "deadline": "2026-01-01T13:00:00Z"}
    won = {"winners": [0], "losers": [1], "shared": False, "scores": [1, 0]}
    assert said("match.started") == "The match has started."
    assert said("match.reminder", awaiting=until) == (
        "A deadline comes near: the match waits for Ann and Ben until 2026-01-01T13:00:00Z."
    )
    drawn: dict[str, object] = {"seats": [], "draw": {}, "deadline": None}
    assert said("match.awaiting", awaiting=drawn) == "The match waits for a draw."
    assert said("match.ended", status="ended", result=won) == "The match is over, won by Ann."
    provisional = said("match.ended", status="ended", result={**won, "final": False})
    assert provisional == "The match is over, won by Ann. The result is provisional."
    assert said("match.ended", status="void", result=None) == "The match is void."
    ruling = {"n": 2, "kind": "note", "reason": "be quiet"}
    assert said("match.ruling", ruling=ruling) == "Ruling 2, note: be quiet"
    assert said("tournament.match_added", tournament="t") == "match added."


def test_a_message_has_its_notice_and_calls_nobody_in_a_chat() -> None:
    body = Notice(
        "started", "m1", NOON, "match.started", {**MATCH, "seats": ["@everyone", "Ben"]}
    ).body
    message = message_of("msg_7", body)
    assert message.text.endswith("Match m1\nNotice msg_7")
    assert "@everyone" not in message.title
