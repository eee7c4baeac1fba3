"""What is registered with a key, webhooks and calendars: who may have what, and who sees whose."""

from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID, uuid4

from litestar.di import NamedDependency, Provide

from domain.tournament.state import KeyedRequest
from service.application.idempotency import RecordRequest
from service.auth.grants import Grant
from service.auth.keyring import KeyReference
from service.event_store.store_threads import in_side_thread
from service.http.access.grants import key_in, viewer_of
from service.http.errors.problems import AnyRequest, Failed
from service.instance import Instance
from service.notices.registrations import Calendar, Registrations, T, Webhook

MOST, MOST_OF_ORGANISER = 20, 100
"""Maximum webhooks, and maximum calendars, of one key; of an organiser's key."""


class Asking(NamedTuple):
    """Someone who asks for notices: what their key allows, and what tells it from other keys."""

    instance: Instance
    grant: Grant
    key: KeyReference

    async def subject(
        self, match: UUID | None, tournament: UUID | None, seat: int | None = None
    ) -> tuple[UUID | None, UUID | None]:
        """The match or the tournament that a webhook or calendar of the key is for, if these were
        asked for. Raises Failed for what the key is not for, UnknownMatch and UnknownTournament."""
        grant = self.grant
        if match is not None and tournament is not None:
            raise Failed("match_or_tournament")
        if grant.match is not None:
            if tournament is not None or match not in (None, grant.match):
                raise Failed("not_allowed")
            match = grant.match
        elif grant.tournament is not None and match is None:
            if tournament not in (None, grant.tournament):
                raise Failed("not_allowed")
            tournament = grant.tournament
        if match is not None:
            await self._check_match(match, seat)
        elif tournament is not None:
            await self.instance.tournaments.current(tournament)
        return match, tournament

    async def _check_match(self, match_id: UUID, seat: int | None) -> None:
        match, grant = (await self.instance.sessions.cached(match_id)).match, self.grant
        if grant.tournament is not None and match.created.tournament != str(grant.tournament):
            raise Failed("not_allowed")
        if seat is None:
            return
        if seat >= match.created.seats:
            raise Failed("no_such_seat")
        own = await viewer_of(self.instance, grant, match_id)
        if grant.role in ("seat", "player") and own != seat:
            raise Failed("not_allowed")

    async def visible(self, table: Registrations[T]) -> list[T]:
        """Those that the key may see: its own, or the service's all. Raises StoreUnavailable."""
        every = await in_side_thread(table.all)
        return [registration for registration in every if self._sees(registration)]

    async def find(self, table: Registrations[T], name: UUID, unknown: str) -> T:
        """The one with this id. Raises Failed if the key may not see one, StoreUnavailable."""
        registration = await in_side_thread(table.find, str(name))
        if registration is None or not self._sees(registration):
            raise Failed(unknown)
        return registration

    async def own(self, table: Registrations[T], name: UUID, unknown: str) -> T:
        """The one with this id, which the key itself has registered. Raises as `found` does."""
        registration = await self.find(table, name, unknown)
        if registration.key != self.key:
            raise Failed(unknown)
        return registration

    async def remove(self, table: Registrations[T], name: UUID, unknown: str) -> None:
        """Removes the one with this id. Raises as `found` does."""
        await in_side_thread(table.remove, (await self.find(table, name, unknown)).id)

    def _sees(self, registration: Webhook | Calendar) -> bool:
        return self.grant.is_service or registration.key == self.key

    async def register(
        self,
        table: Registrations[T],
        request: KeyedRequest | None,
        new: Callable[[str], T],
        full: str,
    ) -> tuple[T, bool]:
        """Adds what `new` makes with an id; once per request. Returns it, and whether the same
        request has added it before. Raises Failed for one too many, StoreUnavailable."""

        async def existing(id_: UUID) -> tuple[T, bool] | None:
            registration = await in_side_thread(table.find, str(id_))
            return None if registration is None else (registration, True)

        async def create(id_: UUID, record_request: RecordRequest) -> tuple[T, bool]:
            own = [
                registration
                for registration in await self.visible(table)
                if registration.key == self.key
            ]
            if len(own) >= (MOST_OF_ORGANISER if self.grant.role == "organiser" else MOST):
                raise Failed(full)
            await record_request()
            registration = new(str(id_))
            await in_side_thread(table.add, registration)
            # Another instance may have added one for the same request at the same moment.
            on_record = await in_side_thread(table.find, str(id_)) or registration
            return on_record, on_record != registration

        return await self.instance.idempotency.once(request, uuid4(), existing, create)


def asking(
    request: AnyRequest, instance: NamedDependency[Instance], grant: NamedDependency[Grant]
) -> Asking:
    """Who asks, for handlers."""
    key = instance.keyring.reference(key_in(request.scope["headers"]) or "")
    return Asking(instance, grant, key)


TheAsking = NamedDependency[Asking]
ASKING = {"asking": Provide(asking, sync_to_thread=False)}
"""What a controller of notices provides."""


def id_text(subject: UUID | None) -> str | None:
    """An id as it is stored."""
    return None if subject is None else str(subject)
