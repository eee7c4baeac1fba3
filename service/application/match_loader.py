"""Reads matches and projections from the store: from a snapshot, or from the first event."""

from uuid import UUID

from domain.creation_notes import BEGINNING, beginning_of
from domain.events import Event, Record
from domain.live import undoes
from domain.log_events import CheckpointSigned
from domain.match_events import MatchCreated
from domain.tournament_events import TournamentCreated
from projections.audience_projection import AudienceProjection
from projections.disclosure import MODERATOR, Viewer, audiences
from projections.lines import checksum
from service.application.chance import check_seed
from service.application.loaded_match import LoadedMatch, from_record, from_snapshot, projected
from service.event_store.checked_records import (
    CheckedRecords,
    decoded,
    own_states,
    read_checked,
)
from service.event_store.digests import (
    DIFFERS,
    DOES_NOT_FOLLOW,
    Digest,
    RecordAltered,
    begun,
    extended,
)
from service.event_store.errors import UnknownMatch
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.snapshots.codec import digest_in
from service.snapshots.snapshotter import Snapshotter, UsableSnapshot

OF_OTHER_STREAMS = TournamentCreated, CheckpointSigned
"""The first events of streams that are no matches."""


class MatchLoader:
    """Reads from one store. Everything here blocks, and raises RecordAltered for a damaged record.

    `snapshotter` finds the snapshots, if there are any.
    """

    def __init__(
        self, store: Store, secret_store: SecretStore, snapshotter: Snapshotter | None
    ) -> None:
        self._store = store
        self._secret_store = secret_store
        self._snapshotter = snapshotter

    def projection(self, match_id: UUID, viewer: Viewer, digest: Digest) -> AudienceProjection:
        """The audience's projection of the records that `digest` covers, folded. Blocks."""
        projection = self._projected(match_id, viewer, digest)
        projection.fold()
        return projection

    def _projected(self, match_id: UUID, viewer: Viewer, digest: Digest) -> AudienceProjection:
        """The same, not folded yet."""
        rows = self._store.rows(match_id, 0, digest.length).rows
        if extended(begun(match_id), rows) != digest:
            raise RecordAltered(match_id, DIFFERS, digest.length)
        checksums = [checksum(row.state) for row in rows]
        return projected(viewer, decoded(match_id, rows, 0), checksums)

    def load(self, match_id: UUID) -> LoadedMatch:
        """The match from its snapshot and the later records, or from its whole record. Blocks."""
        found = None if self._snapshotter is None else self._snapshotter.match(match_id)
        if found is not None:
            records = decoded(match_id, found.rows, found.part.position - 1)
            if not undoes(record.event for record in records[1:]):
                return self._from_snapshot(match_id, found, records)
        read = read_checked(self._store, match_id)
        created = read.records[0].event if read.records else None
        if not isinstance(created, MatchCreated):
            if created is None or isinstance(created, OF_OTHER_STREAMS):
                raise UnknownMatch(match_id)
            raise RecordAltered(match_id, DOES_NOT_FOLLOW, 1)
        secrets = self._secret_store.read(match_id)
        try:
            loaded = from_record(str(match_id), read, secrets)
        except Exception as error:
            raise RecordAltered(match_id, DOES_NOT_FOLLOW) from error
        check_seed(secrets, loaded.match)
        return loaded

    def _from_snapshot(
        self, match_id: UUID, found: UsableSnapshot, records: list[Record[Event]]
    ) -> LoadedMatch:
        """The match from its snapshot; `records` are those from its last one on, and undo nothing
        before them."""
        assert self._snapshotter is not None, "there is a snapshot"
        part, rows, digest = found
        before = part.position - 1
        states = [row.state for row in rows]
        checksums = list(map(checksum, states))
        projections = []
        for viewer in audiences(part.match.created):
            projection = self._snapshotter.projection(match_id, viewer, found)
            if projection is None:
                covered = digest_in(part.position, part.last)
                projection = self._projected(match_id, viewer, covered)
            later = projection.end - before
            projection.read(records[later:], checksums[later:])
            projections.append(projection)
        secrets = self._secret_store.read(match_id)
        read = CheckedRecords(records[1:], states[1:], digest)
        try:
            loaded = from_snapshot(str(match_id), part, read, projections, secrets, records[-1].at)
        except Exception as error:
            raise RecordAltered(match_id, DOES_NOT_FOLLOW) from error
        check_seed(secrets, loaded.match)
        # A snapshot has the checksums of the rows before it.
        (every,) = (one for one in projections if one.viewer == MODERATOR)
        first = own_states(self._store, match_id, every.own_rows(0, BEGINNING))
        loaded.beginning = beginning_of(first)
        return loaded
