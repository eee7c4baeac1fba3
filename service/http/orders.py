"""Receipts for what moderators and organisers order."""

from typing import NamedTuple
from uuid import UUID

from litestar.di import NamedDependency

from domain.people import Actor
from service.application.match_sessions import MatchSessions
from service.signing.receipts import Receipted, Receipts


class Orders(NamedTuple):
    """What people ordered in matches, by whom."""

    sessions: MatchSessions
    receipts: Receipts

    async def receipt(
        self, match_id: UUID, actor: Actor, *, index: int | None = None, ruling: str | None = None
    ) -> Receipted | None:
        """The receipt for what somebody has just ordered: the event at this index of the record, or
        their first word on this ruling. None if it is not on record."""
        loaded = await self.sessions.told(match_id)
        for order in loaded.orders(actor):
            if order.index == index or (ruling is not None and order.ruling == ruling):
                return self.receipts.ordered(match_id, order, loaded.bound(order.index + 1))
        return None


def orders(sessions: NamedDependency[MatchSessions], receipts: NamedDependency[Receipts]) -> Orders:
    """What people ordered, for handlers."""
    return Orders(sessions, receipts)
