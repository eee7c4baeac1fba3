"""Mails as they are sent: short subjects that say literally what they say."""

from email import message_from_bytes, policy
from email.header import decode_header, make_header

import pytest

from service.notices.host_names import HostNames
from service.notices.mail import mail, send_mail
from service.notices.mail_server import mail_server
from service.notices.messages import Message, message_of
from service.notices.notices import Notice
from tests.support.http.name_server import name_server
from tests.support.http.smtp_receiver import mail_server as receiving
from tests.support.instants import NOON

SENDER = ("Arbiter", "arbiter@example.org")
ENCODED = "=?utf-8?B?QSBiYWQKQmNjOiBldmlsQGV4YW1wbGUub3Jn4oCu?="
"""An encoded word with a line break, a header and a direction override in it."""


def sent(title: str) -> bytes:
    return mail(Message(title, "text"), "msg_1", SENDER, "ann@example.org", NOON)


def subject(content: bytes) -> str:
    return str(make_header(decode_header(message_from_bytes(content)["Subject"])))


def title(*seats: str) -> str:
    data = {"match": "m1", "game": "dollar-prize", "seats": seats, "tournament": None}
    return message_of("msg_1", Notice("started", "m1", NOON, "match.started", data).body).title


def test_a_subject_of_many_long_names_is_short_and_folded() -> None:
    names = [f"Александра Константиновна {n}" for n in range(16)]
    content = sent(title(*names))
    head = content.partition(b"\r\n\r\n")[0]
    assert subject(content) == "Александра Константиновна 0 and 15 others (Dollar Prize)"
    assert all(len(line) <= 78 for line in head.split(b"\r\n"))
    assert b"\n" not in content.replace(b"\r\n", b"") and content.isascii()


@pytest.mark.parametrize("names", [("Ann", "Ben"), ("Ж" * 500,), ("Ж" * 500, "Ben"), ("x" * 500,)])
def test_a_title_is_never_long(names: tuple[str, ...]) -> None:
    assert len(title(*names)) < 120
    head = sent(title(*names)).partition(b"\r\n\r\n")[0]
    assert all(len(line) <= 78 for line in head.split(b"\r\n"))


@pytest.mark.parametrize(
    "name",
    [ENCODED, "=?us-ascii?q?A=0D=0AB?=", "=?utf-8?q?half", "a =?x?= b", "Ann: Ben", "Zoë",
     "A\u202eB",
     "=?utf-8?q?a?= =?utf-8?q?b?="],
)  # fmt: skip
def test_a_name_arrives_literally(name: str) -> None:
    content = sent(name)
    received = message_from_bytes(content)
    assert subject(content) == name
    assert received["Bcc"] is None and len(received.get_all("Subject", [])) == 1
    # As newer parsers read it, which decode more.
    modern = message_from_bytes(content, policy=policy.default)
    assert modern["Bcc"] is None and str(modern["Subject"]).startswith(name[:1])


def test_a_line_break_begins_no_other_header() -> None:
    assert message_from_bytes(sent("a\r\nBcc: evil@example.org"))["Bcc"] is None


def test_a_plain_title_is_plain() -> None:
    assert b"\r\nSubject: Ann, Ben (Dollar Prize)\r\n" in b"\r\n" + sent(title("Ann", "Ben"))


def test_a_repeat_has_the_same_id() -> None:
    first, second = (message_from_bytes(sent("Ann")) for _ in range(2))
    assert first["Message-ID"] == second["Message-ID"] == "<msg_1@example.org>"
    assert first["Auto-Submitted"] == "auto-generated"


async def test_the_text_and_the_sender_arrive_through_a_name() -> None:
    with receiving() as mails, name_server({"mail.example": ["127.0.0.1"]}) as names:
        server = mail_server(mails.smtp)._replace(host="mail.example")
        looked_up = HostNames(names.resolver)
        content = mail(Message("Ann", "Ж\n.\nend"), "msg_1", SENDER, "ann@example.org", NOON)
        assert await send_mail(server, looked_up, "ann@example.org", content, 10)
        ((recipient, received),) = mails.received
        text = received.get_payload(decode=True)
        assert isinstance(text, bytes) and text.decode().splitlines() == ["Ж", ".", "end"]
        assert (recipient, received["From"]) == ("ann@example.org", "Arbiter <arbiter@example.org>")
        unknown = server._replace(host="none.example")
        assert not await send_mail(unknown, looked_up, "a@b.org", content, 1)
        closed = server._replace(port=1)
        assert not await send_mail(closed, looked_up, "a@b.org", content, 1)
        mails.refusal = "550 no"
        assert not await send_mail(server, looked_up, "ann@example.org", content, 10)


@pytest.mark.parametrize(
    ("setting", "port", "security"),
    [
        ("mailto://host?from=a@b.org", 25, "insecure"),
        ("mailtos://host?from=a@b.org", 587, "starttls"),
        ("mailtos://host?mode=ssl&from=a@b.org", 465, "ssl"),
        ("mailtos://u:p%40@host:2525/?from=Arbiter%20%3Ca@b.org%3E", 2525, "starttls"),
    ],
)
def test_a_mail_server_is_read(setting: str, port: int, security: str) -> None:
    server = mail_server(setting)
    assert (server.port, server.security, server.sender[1]) == (port, security, "a@b.org")
    if server.user is not None:
        assert (server.user, server.password, server.sender[0]) == ("u", "p@", "Arbiter")
