"""A match and all that its audiences see of it, folded together, piece by piece."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self
from uuid import UUID

from domain.encoding import decode_all
from domain.events import Event, Record
from domain.games import rules_of
from domain.match_events import DrawSettled, MatchCreated, SealedDrawSettled
from domain.match_state import AnyGame, Match, fold
from projections.answers import Answers, remember
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.door.dealer import Hidden
from service.door.open_match import Loaded, Reader, draw_name, folded
from service.keeping.answered import Packed, packed
from service.keeping.snapshots import (
    OF_MATCH,
    MatchPart,
    Unfit,
    part_of,
    verified_match,
    verified_sight,
)


class Folding:
    """What the first `position` events of a match come to."""

    def __init__(self, match_id: UUID) -> None:
        self.match_id = match_id
        self.position = 0
        self.last = b""
        self.readers: dict[Viewer, Reader] = {}
        self._game: AnyGame | None = None
        self._match: Match | None = None
        self._draws: set[str] = set()
        self._packed = Packed()
        self._answers: Answers = {}

    @classmethod
    def of(cls, match_id: UUID, part: MatchPart) -> Self:
        """What is kept of the match itself; its readers have read nothing yet."""
        folding = cls(match_id)
        folding.position, folding.last = part.position, part.last
        folding._game, folding._match = rules_of(part.match.created), part.match
        folding._draws, folding._packed = set(part.draws), part.answers
        folding.readers = {viewer: Reader(viewer) for viewer in audiences(part.match.created)}
        return folding

    def take(
        self,
        records: Sequence[Record[Event]],
        last: bytes,
        between: Callable[[], None] = lambda: None,
    ) -> None:
        """Takes in the next records, whole commands, of which the last is stored as `last_of` says.
        In `between` others may do something."""
        phase = None if self._match is None else self._match.awaiting.phase
        remember(self._answers, records, self.position, phase)
        self._draws |= settled(records)
        self._fold(records)
        self.position += len(records)
        self.last = last
        for reader in self.readers.values():
            between()
            reader.read(records)

    def parts(self) -> Iterator[tuple[str, bytes]]:
        """Every part of a snapshot, as bytes that have been decoded again. Raises Unfit if one does
        not come back as it was."""
        for viewer, reader in self.readers.items():
            yield part_of(viewer), verified_sight(self.last, reader)
        yield OF_MATCH, verified_match(self.match_part())

    def match_part(self) -> MatchPart:
        """The match itself."""
        assert self._match is not None
        answers = packed(self._packed, self._answers)
        return MatchPart(self.position, self.last, self._match, frozenset(self._draws), answers)

    def _fold(self, records: Sequence[Record[Event]]) -> None:
        if self._game is not None and self._match is not None:
            self._match = fold(self._game, self._match, (record.event for record in records))
            return
        created = records[0].event
        if not isinstance(created, MatchCreated):
            raise Unfit
        self._game, self._match = folded(str(self.match_id), records)
        self.readers = {viewer: Reader(viewer) for viewer in audiences(created)}


def audiences(created: MatchCreated) -> Iterable[Viewer]:
    """Everybody who looks at a match."""
    return (PUBLIC_VIEWER, MODERATOR, *range(len(created.seats)))


def settled(records: Iterable[Record[Event]]) -> set[str]:
    """The ids of the draws settled among the records."""
    kinds = DrawSettled | SealedDrawSettled
    return {record.event.id for record in records if isinstance(record.event, kinds)}


def resumed(part: MatchPart, states: Sequence[bytes], hidden: Hidden) -> Loaded:
    """What a snapshot comes to with all that is stored from its last record on."""
    records = decode_all(states)
    behind = records[1:]
    game = rules_of(part.match.created)
    match = fold(game, part.match, (record.event for record in behind))
    answers: Answers = {}
    remember(answers, behind, part.position, part.match.awaiting.phase)
    drawn = {draw_name(match, draw_id) for draw_id in part.draws | settled(behind)}
    return Loaded(
        records,
        game,
        match,
        answers,
        drawn,
        hidden,
        before=part.position - 1,
        earlier=part.answers,
        kept=part.position,
    )
