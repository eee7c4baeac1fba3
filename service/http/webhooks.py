"""`/v1/webhooks`: public facts, sent to whoever asked for them (Standard Webhooks)."""

import asyncio
import secrets
from typing import Annotated
from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import PathParameter

from domain.tournament_state import Request
from service.auth.grants import Grant
from service.event_store.store_threads import in_side_thread
from service.http.described import examples, problems
from service.http.guards import ANY_KEY
from service.http.idempotency import remembered
from service.http.parameters import PageLimit, position
from service.http.problems import Failed
from service.http.registrations import ASKING, Asking, check_match, id_text, narrowed
from service.http.responses import SHOWN_ONCE, Answer, created, private
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
from service.notices.channels import ChannelMissing, check_channel, is_channel
from service.notices.public_address import AddressRefused, checked_url
from service.notices.webhook_table import WebhookTable
from service.notices.webhooks import Webhook

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
        webhooks: NamedDependency[WebhookTable],
    ) -> Answer[RegisteredWebhook]:
        """Needs a key: an organiser's for everything, a tournament or a match; any other for what
        it is for. Everything sent is public. The `secret` is shown once. When the key ends, so does
        the webhook. The name in the address is resolved for each notice, and nothing is sent to a
        private network. An address of a person, `mailto:ann@example.org`, is sent messages to read,
        and is shown to nobody again.
        """
        match, tournament = narrowed(asking.grant, data.match, data.tournament)
        await _check_subject(instance, asking.grant, data, match, tournament)
        await _check_address(instance, data.url)

        def new(name: str) -> Webhook:
            return Webhook(
                id=name,
                url=data.url,
                secret=secrets.token_bytes(SECRET_BYTES),
                salt=secrets.token_bytes(SECRET_BYTES),
                kinds=kinds_of(data),
                match=id_text(match),
                tournament=id_text(tournament),
                seat=data.seat,
                remind=data.remind,
                key=asking.key,
                since=instance.clock.now(),
            )

        webhook, repeated = await asking.register(webhooks, once, new, "too_many_webhooks")
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
        seen = await asking.visible(webhooks)
        listed = (shown_fields(each, own=each.key == asking.key) for each in seen)
        return private(WebhookList([ShownWebhook(*fields) for fields in listed]))


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
        chosen = await asking.found(webhooks, webhook, "no_such_webhook")
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
        chosen = await asking.found(webhooks, webhook, "no_such_webhook")
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
        chosen = await asking.found(webhooks, webhook, "no_such_webhook")
        now = instance.clock.now()
        if not await in_side_thread(webhooks.redeliver, chosen.id, notice, now):
            raise Failed("no_such_delivery")


async def _check_subject(
    instance: Instance, grant: Grant, new: NewWebhook, match: UUID | None, tournament: UUID | None
) -> None:
    """Raises Failed for what the key is not for, UnknownMatch, UnknownTournament and
    StoreUnavailable."""
    if match is not None:
        await check_match(instance, grant, match, new.seat)
    elif new.seat is not None:
        raise Failed("no_such_seat", "a seat is one of a match: name that, too")
    elif tournament is not None:
        await instance.tournaments.current(tournament)


async def _check_address(instance: Instance, url: str) -> None:
    """Raises Failed for an address to which nothing is sent."""
    try:
        if is_channel(url):
            await asyncio.to_thread(check_channel, url, instance.settings.notices.smtp)
        else:
            checked_url(url, private=instance.settings.notices.private)
    except AddressRefused as refused:
        raise Failed("address_not_allowed", str(refused)) from None
    except ChannelMissing as missing:
        raise Failed("channel_not_available", str(missing)) from None
