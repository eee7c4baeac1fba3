"""The snapshot builder: folds a match, and the state of each of its audiences, in batches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self
from uuid import UUID

from domain.events import Event, Record
from domain.games import rules_of
from domain.live import undoes
from domain.match_events import DrawSettled, MatchCreated, SealedDrawSettled, SeedCommitted
from domain.match_state import AnyGame, Match
from domain.replay import continued, replayed
from projections.audience_projection import AudienceProjection
from projections.disclosure import Viewer, audiences
from projections.submissions import Answers, remember
from service.snapshots.codec import (
    MATCH_PART,
    MatchSnapshot,
    UnusableSnapshot,
    part_name,
    verified_audience,
    verified_match,
)
from service.snapshots.idempotency_index import IdempotencyIndex, with_answers

History = Callable[[int], Sequence[Record[Event]]]
"""The first records of a match, up to a position."""


def no_history(upto: int) -> Sequence[Record[Event]]:
    """For a record that undoes nothing."""
    raise AssertionError(f"the first {upto} records are needed")


class SnapshotBuilder:
    """The fold of the first `position` events of a match: the match, and one projection for each
    audience. Where something is undone the fold begins anew, from its `history`."""

    def __init__(self, match_id: UUID, history: History = no_history) -> None:
        self.match_id = match_id
        self._history = history
        self.position = 0
        self.last = b""
        self.projections: dict[Viewer, AudienceProjection] = {}
        self._game: AnyGame | None = None
        self._match: Match | None = None
        self._draws: set[str] = set()
        self._index = IdempotencyIndex()
        self._new_answers: Answers = {}

    @classmethod
    def from_snapshot(
        cls, match_id: UUID, part: MatchSnapshot, history: History = no_history
    ) -> Self:
        """A builder that continues from the match's part. Its projections are still empty."""
        builder = cls(match_id, history)
        builder.position, builder.last = part.position, part.last
        builder._game, builder._match = rules_of(part.match.created), part.match
        builder._draws, builder._index = set(part.draws), part.answers
        builder.projections = {
            viewer: AudienceProjection(viewer) for viewer in audiences(part.match.created)
        }
        return builder

    def add(
        self,
        records: Sequence[Record[Event]],
        checksums: Sequence[int],
        last: bytes,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """Folds the next records, which must be whole commands and are stored with these checksums.
        `last` is the mark of the record after them; `pause` is called before each projection."""
        phase = None if self._match is None else self._match.awaiting.phase
        remember(self._new_answers, records, self.position, phase)
        events = [record.event for record in records]
        note_draws(self._draws, events)
        history: Sequence[Record[Event]] = ()
        if self.position and undoes(events):
            history = self._history(self.position + len(records))
        self._fold(history or records, anew=bool(history))
        for projection in self.projections.values():
            pause()
            projection.read(records, checksums, history)
            projection.fold()
        self.position += len(records)
        self.last = last

    def parts(self) -> Iterator[tuple[str, bytes]]:
        """The parts of the snapshot by name, as verified bytes. Raises UnusableSnapshot if a part
        does not decode to what was encoded."""
        for viewer, projection in self.projections.items():
            yield part_name(viewer), verified_audience(self.last, projection)
        yield MATCH_PART, verified_match(self.match_part())

    def match_part(self) -> MatchSnapshot:
        """The match's part."""
        assert self._match is not None, "records have been added"
        answers = with_answers(self._index, self._new_answers)
        return MatchSnapshot(self.position, self.last, self._match, frozenset(self._draws), answers)

    def _fold(self, records: Sequence[Record[Event]], *, anew: bool) -> None:
        if self._game is not None and self._match is not None and not anew:
            self._match = continued(self._game, self._match, records)
            return
        created = records[0].event
        if not isinstance(created, MatchCreated):
            raise UnusableSnapshot
        self._game, self._match = replayed(str(self.match_id), records)
        if not self.projections:
            self.projections = {viewer: AudienceProjection(viewer) for viewer in audiences(created)}


def note_draws(draws: set[str], events: Iterable[Event]) -> None:
    """Adds the ids of the draws settled by these events; with a new epoch ids begin anew."""
    for event in events:
        if isinstance(event, SeedCommitted):
            draws.clear()
        elif isinstance(event, DrawSettled | SealedDrawSettled):
            draws.add(event.id)
