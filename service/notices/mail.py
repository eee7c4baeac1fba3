"""E-mail to people, by the operator's mail server."""

import asyncio
import socket
from contextlib import suppress
from datetime import UTC, datetime
from email.header import Header
from email.message import Message as Mail
from email.mime.text import MIMEText
from email.policy import compat32
from email.utils import format_datetime, formataddr
from typing import Any

from service.notices.host_names import Address, HostNames
from service.notices.mail_server import MailServer
from service.notices.messages import Message

MAILED = compat32.clone(linesep="\r\n")
"""The policy that encodes and folds a header as it is given. The newer ones parse it first: what
looks like an encoded word in someone's name would be decoded, line breaks and all."""


def mail(message: Message, notice: str, sender: tuple[str, str], to: str, now: int) -> bytes:
    """The message of a notice as it is sent (RFC 5322), `now` in microseconds. A repeat has the
    same id, by which programs know it."""
    made: Mail[Any, Any] = MIMEText(message.text, _charset="utf-8", policy=MAILED)
    made["Subject"] = encoded(message.title)
    made["From"] = formataddr(sender)
    made["To"] = to
    made["Date"] = format_datetime(datetime.fromtimestamp(now // 1_000_000, UTC))
    made["Message-ID"] = f"<{notice}@{_domain(sender)}>"
    made["Auto-Submitted"] = "auto-generated"
    return made.as_bytes()


def encoded(text: str) -> Header:
    """A text as a header has it: literally what it is, also if it looks like an encoded word (RFC
    2047)."""
    plain = text.isascii() and text.isprintable() and "=?" not in text
    return Header(text, "us-ascii" if plain else "utf-8", header_name="Subject")


async def send_mail(
    server: MailServer, names: HostNames, to: str, content: bytes, seconds: float
) -> bool:
    """Sends a mail. Returns whether the server has accepted it. It can be given up at any moment,
    and blocks nothing."""
    # Imported only here, because it is optional.
    from aiosmtplib import SMTPException, send

    connected = await _connected(server, await names.addresses(server.host))
    if connected is None:
        return False
    with connected:
        try:
            await send(
                content,
                sender=server.sender[1],
                recipients=[to],
                hostname=server.host,
                sock=connected,
                username=server.user,
                password=server.password,
                # Otherwise it would look up the name of this machine, in a thread.
                local_hostname=_domain(server.sender),
                use_tls=server.security == "ssl",
                start_tls=server.security == "starttls",
                timeout=seconds,
            )
        except (SMTPException, OSError):
            return False
    return True


async def _connected(server: MailServer, addresses: list[Address]) -> socket.socket | None:
    """A connection to the first address of the server that can be reached."""
    loop = asyncio.get_running_loop()
    for address in addresses:
        family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setblocking(False)
        with suppress(OSError):
            try:
                await loop.sock_connect(opened, (str(address), server.port))
                return opened
            except BaseException:
                opened.close()
                raise
    return None


def _domain(sender: tuple[str, str]) -> str:
    return sender[1].rpartition("@")[2]
