"""The keys of a tournament that exists: replaced, and ended with an office.

They are in the ring of the tournament alone. Its record says who has which office; of one who has
left it a key opens nothing, also before it is ended here.
"""

from functools import partial
from uuid import UUID

from msgspec import UNSET

from domain.people import Actor
from domain.tournament.state import KeyedRequest
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.keys.made_invitations import take_back
from service.application.keys.match_keys import NewKey
from service.auth.keyring import Slot, WantedKey, id_of, new_choice
from service.auth.keys import Keyring
from service.clock import Clock
from service.event_store.store_threads import in_store_thread


class TournamentKeys:
    """Replaces and ends the keys of tournaments."""

    def __init__(self, keyring: Keyring, idempotency: IdempotencyStore, clock: Clock) -> None:
        self._keyring = keyring
        self._clock = clock
        self._idempotency = idempotency

    async def reissue(
        self, tournament: UUID, slot: Slot, name: str, by: Actor, request: KeyedRequest | None
    ) -> NewKey:
        """Ends the keys of a player, a moderator or an organiser, with their streams, and a
        player's open invitation, and issues a key in their place; once per request.

        Raises Refused (`idempotency_key_reused`), RequestInFlight and StoreUnavailable.
        """

        async def find_existing(id_: UUID) -> NewKey | None:
            keys = await in_store_thread(self._keyring.issued, tournament)
            is_known = id_of(id_) in {key.id for key in keys}
            return NewKey(id_of(id_), None) if is_known else None

        async def create(id_: UUID, record_request: RecordRequest) -> NewKey:
            await record_request()
            key_wanted = WantedKey(slot, name, id_of(id_), by)
            player = int(slot[1:]) if slot[0] == "p" else UNSET
            now = self._clock.now()
            also = partial(take_back, player=player, at=now, by=by)
            key = await in_store_thread(self._keyring.reissue, tournament, key_wanted, also)
            return NewKey(key_wanted.id, key)

        return await self._idempotency.once(request, new_choice(), find_existing, create)

    async def end(self, tournament: UUID, slot: Slot) -> None:
        """Ends the keys of someone who has left an office, with their streams. Raises
        StoreUnavailable."""
        await in_store_thread(self._keyring.end_slot, tournament, slot)
