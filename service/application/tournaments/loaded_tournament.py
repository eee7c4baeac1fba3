"""A tournament in memory, as committed."""

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from domain.encoding import encode
from domain.events import PUBLIC, Event, Record, batch
from domain.tournament.events import MatchAdded
from domain.tournament.fold import fold
from domain.tournament.stage_events import RoundClosed, RoundPublished, TournamentClosed
from domain.tournament.state import NOTHING_YET, Tournament
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.audience.lines import LineText
from projections.audience.own_lines import AudienceLines
from projections.rulings.tournament_rulings import of_rulings


class LoadedTournament(Struct):
    """A tournament as committed; its record is empty before it is created. `rulings` is what is on
    record of its rulings with what they gave in public, `public` its public events; `started` is
    the instant of its first match or round, `ended` that of its close, `closed` that of the last
    round of each stage, `added` those of its matches."""

    state: Tournament = NOTHING_YET
    length: int = 0
    at: int = 0
    started: int | None = None
    ended: int | None = None
    closed: dict[int, int] = {}
    added: dict[str, int] = {}
    rulings: list[Record[Event]] = []
    public: AudienceLines = field(default_factory=lambda: AudienceLines(PUBLIC_VIEWER))

    def extend(self, records: Sequence[Record[Event]]) -> None:
        """Adds what has just been committed, here or by another instance."""
        self.state = fold(self.state, [record.event for record in records])
        self.rulings += of_rulings(records)
        for position, record in enumerate(records, self.length + 1):
            if isinstance(record.event, MatchAdded | RoundPublished) and self.started is None:
                self.started = record.at
            if isinstance(record.event, MatchAdded):
                self.added[record.event.match] = record.at
            if isinstance(record.event, RoundClosed):
                self.closed[record.event.stage] = record.at
            if isinstance(record.event, TournamentClosed):
                self.ended = record.at
            if record.event.audience == PUBLIC:
                self.public.add(position, record, LineText(encode(record)))
        self.public.forget_old_lines()
        self.length += len(records)
        self.at = records[-1].at

    @property
    def over(self) -> bool:
        """Whether the tournament is closed."""
        return self.state.competition.champions is not None

    def lines_of(self, viewer: Viewer) -> AudienceLines | None:
        """The public events; None for other audiences."""
        return self.public if viewer == PUBLIC_VIEWER else None

    def tenure(self, viewer: Viewer) -> int:  # noqa: ARG002  no audience has a holder here
        """As that of a match."""
        return 0

    def postings_of(self, player: int | None) -> int:
        """The number of postings of a player, or of all players."""
        counts = self.state.posted
        return sum(counts.values()) if player is None else counts.get(player, 0)

    def next(
        self, events: Sequence[Event], now: int, lapsed: Sequence[Record[Event]] = ()
    ) -> list[Record[Event]]:
        """What has `lapsed`, and behind it the events, as the next records; their time never
        decreases."""
        records: list[Record[Event]] = []
        at = self.at
        for record in (*lapsed, *batch(events, now)):
            at = max(at, record.at)
            records.append(replace(record, at=at))
        return records
