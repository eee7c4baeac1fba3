"""Reads matches from the store, and what an audience knows of one."""

from collections.abc import Callable, Collection
from typing import TypeVar
from uuid import UUID

from domain.encoding import decode_all
from domain.events import Event, Record
from domain.match_events import MatchCreated
from projections.audience_projection import OwnRows
from projections.disclosure import Viewer
from projections.seen import SeenChains
from service.application.chance import check_seed
from service.application.loaded_match import LoadedMatch, from_record
from service.application.told_chains import chains_of
from service.event_store.checked_records import own_states, read_checked
from service.event_store.digests import DOES_NOT_FOLLOW, RecordAltered
from service.event_store.errors import UnknownMatch
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.event_store.stream_ids import MATCH, among

T = TypeVar("T")


class MatchLoader:
    """Reads from one store. All of it blocks, and raises RecordAltered for a damaged record."""

    def __init__(self, store: Store, secret_store: SecretStore) -> None:
        self._store = store
        self._secret_store = secret_store

    def own(self, match_id: UUID, rows: OwnRows, read: Callable[[list[Record[Event]]], T]) -> T:
        """What is read from an audience's own records, and no others."""
        return read(decode_all(own_states(self._store, match_id, rows)))

    def told(self, match_id: UUID, loaded: LoadedMatch, length: int) -> SeenChains:
        """What the receipts of the match bind after its first `length` events."""
        read = read_checked(self._store, match_id)
        key, created = loaded.secrets.log_key, loaded.match.created
        return chains_of(loaded.name, key, created, read.records[:length], read.states[:length])

    def load(
        self, match_id: UUID, viewers: Collection[Viewer], *, receipts: bool = False
    ) -> LoadedMatch:
        """The match from its whole record, with what these audiences know of it, and with what its
        `receipts` bind if they are wanted."""
        read = read_checked(self._store, among(MATCH, match_id))
        created = read.records[0].event if read.records else None
        if not isinstance(created, MatchCreated):
            if created is None:
                raise UnknownMatch(match_id)
            raise RecordAltered(match_id, DOES_NOT_FOLLOW, 1)
        secrets = self._secret_store.read(match_id)
        try:
            loaded = from_record(str(match_id), read, secrets, viewers, receipts=receipts)
        except Exception as error:
            raise RecordAltered(match_id, DOES_NOT_FOLLOW) from error
        check_seed(secrets, loaded.match)
        return loaded
