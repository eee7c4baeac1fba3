"""Completes records: what was done to the keys of a match is put on its record, whatever crashed in
between and whichever process did it. The leader does this for all."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from service.auth.keys import Keyring
from service.event_store.digests import RecordAltered
from service.event_store.errors import UnknownMatch
from service.event_store.properties import Properties
from service.event_store.store_threads import in_store_thread

PROPERTY = "key changes"
"""The name of the row among the store's properties: how many changes are on record."""


class KeyRecords:
    """Follows the changes of keys in one store; `complete` puts those of a match on its record."""

    def __init__(
        self,
        keyring: Keyring,
        properties: Properties,
        complete: Callable[[UUID], Awaitable[None]],
    ) -> None:
        self._keyring = keyring
        self._properties = properties
        self._complete = complete
        self._done: int | None = None

    def begin(self) -> None:
        """Begins a term as the leader: how far the records are is read anew, since another leader
        or a restored store may have moved it."""
        self._done = None

    async def follow(self) -> None:
        """Completes the record of every match of which keys were changed since it last did."""
        if self._done is None:
            self._done = await in_store_thread(self._read_done)
        upto, changed = await in_store_thread(self._keyring.changed, self._done)
        for match_id in changed:
            try:
                await self._complete(match_id)
            except (UnknownMatch, RecordAltered):
                # Reported when it was found; nothing is added to a damaged record.
                continue
        if changed:
            await in_store_thread(self._properties.set, PROPERTY, b"%d" % upto)
            self._done = upto

    def _read_done(self) -> int:
        return int(self._properties.get(PROPERTY) or b"0")
