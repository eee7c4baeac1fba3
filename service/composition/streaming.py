"""Streaming: live streams, and the news of other instances."""

import asyncio
from typing import TYPE_CHECKING
from uuid import UUID

from anyio import CapacityLimiter

from service.cluster.log_poller import News
from service.composition.play import PlayParts
from service.settings import Settings
from service.streams.broadcast import Broadcast
from service.streams.live_stream import CATCHING_UP, LiveStreams
from service.streams.outside_news import OutsideNews

if TYPE_CHECKING:
    from service.cluster.redis_notifications import RedisNotifications


class Streaming(PlayParts):
    """The parts of an instance that readers follow. `stopping` ends every stream, `notifications`
    reach other instances, if there are any."""

    def make_streams(self) -> None:
        """Makes what readers follow, and lets it hear what happens."""
        sessions, announcer, self.stopping = self.sessions, self.announcer, asyncio.Event()
        self.broadcast = broadcast = Broadcast(
            sessions.loaded, lambda: self.matches.waiting > 0, self.instrumentation
        )
        limit = CapacityLimiter(CATCHING_UP)
        self.streams = LiveStreams(
            sessions, broadcast, self.instrumentation, self.stopping, limit, self.health
        )
        self.outside_news = OutsideNews(sessions, broadcast)
        self.notifications = notifications_of(self.settings, self.outside_news)
        announcer.grown.listen(broadcast.announce, self.tell_others)
        announcer.changed.listen(lambda stream: broadcast.recheck((stream,)), self.tell_others)
        announcer.read.listen(broadcast.announce)
        announcer.closed.listen(broadcast.announce)
        announcer.revoked.listen(broadcast.recheck)
        announcer.unsure.listen(self.outside_news.grown)

    def tell_others(self, stream: UUID) -> None:
        """Notifies other instances that a stream has grown, or that a ticket was used."""
        if self.notifications is not None:
            self.notifications.notify(stream)

    @property
    def is_subscribed(self) -> bool:
        """Whether this instance receives notifications from the others."""
        return self.notifications is not None and self.notifications.alive


def notifications_of(settings: Settings, news: News) -> "RedisNotifications | None":
    """What notifies other instances, if there is a Redis."""
    if settings.redis is None:
        return None
    # Imported here, so that an instance without Redis starts faster.
    from service.cluster.redis_notifications import RedisNotifications

    return RedisNotifications(settings.redis, news)
