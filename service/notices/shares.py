"""How attempts at sending are shared out among those who asked for notices: everybody has a bounded
share, so that nobody's addresses that fail or are slow hold up the notices of others."""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from service.notices.webhooks import Due

AT_ONCE = 64
"""Maximum attempts at the same time."""

FAILING_AT_ONCE = 32
"""Maximum attempts at the same time at webhooks of which the last attempt has failed."""

PER_OWNER = 4
"""Maximum attempts at the same time at the webhooks of one seat, player, moderator or organiser."""

PER_WEBHOOK = 2
"""Maximum attempts at the same time at one webhook."""


class Full(NamedTuple):
    """The webhooks and the owners that have as many attempts as they may, and whether all that are
    failing have together."""

    webhooks: Collection[str]
    owners: Collection[str]
    failing: bool


NOTHING_FULL = Full((), (), failing=False)


def full(running: Collection[Due]) -> Full:
    """What has its share already, while these are being attempted."""
    webhooks = Counter(one.webhook.id for one in running)
    owners = Counter(one.webhook.owner for one in running)
    return Full(
        [webhook for webhook, count in webhooks.items() if count >= PER_WEBHOOK],
        [owner for owner, count in owners.items() if count >= PER_OWNER],
        sum(one.failures > 0 for one in running) >= FAILING_AT_ONCE,
    )


def shared_out(found: Collection[Due], running: Collection[Due]) -> list[Due]:
    """Those of what was found that are attempted next, beside what is being attempted."""
    busy = list(running)
    for due in found:
        if len(busy) < AT_ONCE and not _is_full(due, full(busy)) and not _runs(due, busy):
            busy.append(due)
    return busy[len(running) :]


def _is_full(due: Due, shares: Full) -> bool:
    failing = shares.failing and due.failures > 0
    return failing or due.webhook.id in shares.webhooks or due.webhook.owner in shares.owners


def _runs(due: Due, busy: Collection[Due]) -> bool:
    return any(one.id == due.id for one in busy)
