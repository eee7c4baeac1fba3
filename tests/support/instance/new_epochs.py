"""A new epoch of chance after a record, as a rewind will begin one."""

from uuid import UUID

from msgspec.structs import replace

from domain.chance.generator import commit
from domain.events import Record
from domain.match.events import MatchPaused, SeedCommitted
from service.event_store.secret_store import SeedStored
from service.instance import Instance
from tests.support.instance.appended_records import append_records
from tests.support.instance.service_instance import on_record

SEED = SeedStored(1, bytes(32), ())


def begin_epoch(instance: Instance, match_id: UUID) -> None:
    """Pauses the match and commits it to the seed of epoch 1, which is stored before."""
    records, at = on_record(instance, match_id), instance.clock.now()
    first = next(r.event for r in records if isinstance(r.event, SeedCommitted))
    committed = replace(first, epoch=1, commit=commit(str(match_id), 1, SEED.seed))
    instance.secret_store._append(match_id, 2, [SEED])
    behind = [Record(at, 0, MatchPaused()), Record(at, 0, committed)]
    append_records(instance.store, match_id, behind)
