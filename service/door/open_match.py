"""A match held in memory: its state, the end of its record, and what each audience sees."""

import asyncio
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.events import Event, Record
from domain.games import rules_of
from domain.match_events import DrawSettled, MatchCreated, SealedDrawSettled, SeedCommitted
from domain.match_state import AnyGame, Match, create, fold
from projections.answers import Answered, Answers, remember
from projections.disclosure import Viewer, may_see
from projections.sight import Sight, see, view
from service import logs
from service.door.dealer import Hidden
from service.keeping.answered import Packed

KEPT = 1_000
"""So many records of a match stay in memory at least; up to twice as many at most."""

MATCH_BYTES, RECORD_BYTES, ANSWER_BYTES, READER_BYTES = 4_096, 300, 250, 1_536
"""What each takes of memory, about, as measured with every game."""

POSITION = "I"
BYTES_A_POSITION = array(POSITION).itemsize

Records = Sequence[Record[Event]]

_encoder = msgspec.json.Encoder()


class Reader:
    """What one audience sees of a match, kept at hand.

    `positions` are the places of the audience's events in the match's stream, in order, so that
    a number of the audience's own leads straight to its event. They never leave the service.
    """

    __slots__ = ("_body", "end", "positions", "sight")

    def __init__(self, viewer: Viewer) -> None:
        self.sight = Sight(viewer)
        self.positions = array(POSITION)
        self.end = 0
        self._body: bytes | None = None

    def read(self, records: Records) -> None:
        """Takes in the next records of the match, of which it keeps what the audience may see."""
        viewer = self.sight.viewer
        positions, seen = [], []
        for position, record in enumerate(records, self.end + 1):
            if may_see(viewer, record.event):
                positions.append(position)
                seen.append(record)
        if seen:
            self.sight, self._body = see(self.sight, seen), None
            self.positions.extend(positions)
        self.end += len(records)

    def body(self, match: str, game: str) -> bytes:
        """The view as JSON."""
        if self._body is None:
            self._body = _encoder.encode(view(match, game, self.sight))
        return self._body

    def count(self, position: int) -> int:
        """How many of the audience's events stand at or before a position of the stream."""
        return bisect_right(self.positions, position)


class Committed(Protocol):
    """A draft after its commit: the match as it stands then, and the records that were added."""

    game: AnyGame | None
    match: Match | None
    hidden: Hidden | None
    length: int
    at: int
    records: list[Record[Event]]
    answers: Answers
    drawn: set[str]


class OpenMatch:
    """One match in memory, as committed.

    `earlier` are the answers that a snapshot had, `answers` those behind it; `kept` is where the
    latest snapshot stands. `queue` holds the commands that wait to be judged; `judging` is set
    while some of them are being committed; `preparing` is the task that reads the match, `wanted`
    for whom; `look` the one that reads what other instances have recorded since, `next_look` the
    one that will do so next. `weighed` is what `weight` was when it was counted.
    """

    __slots__ = (
        "answers", "at", "drawn", "earlier", "game", "hidden", "id", "judging", "kept", "length",
        "loaded", "look", "match", "name", "next_look", "preparing", "queue", "readers", "tail",
        "tail_start", "wanted", "weighed",
    )  # fmt: skip

    def __init__(self, match_id: UUID) -> None:
        self.id = match_id
        self.name = str(match_id)
        self.queue: deque[Any] = deque()
        self.judging = False
        self.preparing: asyncio.Task[None] | None = None
        self.wanted: set[Viewer] = set()
        self.look: asyncio.Task[None] | None = None
        self.next_look: asyncio.Task[None] | None = None
        self.game: AnyGame | None = None
        self.weighed = 0
        self.forget()

    def forget(self) -> None:
        """Drops what was read; the store knows. What is played never changes: whoever is just
        reading an earlier position still needs that."""
        self.loaded = False
        self.match: Match | None = None
        self.length = 0
        self.at = 0
        self.hidden: Hidden | None = None
        self.drawn: set[str] = set()
        self.tail: list[Record[Event]] = []
        self.tail_start = 0
        self.readers: dict[Viewer, Reader] = {}
        self.answers: Answers = {}
        self.earlier = Packed()
        self.kept = 0

    def load(self, loaded: "Loaded") -> None:
        """Takes in what was read of a match that exists."""
        self.game, self.match, self.hidden = loaded.game, loaded.match, loaded.hidden
        self.answers, self.drawn, self.readers = loaded.answers, loaded.drawn, {}
        self.earlier, self.kept = loaded.earlier, loaded.kept
        self.length = loaded.before + len(loaded.records)
        self.at = loaded.records[-1].at
        self.tail_start = max(loaded.before, self.length - KEPT)
        self.tail = list(loaded.records[self.tail_start - loaded.before :])
        self.loaded = True

    def answered(self, seat: int, key: str) -> Answered | None:
        """What the seat was answered under a key, if it has used it: the first time counts."""
        return self.earlier.find(seat, key) or self.answers.get((seat, key))

    def extend(self, committed: Committed) -> None:
        """Takes in a draft that has just been committed. If that has been read meanwhile, or
        everything been forgotten, there is nothing to take in."""
        if self.length != committed.length - len(committed.records):
            return
        self.game, self.match, self.hidden = committed.game, committed.match, committed.hidden
        self.loaded = True
        self.length, self.at = committed.length, committed.at
        self.tail += committed.records
        self.answers.update(committed.answers)
        self.drawn |= committed.drawn

    def follow(self, records: Records) -> None:
        """Takes in what another instance has recorded next. A new seed has to be read elsewhere:
        then everything is forgotten."""
        assert self.game is not None and self.match is not None
        events = [record.event for record in records]
        if any(isinstance(event, SeedCommitted) for event in events):
            self.forget()
            return
        remember(self.answers, records, self.length, self.match.awaiting.phase)
        self.match = fold(self.game, self.match, events)
        self.drawn |= drawn_in(self.match, events)
        self.length += len(records)
        self.at = records[-1].at
        self.tail += records

    def trim(self) -> None:
        """Keeps the end of the record only. A reader whose board fails is dropped: who asks for
        it next is told."""
        if len(self.tail) <= 2 * KEPT:
            return
        for viewer, reader in list(self.readers.items()):
            try:
                self.advance(reader)
            except Exception as fault:  # noqa: BLE001  whatever a board may raise
                del self.readers[viewer]
                logs.failed("reading_failed", fault, match=self.name)
        del self.tail[:-KEPT]
        self.tail_start = self.length - KEPT

    def advance(self, reader: Reader, upto: int | None = None) -> None:
        """Brings a reader forward to position `upto`, by default to the end of the record."""
        end = self.length if upto is None else upto
        if reader.end < end:
            reader.read(self.tail[reader.end - self.tail_start : end - self.tail_start])

    def seen(self, reader: Reader) -> int:
        """How many events its audience may have seen, whether or not it has read them yet."""
        unread = self.tail[reader.end - self.tail_start :]
        viewer = reader.sight.viewer
        return reader.sight.seq + sum(may_see(viewer, record.event) for record in unread)

    def reader(self, viewer: Viewer) -> Reader | None:
        """The audience's reader, or None if the record in memory does not reach back far enough."""
        reader = self.readers.get(viewer)
        if reader is None and self.loaded and self.tail_start == 0:
            reader = self.readers[viewer] = Reader(viewer)
        return reader

    @property
    def idle(self) -> bool:
        """Whether nobody is at work on it."""
        return not self.queue and not self.judging and self.preparing is None

    @property
    def weight(self) -> int:
        """The bytes of memory that it takes, about."""
        return (
            MATCH_BYTES
            + RECORD_BYTES * len(self.tail)
            + ANSWER_BYTES * len(self.answers)
            + self.earlier.size
            + (READER_BYTES + self.length * BYTES_A_POSITION) * len(self.readers)
        )

    def at_hand(self, viewers: Iterable[Viewer]) -> bool:
        """Whether the match, and what these audiences see of it, is in memory."""
        return self.loaded and all(map(self.shows, viewers))

    def shows(self, viewer: Viewer) -> bool:
        """The same for one audience."""
        return self.loaded and self.reader(viewer) is not None

    @property
    def game_id(self) -> str:
        """The id of the game that is played."""
        assert self.game is not None
        return self.game.id

    def records(self, positions: Sequence[int]) -> Records | None:
        """The records at these ascending positions, if they are in memory."""
        if positions[0] <= self.tail_start:
            return None
        return [self.tail[position - self.tail_start - 1] for position in positions]


class Loaded(Struct):
    """The records behind the first `before` ones, and what all come to. Read from a snapshot, that
    at position `kept`, the `earlier` answers are packed."""

    records: Records
    game: AnyGame
    match: Match
    answers: Answers
    drawn: set[str]
    hidden: Hidden
    before: int = 0
    earlier: Packed = Packed()
    kept: int = 0


def loaded(name: str, records: Records, hidden: Hidden) -> Loaded:
    """What the whole record of a match comes to."""
    game, match = folded(name, records)
    answers: Answers = {}
    remember(answers, records)
    drawn = drawn_in(match, [record.event for record in records])
    return Loaded(records, game, match, answers, drawn, hidden)


def drawn_in(match: Match, events: Iterable[Event]) -> set[str]:
    """The names of the draws that have been settled among the events of a match's latest epoch."""
    settled = (event.id for event in events if isinstance(event, DrawSettled | SealedDrawSettled))
    return {draw_name(match, draw_id) for draw_id in settled}


def draw_name(match: Match, draw_id: str) -> str:
    """Under what a draw is known in a match: its id is unique in its epoch."""
    return f"e{0 if match.epoch is None else match.epoch.committed.epoch}/{draw_id}"


def as_created(name: str, created: MatchCreated) -> tuple[AnyGame, Match]:
    """The game and state of a match before anything else has happened in it. Its options are the
    complete ones on record, for its creator as for everybody else."""
    game = rules_of(created)
    return game, create(game, name, created, msgspec.convert(created.options, game.Options))


def folded(name: str, records: Records) -> tuple[AnyGame, Match]:
    """The game and state of a match, from its whole record."""
    created = records[0].event
    assert isinstance(created, MatchCreated)
    game, match = as_created(name, created)
    return game, fold(game, match, [record.event for record in records])
