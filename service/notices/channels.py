"""Channels to people: e-mail, and chats whose servers are always the same, through `apprise`.

Each of them reaches one fixed service on the public network, or the operator's own mail server: an
address cannot make the service connect to anything else. So only these few of the many schemes that
apprise knows are taken, and none of their options.
"""

import asyncio
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from service.notices.mail_server import MailServer, mail_server
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
    "discord": ("apprise.plugins.discord", "NotifyDiscord"),
    "slack": ("apprise.plugins.slack", "NotifySlack"),
    "tgram": ("apprise.plugins.telegram", "NotifyTelegram"),
}

SOCKET_SECONDS = 4.0
"""Time limit of a connection, and of each read."""

_threads = ThreadPoolExecutor(8, "chats")
"""Chats have threads of their own, because a message that was given up still occupies one."""


class ChannelMissing(Exception):
    """The operator has not set up such channels. The text says what is missing."""


def is_channel(url: str) -> bool:
    """Whether an address is one of a person, and not that of a webhook."""
    return url.partition(":")[0] in CHANNELS


def is_mail(url: str) -> bool:
    """Whether it is the address of a mailbox."""
    return url.partition(":")[0] == "mailto"


def check_channel(url: str, smtp: str | None) -> None:
    """Raises AddressRefused for an address that is not taken, and ChannelMissing if nothing can be
    sent there. The first call for a chat loads apprise, which takes a second."""
    scheme = url.partition(":")[0]
    if CHANNELS[scheme].fullmatch(url) is None:
        raise AddressRefused(f"not an address of {scheme} without options")
    if is_mail(url):
        require_mail_server(smtp)
    else:
        _chat(url)


def require_mail_server(smtp: str | None) -> MailServer:
    """The operator's mail server. Raises ChannelMissing if none is set up."""
    _require_package("aiosmtplib")
    if smtp is None:
        raise ChannelMissing("the operator has named no mail server, `ARBITER_SMTP`")
    return mail_server(smtp)


async def send_to_chat(url: str, message: Message) -> bool:
    """Sends a message to a chat. Returns whether it was received. Raises what `check_channel`
    does."""
    return await asyncio.get_running_loop().run_in_executor(_threads, _send, url, message)


def _send(url: str, message: Message) -> bool:
    from apprise import NotifyFormat

    channel = _chat(url)
    return bool(
        channel.notify(title=message.title, body=message.text, body_format=NotifyFormat.TEXT)
    )


def masked(url: str, *, own: bool) -> str:
    """What is shown of an address: no one can use it. To others only its scheme."""
    scheme, _, rest = url.partition(":")
    if scheme == "mailto" and own:
        return f"mailto:{rest[0]}…@{rest.rpartition('@')[2]}"
    return f"{scheme}:…"


def _require_package(name: str) -> None:
    if find_spec(name) is None:
        raise ChannelMissing("the operator has not installed `arbiter[notices]`")


def _chat(url: str) -> "Apprise":
    """A channel to the address. Nothing of it is logged or kept on disk."""
    _require_package("apprise")
    # Imported only here: it is optional, and takes a second. By its name in a URL it would load all
    # of its hundred services.
    from apprise import Apprise, AppriseAsset

    module, name = _PLUGINS[url.partition(":")[0]]
    service = getattr(import_module(module), name)
    # It logs addresses.
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    asset = AppriseAsset(async_mode=False, storage_mode="memory")
    try:
        plugin = service(**service.parse_url(url), asset=asset)
    except TypeError:
        raise AddressRefused("there is no such address") from None
    plugin.socket_connect_timeout = plugin.socket_read_timeout = SOCKET_SECONDS
    plugin.redirects = False
    channel = Apprise(asset=asset)
    channel.add(plugin)
    return channel
