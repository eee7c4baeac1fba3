"""Receipts for what moderators and organisers order."""

from domain.people import Actor
from service.http.dependencies import MatchCall
from service.signing.receipts import Receipted


async def receipt_of_order(
    call: MatchCall, actor: Actor, *, index: int | None = None, ruling: str | None = None
) -> Receipted | None:
    """The receipt for what somebody has just ordered: the event at this index of the record, or
    their first word on this ruling. None if it is not on record."""
    loaded = await call.instance.sessions.told(call.id)
    for order in loaded.orders(actor):
        if order.index == index or (ruling is not None and order.ruling == ruling):
            bound = loaded.bound(order.index + 1)
            return call.instance.receipts.ordered(call.id, order, bound)
    return None
