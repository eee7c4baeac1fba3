"""A match in memory: its state, the end of its record, and a projection for each audience."""

from collections.abc import Collection, Iterable, Sequence

from domain.encoding import decode_all
from domain.events import Event, Record
from domain.games import rules_of
from domain.match_events import DrawSettled, SealedDrawSettled, SeedCommitted
from domain.match_state import AnyGame, Match, fold
from domain.replay import draw_name, replayed
from projections.audience_projection import BYTES_A_POSITION, AudienceProjection
from projections.disclosure import Viewer, may_see
from projections.submissions import Answered, Answers, remember
from service.event_store.secret_store import MatchSecrets
from service.observability import logs
from service.snapshots.codec import MatchSnapshot
from service.snapshots.idempotency_index import IdempotencyIndex

RECENT_RECORDS = 1_000
"""Minimum number of records of a match that stay in memory; the maximum is twice as many."""

RECORD_BYTES, ANSWER_BYTES, READER_BYTES = 300, 250, 1_536
"""Approximate memory of a record, an answer and a projection, measured with every game."""

Records = Sequence[Record[Event]]

NO_ANSWERS = IdempotencyIndex()


class LoadedMatch:
    """A match as committed.

    `earlier` has the answers up to the snapshot at position `snapshot`, `answers` the later ones.
    `recent` has the records after position `recent_start`. `drawn` names the draws settled in the
    latest epoch.
    """

    __slots__ = (
        "answers", "at", "drawn", "earlier", "game", "length", "match", "name", "projections",
        "recent", "recent_start", "secrets", "snapshot",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        game: AnyGame,
        match: Match,
        secrets: MatchSecrets,
        records: Records = (),
        *,
        before: int = 0,
        answers: Answers | None = None,
        drawn: Iterable[str] = (),
        earlier: IdempotencyIndex = NO_ANSWERS,
        snapshot: int = 0,
    ) -> None:
        """`records` are those after the first `before` ones."""
        self.name = name
        self.game = game
        self.match = match
        self.secrets = secrets
        self.answers: Answers = {} if answers is None else answers
        self.earlier = earlier
        self.snapshot = snapshot
        self.drawn = set(drawn)
        self.projections: dict[Viewer, AudienceProjection] = {}
        self.length = before + len(records)
        self.at = records[-1].at if records else 0
        self.recent_start = max(before, self.length - RECENT_RECORDS)
        self.recent = list(records[self.recent_start - before :])

    def answered(self, seat: int, key: str) -> Answered | None:
        """The first answer that the seat got under this idempotency key, if any."""
        return self.earlier.find(seat, key) or self.answers.get((seat, key))

    def extend(
        self, match: Match, records: Records, answers: Answers, drawn: Collection[str]
    ) -> None:
        """Adds what has just been committed on this instance."""
        self.match = match
        self.length += len(records)
        self.at = records[-1].at
        self.recent += records
        self.answers.update(answers)
        self.drawn.update(drawn)

    def follow(self, records: Records) -> bool:
        """Adds what another instance has recorded next. Returns False if that includes a new seed:
        seeds are in another table, so the match must be loaded again."""
        events = [record.event for record in records]
        if any(isinstance(event, SeedCommitted) for event in events):
            return False
        remember(self.answers, records, self.length, self.match.awaiting.phase)
        self.match = fold(self.game, self.match, events)
        self.drawn |= _drawn_in(self.match, events)
        self.length += len(records)
        self.at = records[-1].at
        self.recent += records
        return True

    def trim(self) -> None:
        """Drops old records. A projection whose board fails is dropped, too, and its next reader
        gets the error."""
        if len(self.recent) <= 2 * RECENT_RECORDS:
            return
        for viewer, projection in list(self.projections.items()):
            try:
                self.advance(projection)
            except Exception as fault:  # noqa: BLE001  a board may raise anything
                del self.projections[viewer]
                logs.failure("reading_failed", fault, match=self.name)
        del self.recent[:-RECENT_RECORDS]
        self.recent_start = self.length - RECENT_RECORDS

    def advance(self, projection: AudienceProjection, upto: int | None = None) -> None:
        """Brings a projection forward to position `upto`, by default to the end of the record."""
        end = self.length if upto is None else upto
        if projection.end < end:
            projection.read(
                self.recent[projection.end - self.recent_start : end - self.recent_start]
            )

    def seen(self, projection: AudienceProjection) -> int:
        """The number of events that its audience may see, whether or not they are folded yet."""
        unread = self.recent[projection.end - self.recent_start :]
        viewer = projection.state.viewer
        return projection.state.seq + sum(may_see(viewer, record.event) for record in unread)

    def projection(self, viewer: Viewer) -> AudienceProjection | None:
        """The audience's projection, or None if the records in memory do not reach back far
        enough."""
        projection = self.projections.get(viewer)
        if projection is None and self.recent_start == 0:
            projection = self.projections[viewer] = AudienceProjection(viewer)
        return projection

    def records(self, positions: Sequence[int]) -> Records | None:
        """The records at these ascending positions, if they are in memory."""
        if positions[0] <= self.recent_start:
            return None
        return [self.recent[position - self.recent_start - 1] for position in positions]

    @property
    def weight(self) -> int:
        """Its approximate memory, in bytes."""
        return (
            RECORD_BYTES * len(self.recent)
            + ANSWER_BYTES * len(self.answers)
            + self.earlier.size
            + (READER_BYTES + self.length * BYTES_A_POSITION) * len(self.projections)
        )


def from_record(name: str, records: Records, secrets: MatchSecrets) -> LoadedMatch:
    """A match from its whole record."""
    game, match = replayed(name, records)
    answers: Answers = {}
    remember(answers, records)
    drawn = _drawn_in(match, [record.event for record in records])
    return LoadedMatch(name, game, match, secrets, records, answers=answers, drawn=drawn)


def from_snapshot(
    name: str, stored: MatchSnapshot, states: Sequence[bytes], secrets: MatchSecrets
) -> LoadedMatch:
    """A match from a snapshot and the stored records from the snapshot's last one on."""
    records = decode_all(states)
    later = records[1:]
    game = rules_of(stored.match.created)
    events = [record.event for record in later]
    match = fold(game, stored.match, events)
    answers: Answers = {}
    remember(answers, later, stored.position, stored.match.awaiting.phase)
    return LoadedMatch(
        name,
        game,
        match,
        secrets,
        records,
        before=stored.position - 1,
        answers=answers,
        drawn={draw_name(match, draw_id) for draw_id in stored.draws} | _drawn_in(match, events),
        earlier=stored.answers,
        snapshot=stored.position,
    )


def _drawn_in(match: Match, events: Iterable[Event]) -> set[str]:
    """The names of the draws settled among the events of a match's latest epoch."""
    settled = (event.id for event in events if isinstance(event, DrawSettled | SealedDrawSettled))
    return {draw_name(match, draw_id) for draw_id in settled}
