"""How attempts at sending are shared out among those who asked for notices: everyone has a bounded
share, so that no one's addresses that fail or are slow hold up the notices of others."""

from collections import Counter
from collections.abc import Callable, Collection
from time import monotonic
from typing import NamedTuple

from service.auth.keyring import ORGANISERS
from service.notices.registrations import DueDelivery, Webhook

AT_ONCE = 64
"""Maximum attempts at the same time."""

FAILING_AT_ONCE = 32
"""Maximum attempts at the same time at webhooks of which the last attempt has failed."""

PER_OWNER = 4
"""Maximum attempts at the same time at the webhooks of one seat, player, moderator or organiser."""

PER_WEBHOOK = 2
"""Maximum attempts at the same time at one webhook."""

MAX_TURNS = 10_000
"""Maximum webhooks whose last attempts are remembered; then it begins anew."""

UNKNOWN_PER_MINUTE = 8
"""Maximum lookups in vain, in a minute, of the hosts of one owner's webhooks; then everything of
theirs waits until the next. Organisers have no maximum."""


class Full(NamedTuple):
    """The webhooks and the owners that have as many attempts as they may, and whether all
    failing webhooks together have as many as they may."""

    webhooks: Collection[str]
    owners: Collection[str]
    failing: bool


NOTHING_FULL = Full((), (), failing=False)


class UnknownHosts:
    """Counts lookups in vain by owner, anew in every minute. `now` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._minute = 0
        self._by_owner: Counter[str] = Counter()

    def add(self, webhook: Webhook) -> None:
        """The host of this webhook was looked up in vain."""
        if webhook.key.ring != ORGANISERS:
            self._by_owner[webhook.key.owner] += 1

    def full(self) -> list[str]:
        """The owners that had as many as they may in this minute."""
        minute = int(self._now() // 60)
        if minute != self._minute:
            self._minute = minute
            self._by_owner.clear()
        return [name for name, n in self._by_owner.items() if n >= UNKNOWN_PER_MINUTE]


class Turns:
    """Whose turn it is among the webhooks of an owner: of those with the fewest attempts under way,
    the one whose last attempt is the longest ago. So slow ones hold up no others for long."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._attempts = 0

    def ordered(
        self, candidates: Collection[DueDelivery], running: Collection[DueDelivery]
    ) -> list[DueDelivery]:
        """The candidates, the first of each owner before the second of any."""
        busy, ranks = Counter(due.webhook.id for due in running), Counter[str]()
        by_webhook: list[tuple[tuple[int, int], DueDelivery]] = []
        for due in candidates:
            by_webhook.append(((busy[due.webhook.id], self._last.get(due.webhook.id, 0)), due))
            busy[due.webhook.id] += 1
        by_owner: list[tuple[int, DueDelivery]] = []
        for _, due in sorted(by_webhook, key=lambda entry: entry[0]):
            by_owner.append((ranks[due.webhook.key.owner], due))
            ranks[due.webhook.key.owner] += 1
        return [due for _, due in sorted(by_owner, key=lambda entry: entry[0])]

    def take(self, chosen: Collection[DueDelivery]) -> None:
        """These are attempted now."""
        if len(self._last) > MAX_TURNS:
            self._last.clear()
        for due in chosen:
            self._attempts += 1
            self._last[due.webhook.id] = self._attempts


def full(running: Collection[DueDelivery]) -> Full:
    """What has its share already, while these are being attempted."""
    webhooks = Counter(due.webhook.id for due in running)
    owners = Counter(due.webhook.key.owner for due in running)
    return Full(
        [webhook for webhook, count in webhooks.items() if count >= PER_WEBHOOK],
        [owner for owner, count in owners.items() if count >= PER_OWNER],
        sum(due.failures > 0 for due in running) >= FAILING_AT_ONCE,
    )


def shared_out(
    candidates: Collection[DueDelivery], running: Collection[DueDelivery]
) -> list[DueDelivery]:
    """Those of what was found that are attempted next, besides what is being attempted."""
    busy = list(running)
    for due in candidates:
        is_new = all(other.id != due.id for other in busy)
        if is_new and len(busy) < AT_ONCE and not _is_full(due, full(busy)):
            busy.append(due)
    return busy[len(running) :]


def _is_full(due: DueDelivery, shares: Full) -> bool:
    failing = shares.failing and due.failures > 0
    return failing or due.webhook.id in shares.webhooks or due.webhook.key.owner in shares.owners
