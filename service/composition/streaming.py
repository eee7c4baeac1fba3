"""Streaming: live streams, and the news of other instances."""

import asyncio
from typing import TYPE_CHECKING
from uuid import UUID

from anyio import CapacityLimiter

from service.application.matches.loaded_match import LoadedMatch
from service.application.tournaments.loaded_tournament import LoadedTournament
from service.application.tournaments.public_events import TournamentEvents
from service.cluster.log_poller import News
from service.composition.play import PlayParts
from service.event_store.stream_ids import TOURNAMENT
from service.settings import Settings
from service.streams.broadcast import Broadcast
from service.streams.live_stream import CATCHING_UP, LiveStreams, StreamParts
from service.streams.match_growth import MatchGrowth
from service.streams.outside_news import OutsideNews

if TYPE_CHECKING:
    from service.cluster.redis_notifications import RedisNotifications


class Streaming(PlayParts):
    """The parts of an instance that readers follow. `stopping` ends every stream, `notifications`
    reach other instances, if there are any."""

    def make_streams(self) -> None:
        """Makes what readers follow, and lets it hear what happens."""
        announcer, self.stopping = self.announcer, asyncio.Event()
        self.broadcast = broadcast = Broadcast(
            self._loaded, lambda: self.matches.waiting > 0, self.instrumentation
        )
        limit, growth = CapacityLimiter(CATCHING_UP), MatchGrowth(self.sessions.loaded, broadcast)
        parts = StreamParts(
            broadcast, self.instrumentation, self.stopping, limit, self.health, growth
        )
        self.tournament_events = TournamentEvents(self.store, self.tournaments)
        self.streams = LiveStreams(self.sessions, parts)
        self.tournament_streams = LiveStreams(self.tournament_events, parts)
        self.outside_news = OutsideNews(self._read, broadcast, self._is_shown)
        self.notifications = notifications_of(self.settings, self.outside_news)
        announcer.grown.listen(broadcast.announce, growth.match_grown, self.tell_others)
        announcer.changed.listen(
            lambda stream: broadcast.recheck((stream,)), broadcast.announce, self.tell_others
        )
        announcer.records_read.listen(broadcast.announce, growth.match_grown)
        announcer.closed.listen(broadcast.announce)
        announcer.revoked.listen(broadcast.recheck)
        announcer.unsure.listen(self.outside_news.grown)

    def _loaded(self, stream: UUID) -> LoadedMatch | LoadedTournament | None:
        """A match or a tournament that is in memory."""
        if stream.version == TOURNAMENT:
            return self.tournaments.loaded(stream)
        return self.sessions.loaded(stream)

    async def _read(self, stream: UUID) -> None:
        """Reads what is on record of a match or a tournament."""
        if stream.version == TOURNAMENT:
            await self.tournaments.current(stream)
        else:
            await self.sessions.current(stream)

    def _is_shown(self, match_id: UUID) -> bool:
        """Whether someone follows the tournament of a match."""
        followed = (stream for stream in self.broadcast.followed if stream.version == TOURNAMENT)
        loaded = map(self.tournaments.loaded, followed)
        return any(cup is not None and str(match_id) in cup.state.matches for cup in loaded)

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
