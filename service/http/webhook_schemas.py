"""Webhooks and what was sent to them, as they are sent."""

from typing import Annotated, get_args
from urllib.parse import urlsplit
from uuid import UUID

from msgspec import Meta, Struct

from projections.fields import Next, Seat
from projections.timestamps import Timestamp, rfc3339
from service.http.schema_form import EXTENSIBLE
from service.notices.channels import is_channel, masked
from service.notices.notices import Kind
from service.notices.public_address import MAX_URL
from service.notices.webhooks import Delivery, State, Webhook

KINDS: tuple[Kind, ...] = get_args(Kind)

HOUR, WEEK = 3_600, 7 * 24 * 3_600

Address = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_URL,
        description="An https address on the public network; or a person's: `mailto:`, and "
        "`discord://`, `slack://` and `tgram://` as apprise writes them, without options",
        examples=["https://bots.example/arbiter"],
    ),
]
Kinds = Annotated[tuple[Kind, ...], Meta(min_length=1, max_length=len(KINDS))]
ShownKind = Annotated[Kind, Meta(extra_json_schema=EXTENSIBLE)]
Before = Annotated[
    int, Meta(ge=60, le=WEEK, description="Seconds before a deadline; a reminder is sent then")
]


class NewWebhook(Struct, frozen=True, forbid_unknown_fields=True):
    """An address and what is sent to it: of one match, of one tournament with its matches, or
    without either of all that the key is for. `seat` chooses whose deadlines it is reminded of.
    Without `kinds` it is sent everything; to a person reminders alone."""

    url: Address
    kinds: Kinds | None = None
    match: UUID | None = None
    tournament: UUID | None = None
    seat: Annotated[int, Meta(ge=0)] | None = None
    remind: Before = HOUR


class ShownWebhook(Struct, frozen=True):
    """A webhook. An organiser is shown no more than the host of others' addresses, and nobody the
    address of a person."""

    id: str
    url: str
    kinds: Annotated[tuple[ShownKind, ...], Meta(description="The kinds of notices that are sent")]
    match: str | None
    tournament: str | None
    seat: Seat | None
    remind: Annotated[
        int, Meta(description="How many seconds before a deadline a reminder is sent")
    ]
    since: Timestamp


class RegisteredWebhook(ShownWebhook, frozen=True):
    """A new webhook, and the secret that signs what is sent to it. It is shown once: null in the
    answer to a repeated request, and for the address of a person."""

    secret: str | None


class WebhookList(Struct, frozen=True):
    """Webhooks, in the order in which they were registered."""

    webhooks: list[ShownWebhook]


class ShownDelivery(Struct, frozen=True):
    """A notice to a webhook. `id` is its `webhook-id`, `about` the match or tournament. `attempt`
    is what came of the last attempt: a status, or in words why there was none."""

    number: Annotated[int, Meta(description="Counted from 1")]
    id: str
    kind: ShownKind
    about: str
    at: Timestamp
    state: State
    attempts: int
    next_attempt: Annotated[
        Timestamp | None, Meta(description="When it is tried again; null if it is not")
    ]
    last_attempt: Annotated[
        Timestamp | None, Meta(description="When it was last tried; null if it never was")
    ]
    attempt: str | None


class DeliveryPage(Struct, frozen=True):
    """Some of the notices to a webhook, in order."""

    deliveries: list[ShownDelivery]
    next: Next


def kinds_of(new: NewWebhook) -> tuple[Kind, ...]:
    """What is sent to a new webhook, each kind once."""
    if new.kinds is None:
        return ("reminder",) if is_channel(new.url) else KINDS
    return tuple(dict.fromkeys(new.kinds))


def registered(webhook: Webhook, *, repeated: bool) -> RegisteredWebhook:
    """A new webhook with its secret, or one that the same request registered before."""
    secret = None if repeated or is_channel(webhook.url) else webhook.shown_secret
    return RegisteredWebhook(*shown_fields(webhook, own=True), secret)


def shown_deliveries(found: list[Delivery], limit: int) -> DeliveryPage:
    """A page of what was found: with one too many, another page follows. Notices from several
    stores that have the same number stay on one page."""
    if len(found) <= limit:
        return DeliveryPage([_shown(one) for one in found], None)
    last = found[limit - 1].number
    return DeliveryPage([_shown(one) for one in found if one.number <= last], last)


def shown_fields(
    webhook: Webhook, *, own: bool
) -> tuple[str, str, tuple[Kind, ...], str | None, str | None, int | None, int, str]:
    """A webhook as it is shown to whoever registered it, or to an organiser."""
    return (
        webhook.id, _shown_url(webhook.url, own=own), webhook.kinds, webhook.match,
        webhook.tournament, webhook.seat, webhook.remind, rfc3339(webhook.since),
    )  # fmt: skip


def _shown_url(url: str, *, own: bool) -> str:
    if is_channel(url):
        return masked(url, own=own)
    parts = urlsplit(url)
    return url if own else f"{parts.scheme}://{parts.hostname}"


def _shown(one: Delivery) -> ShownDelivery:
    waits = one.state == "waiting"
    return ShownDelivery(
        number=one.number,
        id=one.id,
        kind=one.kind,
        about=one.subject,
        at=rfc3339(one.made),
        state=one.state,
        attempts=one.attempts,
        next_attempt=rfc3339(one.due) if waits else None,
        last_attempt=None if one.last is None else rfc3339(one.last),
        attempt=one.said,
    )
