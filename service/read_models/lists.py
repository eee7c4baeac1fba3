"""The lists of one store: what its index has after it has followed the log to its end."""

from collections.abc import Callable, Collection
from time import monotonic
from typing import TypeVar

from msgspec.structs import replace

from projections.audience.matches import ScheduledMatch
from projections.audience.shown_match import ShownMatch
from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.store_health import StoreHealth
from service.event_store.store_threads import in_store_thread
from service.observability.work import MATCH_TOLD, spend
from service.read_models.index import Index

T = TypeVar("T")


class Lists:
    """Reads the index; results include everything acknowledged before the call. Raises
    StoreUnavailable.

    While the store can be read and not written, the index cannot follow the log: then results are
    those of the index as it is, and `age` says how old it is.
    """

    def __init__(self, index: Index, health: StoreHealth) -> None:
        self._index = index
        self._health = health
        self._behind = False

    @property
    def age(self) -> int | None:
        """For how many whole seconds the index has not followed the log; None while it does."""
        if not self._behind:
            return None
        return max(0, int(monotonic() - self._index.followed_at))

    async def scheduled(self, matches: Collection[str]) -> dict[str, ScheduledMatch]:
        """These matches, as everyone may know when they take place."""
        spend(MATCH_TOLD, len(matches))
        return await self.read(lambda index: index.scheduled(matches))

    async def corrected(self, match: ShownMatch) -> ShownMatch:
        """The match, with how it counts in its tournament: its own record does not say that."""
        if match.tournament is None or match.status not in ("ended", "void"):
            return match
        listed = (await self.scheduled([match.id])).get(match.id)
        return match if listed is None else replace(match, corrected=listed.row.corrected)

    async def followed(self, find: Callable[[Index], T]) -> T:
        """What is found at the end of the log, never earlier."""

        def find_at_end() -> T:
            self._index.follow()
            return find(self._index)

        return await in_store_thread(find_at_end)

    async def read(self, find: Callable[[Index], T]) -> T:
        """What is found after the index has reached the end of the log, or as it is while it cannot
        be written."""
        # Known beforehand, it is not tried: whether it would fail depends on what is in the log,
        # hidden events included.
        if self._health.fault is None:
            try:
                result = await self.followed(find)
            except StoreUnavailable:
                if not await self._health.fails():
                    raise
            else:
                self._behind = False
                return result
        result = await in_store_thread(find, self._index)
        self._behind = True
        return result
