"""Streaming: live streams, and the news of other instances."""

import asyncio
from uuid import UUID

from anyio import CapacityLimiter

from service.cluster.log_poller import News, Notifications
from service.composition.feature import Feature
from service.composition.play import Play
from service.composition.storage import Storage
from service.settings import Settings
from service.streams.broadcast import Broadcast
from service.streams.live_stream import CATCHING_UP, LiveStreams
from service.streams.outside_news import OutsideNews


class Streaming(Feature):
    """The parts of an instance that readers follow. `stopping` ends every stream, `notifications`
    reach other instances, if there are any."""

    stopping: asyncio.Event
    broadcast: Broadcast
    streams: LiveStreams
    outside_news: OutsideNews
    notifications: Notifications | None

    def tell_others(self, stream: UUID) -> None:
        """Notifies other instances that a stream has grown, or that a ticket was used."""
        if self.notifications is not None:
            self.notifications.notify(stream)

    @property
    def is_subscribed(self) -> bool:
        """Whether this instance receives notifications from the others."""
        return self.notifications is not None and self.notifications.alive


def streaming(storage: Storage, play: Play) -> Streaming:
    """Makes what readers follow, and lets it hear what happens."""
    stopping = asyncio.Event()
    broadcast = Broadcast(
        play.sessions.loaded, lambda: play.matches.waiting > 0, storage.instrumentation
    )
    limit = CapacityLimiter(CATCHING_UP)
    streams = LiveStreams(
        play.sessions, broadcast, storage.instrumentation, stopping, limit, storage.health
    )
    news = OutsideNews(play.sessions, broadcast)
    made = Streaming(
        stopping=stopping,
        broadcast=broadcast,
        streams=streams,
        outside_news=news,
        notifications=notifications_of(storage.settings, news),
    )
    announcer = storage.announcer
    announcer.grown.listen(broadcast.announce, made.tell_others)
    announcer.changed.listen(lambda stream: broadcast.recheck((stream,)), made.tell_others)
    announcer.read.listen(broadcast.announce)
    announcer.closed.listen(broadcast.announce)
    announcer.revoked.listen(broadcast.recheck)
    announcer.unsure.listen(news.grown)
    return made


def notifications_of(settings: Settings, news: News) -> Notifications | None:
    """What notifies other instances, if there is a Redis."""
    if settings.redis is None:
        return None
    # Imported here, so that an instance without Redis starts faster.
    from service.cluster.redis_notifications import RedisNotifications

    return RedisNotifications(settings.redis, news)
