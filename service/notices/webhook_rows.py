"""The selection of what is due."""

from collections.abc import Sequence
from typing import Any

from service.notices.registrations import of_row
from service.notices.webhooks import (
    DELIVERY_COLUMNS,
    DELIVERY_TABLE,
    WEBHOOK_COLUMNS,
    WEBHOOK_TABLE,
    Delivery,
    Due,
    stored_webhook,
)

OWNER = "to_whom.ring || ' ' || to_whom.slot"
_OF_WEBHOOK = [f"to_whom.{column} AS to_{column}" for column in WEBHOOK_COLUMNS.split(", ")]
_OF_DELIVERY = [f"one.{column}" for column in DELIVERY_COLUMNS.split(", ")]
DUE = (
    f"SELECT * FROM (SELECT {', '.join((*_OF_WEBHOOK, *_OF_DELIVERY))},"  # noqa: S608
    " to_whom.failures, to_whom.rests,"
    f" ROW_NUMBER() OVER (PARTITION BY {OWNER} ORDER BY one.due, one.number) AS turn"
    f" FROM {DELIVERY_TABLE} AS one JOIN {WEBHOOK_TABLE} AS to_whom ON to_whom.id = one.webhook"
    " WHERE one.state = 'waiting' AND one.due <= ? AND to_whom.rests <= ?"
    " AND (one.expires IS NULL OR one.expires > ?){}"
    f" AND (one.kind = 'reminder' OR NOT EXISTS (SELECT 1 FROM {DELIVERY_TABLE} AS earlier"
    " WHERE earlier.state = 'waiting' AND earlier.webhook = one.webhook"
    " AND earlier.subject = one.subject AND earlier.kind <> 'reminder'"
    " AND earlier.number < one.number))"
    ") AS found WHERE turn <= ? ORDER BY turn, due, webhook, number LIMIT ?"
)
"""What is due of whom: of each match to each webhook the earliest that waits alone, each owner's in
turns. Behind the braces stand more conditions."""


def due_of(row: Sequence[Any]) -> Due:
    """The delivery and the webhook in a row that was selected by `DUE`."""
    *columns, failures, rests, _turn = row
    webhook, delivery = columns[: len(_OF_WEBHOOK)], columns[len(_OF_WEBHOOK) :]
    return Due(of_row(stored_webhook, webhook), Delivery(*delivery), failures, rests)
