"""The record of a match as decisions make it grow; nothing of it is committed yet."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.events import Event, Record, batch
from domain.match.commands import Command, NameSeat
from domain.match.decide import decide
from domain.match.events import DrawSettled, SealedDrawSettled
from domain.match.fold import fold
from domain.match.recorded import add_records
from domain.match.replay import created_match, draw_name
from domain.match.state import Match, awaited_draw, lacks_seed
from domain.proof.commitments import blind
from service.application.matches.chance import answer_draw, commit_next, seed_of
from service.application.matches.command_queue import CreateMatch
from service.application.matches.loaded_match import LoadedMatch, begin_chains
from service.application.matches.match_session import MatchSession
from service.event_store.integrity.digests import Digest, StoredRow, begin_digest, extend_digest
from service.event_store.recorder import Row
from service.event_store.store import digest_row, rows

_SETTLED = (DrawSettled, SealedDrawSettled)


class DrawRepeated(Exception):
    """The rules asked for a draw under an id already used, which would have the same outcome."""


class GrowingRecord:
    """What a match is, and what stands on its record, after everything decided so far; `base` is
    what is in memory of it, `records` and `rows` are new."""

    def __init__(self, session: MatchSession) -> None:
        """The session's next command must be decidable."""
        self.session = session
        self.base = session.loaded or _before_creation(session)
        self.digest: Digest = self.base.digest
        self.begins_at = self.digest.length
        self.game = self.base.game
        self.match = self.base.match
        self.at = self.base.at
        self.beginning = self.base.beginning
        self.length = self.base.length
        self.input = self.length
        self.records: list[Record[Event]] = []
        self.rows: list[Row] = []
        self.drawn: set[str] = set()

    def commit_seed(self, at: int) -> None:
        """Commits to the seed of the epoch that a rewind begins, which was stored before."""
        if not lacks_seed(self.match) or self.match.epoch is None:
            return
        seed_row = seed_of(self.base.secrets, self.match.epoch.committed.epoch + 1)
        self.put_decided(commit_next(self.match, seed_row), at)

    def name_seats(self, names: Sequence[str], at: int) -> None:
        """Records whose the seats are that have no name yet, by these names in order."""
        for seat, name in zip(self.match.unnamed, names, strict=True):
            blinded = blind(self.base.secrets.log_key, self.length)
            self.put_decided(NameSeat(seat, name, blinded), at)

    def put_decided(self, command: Command, at: int) -> None:
        """Adds what a command of the service gives, as a consequence of the last input."""
        events = decide(self.game, self.match, command, at)
        self.put(events, at, fold(self.game, self.match, events))

    def answer_draws(self, at: int) -> None:
        """Adds the outcomes of what the rules draw, if chance is the service's."""
        if self.match.created.chance != "server":
            return
        while (draw := awaited_draw(self.game, self.match)) is not None:
            self.put_decided(answer_draw(self.base.secrets, self.match, draw), at)

    def put(self, events: list[Event], at: int, match: Match) -> None:
        """Adds events of the last input, after which the match is `match`."""
        for event in events:
            if isinstance(event, _SETTLED):
                self._note_draw(event.id)
        records = batch(events, at, self.length - self.input)
        self.match = replace(match, recorded=add_records(match.recorded, records))
        self.rows += rows(self.session.id, self.length, records)
        self.records += records
        self.length += len(records)
        self.at = at

    def _note_draw(self, draw_id: str) -> None:
        name = draw_name(self.match, draw_id)
        if name in self.drawn or name in self.base.drawn:
            raise DrawRepeated(name)
        self.drawn.add(name)

    def digested(self) -> list[Row]:
        """The digest of the record after the new events, as a row; nothing without new events. To
        be called once, when everything is decided."""
        if not self.records:
            return []
        new = (StoredRow(row.topic.encode(), row.state) for row in self.rows)
        self.digest = extend_digest(self.digest, new)
        return [digest_row(self.session.id, self.digest)]


def _before_creation(session: MatchSession) -> LoadedMatch:
    """A match about to be created; its record is empty."""
    command = session.queue[0].command
    assert isinstance(command, CreateMatch), "any other command needs a match in memory"
    game, match = created_match(session.name, command.created)
    before = LoadedMatch(session.name, game, match, command.secrets, begin_digest(session.id))
    before.chains = begin_chains(session.name, command.created)
    return before
