"""Who may register a webhook for what, and whose webhooks a key may see."""

import asyncio
from typing import NamedTuple
from uuid import UUID

from litestar.di import NamedDependency, Provide

from service.auth.grants import Grant
from service.auth.key_form import KeyReference
from service.event_store.store_threads import in_side_thread
from service.http.grants import key_in, viewer_of
from service.http.match_lookup import cached_match
from service.http.problems import AnyRequest, Failed
from service.http.webhook_schemas import NewWebhook
from service.instance import Instance
from service.notices.channels import ChannelMissing, check_channel, is_channel
from service.notices.public_address import AddressRefused, checked_url
from service.notices.webhook_table import WebhookTable
from service.notices.webhooks import Webhook


class Asking(NamedTuple):
    """Somebody who asks for notices: what their key allows, and what tells it from other keys."""

    grant: Grant
    key: KeyReference

    @property
    def organises(self) -> bool:
        """Whether it is an organiser, who sees what others have asked for, and may ask for more."""
        return self.grant.role == "organiser"


def asking(
    request: AnyRequest, instance: NamedDependency[Instance], grant: NamedDependency[Grant]
) -> Asking:
    """Who asks, for handlers."""
    key = key_in(request.scope["headers"]) or ""
    return Asking(grant, instance.keyring.reference(key))


ASKING = {"asking": Provide(asking, sync_to_thread=False)}
"""What a controller of notices provides."""


def narrowed(
    grant: Grant, match: UUID | None, tournament: UUID | None
) -> tuple[UUID | None, UUID | None]:
    """The match or the tournament that a webhook or calendar of this key is for, if these were
    asked for. Raises Failed if the key is for another one."""
    if match is not None and tournament is not None:
        raise Failed("match_or_tournament")
    if grant.match is not None:
        if tournament is not None or match not in (None, grant.match):
            raise Failed("not_allowed")
        return grant.match, None
    if grant.tournament is not None and match is None:
        if tournament not in (None, grant.tournament):
            raise Failed("not_allowed")
        return None, grant.tournament
    return match, tournament


def id_text(subject: UUID | None) -> str | None:
    """An id as it is stored."""
    return None if subject is None else str(subject)


async def check_subject(
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


async def check_match(
    instance: Instance, grant: Grant, match_id: UUID, seat: int | None = None
) -> None:
    """Raises Failed for a match or a seat that the key is not for, and UnknownMatch."""
    match = await cached_match(instance, match_id)
    if grant.tournament is not None and match.created.tournament != str(grant.tournament):
        raise Failed("not_allowed")
    if seat is None:
        return
    if seat >= match.created.seats:
        raise Failed("no_such_seat")
    if grant.role in ("seat", "player") and await viewer_of(instance, grant, match_id) != seat:
        raise Failed("not_allowed")


async def check_address(instance: Instance, url: str) -> None:
    """Raises Failed for an address to which nothing is sent."""
    try:
        if is_channel(url):
            await asyncio.to_thread(check_channel, url, instance.settings.smtp)
        else:
            checked_url(url, private=instance.settings.private_webhooks)
    except AddressRefused as refused:
        raise Failed("address_not_allowed", str(refused)) from None
    except ChannelMissing as missing:
        raise Failed("channel_not_available", str(missing)) from None


async def visible(webhooks: WebhookTable, asking: Asking) -> dict[str, tuple[Webhook, bool]]:
    """The webhooks that the key may see, by id, each with whether it is the key's own: organisers
    see all. Raises StoreUnavailable."""
    every = await in_side_thread(webhooks.all)
    shown = {each.id: (each, each.key == asking.key) for each in every}
    return {name: (each, own) for name, (each, own) in shown.items() if own or asking.organises}


async def found(webhooks: WebhookTable, asking: Asking, webhook_id: UUID) -> Webhook:
    """The webhook, if the key may see it. Raises Failed and StoreUnavailable."""
    shown = (await visible(webhooks, asking)).get(str(webhook_id))
    if shown is None:
        raise Failed("no_such_webhook")
    return shown[0]
