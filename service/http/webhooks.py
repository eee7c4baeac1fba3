"""`/v1/webhooks`: public facts, sent to whoever asked for them (Standard Webhooks)."""

import secrets
from typing import Annotated, NamedTuple
from uuid import UUID, uuid4

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import PathParameter

from domain.tournament_state import Request
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.event_store.store_threads import in_side_thread
from service.http.described import examples, problems
from service.http.guards import ANY_KEY
from service.http.idempotency import remembered
from service.http.parameters import PageLimit, position
from service.http.problems import Failed
from service.http.responses import SHOWN_ONCE, Answer, created, private
from service.http.webhook_access import (
    ASKING,
    Asking,
    check_address,
    check_subject,
    found,
    id_text,
    narrowed,
    visible,
)
from service.http.webhook_schemas import (
    DeliveryPage,
    NewWebhook,
    RegisteredWebhook,
    ShownWebhook,
    WebhookList,
    kinds_of,
    registered,
    shown_deliveries,
    shown_fields,
)
from service.instance import Instance
from service.notices.webhook_table import WebhookTable
from service.notices.webhooks import Webhook

MOST = 20
"""Maximum webhooks of one key that is no organiser's."""

SECRET_BYTES = 32

WebhookId = Annotated[UUID, PathParameter(description="The id of the webhook")]
NoticeId = Annotated[str, PathParameter(description="The `webhook-id` of the notice")]
AfterNumber = Annotated[int, position("Behind this number")]

NEW_WEBHOOK = examples({"cup": {"url": "https://bots.example/arbiter", "kinds": ["tournament"]}})


class WebhooksController(Controller):
    """Registering and listing."""

    path = "/v1/webhooks"
    tags = ("notices",)
    dependencies = ASKING

    @post(
        operation_id="registerWebhook",
        summary="Register a webhook",
        guards=[ANY_KEY],
        opt=problems(
            "not_allowed no_such_match no_such_tournament no_such_seat too_many_webhooks "
            "record_altered address_not_allowed channel_not_available match_or_tournament"
        ),
    )
    async def register(
        self,
        data: Annotated[NewWebhook, NEW_WEBHOOK],
        asking: NamedDependency[Asking],
        once: NamedDependency[Request | None],
        instance: NamedDependency[Instance],
        idempotency: NamedDependency[IdempotencyStore],
    ) -> Answer[RegisteredWebhook]:
        """Needs a key: an organiser's for everything, a tournament or a match; any other for what
        it is for. Everything sent is public. The `secret` is shown once. When the key ends, so does
        the webhook. The name in the address is resolved for each notice, and nothing is sent to a
        private network. An address of a person, `mailto:ann@example.org`, is sent messages to read,
        and is shown to nobody again.
        """
        match, tournament = narrowed(asking.grant, data.match, data.tournament)
        await check_subject(instance, asking.grant, data, match, tournament)
        await check_address(instance, data.url)
        new = _Registration(instance, asking, data, match, tournament)
        webhook, repeated = await idempotency.once(once, uuid4(), new.existing, new.create)
        answer = registered(webhook, repeated=repeated)
        return created(answer, repeated=repeated, headers=SHOWN_ONCE)

    @get(
        operation_id="listWebhooks",
        summary="The webhooks of a key",
        guards=[ANY_KEY],
    )
    async def list_webhooks(
        self, asking: NamedDependency[Asking], webhooks: NamedDependency[WebhookTable]
    ) -> Answer[WebhookList]:
        """Those that the key registered; an organiser sees all, of others the host alone. People's
        addresses are shown to nobody in full."""
        seen = (await visible(webhooks, asking)).values()
        listed = [ShownWebhook(*shown_fields(each, own=own)) for each, own in seen]
        return private(WebhookList(listed))


class WebhookController(Controller):
    """One webhook, and what was sent to it."""

    path = "/v1/webhooks/{webhook:uuid}"
    tags = ("notices",)
    dependencies = ASKING

    @delete(
        operation_id="removeWebhook",
        summary="Remove a webhook",
        guards=[ANY_KEY],
        opt=problems("no_such_webhook"),
    )
    @remembered()
    async def remove(
        self,
        webhook: WebhookId,
        asking: NamedDependency[Asking],
        webhooks: NamedDependency[WebhookTable],
    ) -> None:
        """Its address and what was sent to it are deleted; nothing more is sent."""
        chosen = await found(webhooks, asking, webhook)
        await in_side_thread(webhooks.remove, chosen.id)

    @get(
        "/deliveries",
        operation_id="listDeliveries",
        summary="What was sent to a webhook",
        guards=[ANY_KEY],
        opt=problems("no_such_webhook"),
    )
    async def list_deliveries(
        self,
        webhook: WebhookId,
        asking: NamedDependency[Asking],
        webhooks: NamedDependency[WebhookTable],
        after: AfterNumber = 0,
        limit: PageLimit = 100,
    ) -> Answer[DeliveryPage]:
        """Of the last seven days, and what waits."""
        chosen = await found(webhooks, asking, webhook)
        sent = await in_side_thread(webhooks.deliveries, chosen.id, after, limit + 1)
        return private(shown_deliveries(sent, limit))

    @post(
        "/deliveries/{notice:str}/redeliver",
        operation_id="redeliver",
        summary="Send a notice once more",
        status_code=202,
        guards=[ANY_KEY],
        opt=problems("no_such_webhook no_such_delivery"),
    )
    @remembered(status=202)
    async def redeliver(
        self,
        webhook: WebhookId,
        notice: NoticeId,
        asking: NamedDependency[Asking],
        webhooks: NamedDependency[WebhookTable],
        instance: NamedDependency[Instance],
    ) -> None:
        """With the same `webhook-id`. One that waits already goes on waiting. A reminder that is no
        longer true is not sent again: 404."""
        chosen = await found(webhooks, asking, webhook)
        now = instance.clock.now()
        if not await in_side_thread(webhooks.redeliver, chosen.id, notice, now):
            raise Failed("no_such_delivery")


class _Registration(NamedTuple):
    """What somebody asks to be sent: about a match, a tournament, or everything."""

    instance: Instance
    asking: Asking
    new: NewWebhook
    match: UUID | None
    tournament: UUID | None

    async def existing(self, chosen: UUID) -> tuple[Webhook, bool] | None:
        """The webhook that the same request has registered before, and that it has."""
        webhook = await in_side_thread(self.instance.webhooks.find, str(chosen))
        return None if webhook is None else (webhook, True)

    async def create(self, chosen: UUID, record_request: RecordRequest) -> tuple[Webhook, bool]:
        """The new webhook, and that it is new. Raises Failed for one too many."""
        webhooks, new = self.instance.webhooks, self.new
        own = [own for _, own in (await visible(webhooks, self.asking)).values() if own]
        if len(own) >= MOST and not self.asking.organises:
            raise Failed("too_many_webhooks")
        await record_request()
        webhook = Webhook(
            str(chosen), new.url, secrets.token_bytes(SECRET_BYTES),
            secrets.token_bytes(SECRET_BYTES), kinds_of(new), id_text(self.match),
            id_text(self.tournament), new.seat, new.remind, self.asking.key,
            self.instance.clock.now(),
        )  # fmt: skip
        await in_side_thread(webhooks.add, webhook)
        return webhook, False
