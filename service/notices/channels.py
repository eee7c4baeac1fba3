"""Channels to people: e-mail, and chats whose servers are always the same, through `apprise`.

Each of them reaches one fixed service on the public network, or the operator's own mail server: an
address cannot make the service connect to anything else. So only these few of the many schemes that
apprise knows are taken, and none of their options.
"""

import logging
import re
from email.header import Header
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from service.notices.messages import Message
from service.notices.public_address import AddressRefused

if TYPE_CHECKING:
    from apprise import Apprise

CHANNELS = {
    "mailto": re.compile(r"mailto:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,190}"),
    "discord": re.compile(r"discord://[0-9]{5,30}/[A-Za-z0-9_-]{20,120}"),
    "slack": re.compile(r"slack://[A-Z0-9]{5,20}/[A-Z0-9]{5,20}/[A-Za-z0-9]{10,60}"),
    "tgram": re.compile(r"tgram://[0-9]{5,20}:[A-Za-z0-9_-]{20,60}/-?[0-9]{1,20}"),
}
"""The addresses that are taken, by their schemes: e-mail (RFC 6068), and the webhooks of Discord
and Slack and the bots of Telegram as apprise writes them."""

_PLUGINS = {
    "mailto": ("apprise.plugins.email", "NotifyEmail"),
    "discord": ("apprise.plugins.discord", "NotifyDiscord"),
    "slack": ("apprise.plugins.slack", "NotifySlack"),
    "tgram": ("apprise.plugins.telegram", "NotifyTelegram"),
}

SOCKET_SECONDS = 4.0
"""Time limit of a connection, and of each read."""


class ChannelMissing(Exception):
    """The operator has not set up such channels. The text says what is missing."""


def is_channel(url: str) -> bool:
    """Whether an address is one of a person, and not that of a webhook."""
    return url.partition(":")[0] in CHANNELS


def check_channel(url: str, smtp: str | None) -> None:
    """Raises AddressRefused for an address that is not taken, and ChannelMissing if nothing can be
    sent there. The first call loads apprise, which takes a second."""
    scheme = url.partition(":")[0]
    if CHANNELS[scheme].fullmatch(url) is None:
        raise AddressRefused(f"not an address of {scheme} without options")
    _channel(url, smtp)


def send(url: str, smtp: str | None, message: Message) -> bool:
    """Sends a message to a person. Returns whether it was received. Blocks, and raises what
    `check_channel` does."""
    from apprise import NotifyFormat

    channel = _channel(url, smtp)
    title = mail_subject(message.title) if url.startswith("mailto:") else message.title
    return bool(channel.notify(title=title, body=message.text, body_format=NotifyFormat.TEXT))


def mail_subject(title: str) -> str:
    """The title as the subject of a mail. What looks like an encoded word (RFC 2047) is encoded: a
    reader would decode it, to line breaks and whatever else stands in it."""
    return Header(title, "utf-8").encode(linesep="") if "=?" in title else title


def masked(url: str, *, own: bool) -> str:
    """What is shown of an address: nobody can use it. To others only its scheme."""
    scheme, _, rest = url.partition(":")
    if scheme == "mailto" and own:
        return f"mailto:{rest[0]}…@{rest.rpartition('@')[2]}"
    return f"{scheme}:…"


def _channel(url: str, smtp: str | None) -> "Apprise":
    """A channel to the address. Nothing of it is logged or kept on disk."""
    if find_spec("apprise") is None:
        raise ChannelMissing("the operator has not installed `arbiter[notices]`")
    # Imported only here: it is optional, and takes a second. By its name in a URL it would load all
    # of its hundred services.
    from apprise import Apprise, AppriseAsset

    module, name = _PLUGINS[url.partition(":")[0]]
    service = getattr(import_module(module), name)
    # It logs addresses.
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    asset = AppriseAsset(async_mode=False, storage_mode="memory")
    try:
        plugin = service(**service.parse_url(_target(url, smtp)), asset=asset)
    except TypeError:
        raise AddressRefused("there is no such address") from None
    plugin.socket_connect_timeout = plugin.socket_read_timeout = SOCKET_SECONDS
    plugin.redirects = False
    channel = Apprise(asset=asset)
    channel.add(plugin)
    return channel


def _target(url: str, smtp: str | None) -> str:
    """The address as apprise takes it: e-mail goes by the operator's mail server."""
    scheme, _, address = url.partition(":")
    if scheme != "mailto":
        return url
    if smtp is None:
        raise ChannelMissing("the operator has named no mail server, `ARBITER_SMTP`")
    parts = urlsplit(smtp)
    to, plain = f"/{quote(address, safe='')}", f"{parts.query}&format=text"
    return parts._replace(path=to, query=plain).geturl()
