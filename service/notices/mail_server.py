"""The operator's mail server, as the setting `ARBITER_SMTP` names it."""

from email.utils import parseaddr
from typing import Literal, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

Security = Literal["insecure", "starttls", "ssl"]

PORTS: dict[Security, int] = {"insecure": 25, "starttls": 587, "ssl": 465}


class MailServer(NamedTuple):
    """The operator's mail server, and whom messages come from: a name, which may be empty, and an
    address."""

    host: str
    port: int
    security: Security
    user: str | None
    password: str | None
    sender: tuple[str, str]


def mail_server(setting: str) -> MailServer:
    """The mail server that `ARBITER_SMTP` names. Raises ValueError, without the setting in its
    text, because that has a password."""
    parts = urlsplit(setting)
    query = parse_qs(parts.query)
    sender = parseaddr(query.get("from", [""])[0])
    security: Security = "starttls" if parts.scheme == "mailtos" else "insecure"
    match query.pop("mode", [security]):
        case ["insecure" | "starttls" | "ssl" as mode]:
            security = mode
        case _:
            raise ValueError("`mode` is ssl, starttls or insecure")
    if parts.scheme not in ("mailto", "mailtos") or parts.hostname is None:
        raise ValueError("it begins with mailtos:// and a host")
    if "@" not in sender[1] or set(query) != {"from"} or parts.path not in ("", "/"):
        raise ValueError("it has a sender, and at most a mode beside it")
    user, password = (one and unquote(one) for one in (parts.username, parts.password))
    port = parts.port or PORTS[security]
    return MailServer(parts.hostname, port, security, user, password, sender)
