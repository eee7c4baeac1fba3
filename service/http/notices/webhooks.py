"""`/v1/webhooks`: public facts, sent to those who asked for them (Standard Webhooks)."""

import secrets
from typing import Annotated, get_args
from urllib.parse import urlsplit
from uuid import UUID

from litestar import Controller
from litestar.params import PathParameter
from msgspec import Meta, Struct, convert
from msgspec.structs import asdict

from projections.fields import Next, Seat, Timestamp, rfc3339
from service.event_store.store_threads import in_side_thread
from service.http.access.guards import ANY_KEY
from service.http.description.routing import delete, examples, get, post, problems
from service.http.description.schema_form import EXTENSIBLE
from service.http.errors.problems import Failed
from service.http.notices.registrations import ASKING, TheAsking, id_text
from service.http.requests.dependencies import Once, PageLimit, position
from service.http.requests.responses import Answer, created, private
from service.notices.notices import Kind
from service.notices.public_address import MAX_URL, AddressRefused, checked_url
from service.notices.registrations import Delivery, State, Webhook

SECRET_BYTES = 32

WebhookId = Annotated[UUID, PathParameter(description="The id of the webhook")]
AfterNumber = Annotated[int, position("Behind this number")]

NEW_WEBHOOK = examples({"cup": {"url": "https://bots.example/arbiter", "kinds": ["tournament"]}})

KINDS: tuple[Kind, ...] = get_args(Kind)

HOUR, WEEK = 3_600, 7 * 24 * 3_600

Address = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_URL,
        description="An https address on the public network",
        examples=["https://bots.example/arbiter"],
    ),
]
Kinds = Annotated[tuple[Kind, ...], Meta(min_length=1, max_length=len(KINDS))]
ShownKind = Annotated[Kind, Meta(extra_json_schema=EXTENSIBLE)]
Before = Annotated[
    int, Meta(ge=60, le=WEEK, description="Seconds before a deadline; a reminder is sent then")
]


PUSHED: tuple[Kind, ...] = ("awaiting",)
"""What a browser is told by default."""


class NewWebhook(Struct, frozen=True, forbid_unknown_fields=True):
    """An address and what is sent to it: of one match, of one tournament with its matches, or
    without either of all that the key is for. `seat` chooses whose deadlines it is reminded of.
    Without `kinds` it is sent everything. With `push` the address is that of a browser's Web Push
    subscription (RFC 8030), made with the `push_key`: it is sent an empty message when it is the
    turn of `seat`."""

    url: Address
    kinds: Kinds | None = None
    match: UUID | None = None
    tournament: UUID | None = None
    seat: Annotated[int, Meta(ge=0)] | None = None
    remind: Before = HOUR
    push: Annotated[bool, Meta(description="The address is a browser's subscription")] = False


class ShownWebhook(Struct, frozen=True):
    """A webhook. An organiser is shown no more than the host of others' addresses."""

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
    push: Annotated[bool, Meta(description="A browser is sent empty messages at its seat's turn")]


class RegisteredWebhook(ShownWebhook, frozen=True):
    """A new webhook, and the secret that signs what is sent to it. It is shown once: null in the
    answer to a repeated request."""

    secret: str | None


class WebhookList(Struct, frozen=True):
    """Webhooks, in the order in which they were registered; and the key with which a browser
    subscribes (its `applicationServerKey`)."""

    webhooks: list[ShownWebhook]
    push_key: Annotated[str, Meta(description="What a browser subscribes with, in base64url")]


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


class WebhooksController(Controller):
    """Webhooks, and what was sent to them."""

    path = "/v1/webhooks"
    tags = ("notices",)
    dependencies = ASKING

    @post(
        summary="Register a webhook",
        guards=[ANY_KEY],
        opt=problems(
            "not_allowed no_such_match no_such_tournament no_such_seat too_many_webhooks "
            "record_altered address_not_allowed match_or_tournament"
        ),
    )
    async def register_webhook(
        self, data: Annotated[NewWebhook, NEW_WEBHOOK], asking: TheAsking, once: Once
    ) -> Answer[RegisteredWebhook]:
        """Needs a key: an organiser's for everything, a tournament or a match; any other for what
        it is for. Everything sent is public, but for `submission_invalid`, which the seat's own key
        or its player's is needed for. The `secret` is shown once. When the key ends, so does the
        webhook. The name in the address is resolved for each notice, and nothing is sent to a
        private network.
        """
        match, tournament = await asking.subject(data.match, data.tournament, data.seat)
        if match is None and data.seat is not None:
            raise Failed("no_such_seat", "a seat is one of a match: name that, too")
        if data.push and data.seat is None:
            raise Failed("no_such_seat", "a browser is told of the turn of a seat: name that, too")
        try:
            checked_url(data.url, private=asking.instance.settings.private_webhooks)
        except AddressRefused as refused:
            raise Failed("address_not_allowed", str(refused)) from None

        def new(name: str) -> Webhook:
            return Webhook(
                id=name,
                url=data.url,
                secret=secrets.token_bytes(SECRET_BYTES),
                salt=secrets.token_bytes(SECRET_BYTES),
                kinds=tuple(dict.fromkeys(data.kinds or (PUSHED if data.push else KINDS))),
                match=id_text(match),
                tournament=id_text(tournament),
                seat=data.seat,
                remind=data.remind,
                key=asking.key,
                since=asking.instance.clock.now(),
                push=data.push,
            )

        webhook, repeated = await asking.register(
            asking.instance.webhooks, once, new, "too_many_webhooks"
        )
        secret = None if repeated else webhook.shown_secret
        answer = RegisteredWebhook(**asdict(_shown_webhook(webhook, own=True)), secret=secret)
        return created(answer, repeated=repeated)

    @get(summary="The webhooks of a key", guards=[ANY_KEY])
    async def list_webhooks(self, asking: TheAsking) -> Answer[WebhookList]:
        """Those that the key registered; an organiser sees all, of others the host alone."""
        webhooks = await asking.visible(asking.instance.webhooks)
        rows = [_shown_webhook(webhook, own=webhook.key == asking.key) for webhook in webhooks]
        push_key = await in_side_thread(asking.instance.push_key)
        return private(WebhookList(rows, push_key.public))

    @delete(
        "/{webhook:uuid}",
        summary="Remove a webhook",
        guards=[ANY_KEY],
        opt=problems("no_such_webhook"),
    )
    async def remove_webhook(self, webhook: WebhookId, asking: TheAsking) -> None:
        """Its address and what was sent to it are deleted; nothing more is sent."""
        await asking.remove(asking.instance.webhooks, webhook, "no_such_webhook")

    @get(
        "/{webhook:uuid}/deliveries",
        summary="What was sent to a webhook",
        guards=[ANY_KEY],
        opt=problems("no_such_webhook"),
    )
    async def list_deliveries(
        self, webhook: WebhookId, asking: TheAsking, after: AfterNumber = 0, limit: PageLimit = 100
    ) -> Answer[DeliveryPage]:
        """Of the last seven days, and what waits. Only the key that registered it sees that: it may
        be for its seat alone."""
        webhooks = asking.instance.webhooks
        own_webhook = await asking.own(webhooks, webhook, "no_such_webhook")
        deliveries = await in_side_thread(webhooks.deliveries, own_webhook.id, after, limit + 1)
        # With one too many, another page follows.
        following = deliveries[limit - 1].number if len(deliveries) > limit else None
        return private(
            DeliveryPage([_show(delivery) for delivery in deliveries[:limit]], following)
        )


def _shown_webhook(webhook: Webhook, *, own: bool) -> ShownWebhook:
    """A webhook as the one who registered it sees it, or an organiser."""
    url = webhook.url
    if not own:
        parts = urlsplit(url)
        url = f"{parts.scheme}://{parts.hostname}"
    return convert(asdict(webhook) | {"url": url, "since": rfc3339(webhook.since)}, ShownWebhook)


def _show(delivery: Delivery) -> ShownDelivery:
    fields = {
        "about": delivery.subject,
        "at": rfc3339(delivery.made),
        "next_attempt": rfc3339(delivery.due) if delivery.state == "waiting" else None,
        "last_attempt": None if delivery.last is None else rfc3339(delivery.last),
        "attempt": delivery.said,
    }
    return convert(asdict(delivery) | fields, ShownDelivery)
