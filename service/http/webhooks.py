"""`/v1/webhooks`: public facts, sent to whoever asked for them (Standard Webhooks)."""

import secrets
from typing import Annotated
from uuid import UUID, uuid4

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse

from service.application.idempotency import RecordRequest
from service.event_store.store_threads import in_side_thread
from service.http.access import ANY_KEY
from service.http.context import context
from service.http.idempotency import read_once
from service.http.operation import IDEMPOTENCY_KEY, delete, get, post
from service.http.parameters import PageLimit, QueryParameters, check_names, position
from service.http.problems import AnyRequest, Failed
from service.http.request_body import Body, check_no_body
from service.http.responses import SHOWN_ONCE, created, json, private_headers
from service.http.webhook_access import (
    check_address,
    check_subject,
    found,
    id_text,
    narrowed,
    sender,
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
from service.notices.webhooks import Webhook

MOST = 20
"""Maximum webhooks of one key that is no organiser's."""

SECRET_BYTES = 32


WebhookId = Annotated[UUID, PathParameter(description="The id of the webhook")]
NoticeId = Annotated[str, PathParameter(description="The `webhook-id` of the notice")]

NEW_WEBHOOK = Body(
    NewWebhook,
    {"cup": {"url": "https://bots.example/arbiter", "kinds": ["tournament"]}},
)


class DeliveriesQuery(QueryParameters, frozen=True):
    """Which of them."""

    after: Annotated[int, position("Behind this number")] = 0
    limit: PageLimit = 100


class WebhooksController(Controller):
    """Registering and listing."""

    path = "/v1/webhooks"
    tags = ("notices",)

    @post(
        operation_id="registerWebhook",
        summary="Register a webhook",
        security=ANY_KEY,
        answer=RegisteredWebhook,
        body=NEW_WEBHOOK,
        headers=[IDEMPOTENCY_KEY],
        errors="not_allowed no_such_match no_such_tournament no_such_seat too_many_webhooks "
        "request_in_flight record_altered address_not_allowed channel_not_available "
        "match_or_tournament idempotency_key_reused",
    )
    async def register(self, request: AnyRequest) -> ASGIResponse:
        """Needs a key: an organiser's for everything, a tournament or a match; any other for what
        it is for. Everything sent is public. The `secret` is shown once. When the key ends, so does
        the webhook. The name in the address is resolved for each notice, and nothing is sent to a
        private network. An address of a person, `mailto:ann@example.org`, is sent messages to read,
        and is shown to nobody again.
        """
        instance = context(request).instance
        grant, registrant = await sender(request)
        new, once = await read_once(request, NEW_WEBHOOK)
        match, tournament = narrowed(grant, new.match, new.tournament)
        await check_subject(instance, grant, new, match, tournament)
        await check_address(instance, new.url)

        async def existing(chosen: UUID) -> tuple[Webhook, bool] | None:
            webhook = await in_side_thread(instance.webhooks.find, str(chosen))
            return None if webhook is None else (webhook, True)

        async def create(chosen: UUID, record_request: RecordRequest) -> tuple[Webhook, bool]:
            own = [own for _, own in (await visible(request)).values() if own]
            if len(own) >= MOST and grant.role != "organiser":
                raise Failed("too_many_webhooks")
            await record_request()
            webhook = Webhook(
                str(chosen), new.url, secrets.token_bytes(SECRET_BYTES),
                secrets.token_bytes(SECRET_BYTES), kinds_of(new), id_text(match),
                id_text(tournament), new.seat, new.remind, registrant, instance.clock.now(),
            )  # fmt: skip
            await in_side_thread(instance.webhooks.add, webhook)
            return webhook, False

        webhook, repeated = await instance.idempotency.once(once, uuid4(), existing, create)
        return created(
            registered(webhook, repeated=repeated), repeated=repeated, headers=SHOWN_ONCE
        )

    @get(
        operation_id="listWebhooks",
        summary="The webhooks of a key",
        security=ANY_KEY,
        answer=WebhookList,
        errors="bad_request",
    )
    async def list_webhooks(self, request: AnyRequest) -> ASGIResponse:
        """Those that the key registered; an organiser sees all, of others the host alone. People's
        addresses are shown to nobody in full."""
        check_names(request, QueryParameters())
        seen = (await visible(request)).values()
        listed = [ShownWebhook(*shown_fields(each, own=own)) for each, own in seen]
        return json(WebhookList(listed), 200, private_headers())


class WebhookController(Controller):
    """One webhook, and what was sent to it."""

    path = "/v1/webhooks/{webhook:uuid}"
    tags = ("notices",)

    @delete(
        operation_id="removeWebhook",
        summary="Remove a webhook",
        security=ANY_KEY,
        errors="no_such_webhook bad_request wrong_shape",
    )
    async def remove(self, request: AnyRequest, webhook: WebhookId) -> None:
        """Its address and what was sent to it are deleted; nothing more is sent."""
        await check_no_body(request)
        chosen = await found(request, webhook)
        await in_side_thread(context(request).instance.webhooks.remove, chosen.id)

    @get(
        "/deliveries",
        operation_id="listDeliveries",
        summary="What was sent to a webhook",
        security=ANY_KEY,
        answer=DeliveryPage,
        query=DeliveriesQuery,
        errors="no_such_webhook",
    )
    async def list_deliveries(
        self,
        request: AnyRequest,
        webhook: WebhookId,
        parameters: NamedDependency[DeliveriesQuery],
    ) -> ASGIResponse:
        """Of the last seven days, and what waits."""
        check_names(request, parameters)
        chosen, (after, limit) = await found(request, webhook), (parameters.after, parameters.limit)
        webhooks = context(request).instance.webhooks
        sent = await in_side_thread(webhooks.deliveries, chosen.id, after, limit + 1)
        return json(shown_deliveries(sent, limit), 200, private_headers())

    @post(
        "/deliveries/{notice:str}/redeliver",
        operation_id="redeliver",
        summary="Send a notice once more",
        status_code=202,
        security=ANY_KEY,
        errors="no_such_webhook no_such_delivery bad_request wrong_shape",
    )
    async def redeliver(self, request: AnyRequest, webhook: WebhookId, notice: NoticeId) -> None:
        """With the same `webhook-id`. One that waits already goes on waiting. A reminder that is no
        longer true is not sent again: 404."""
        await check_no_body(request)
        chosen = await found(request, webhook)
        instance = context(request).instance
        now = instance.clock.now()
        if not await in_side_thread(instance.webhooks.redeliver, chosen.id, notice, now):
            raise Failed("no_such_delivery")
