"""A match in memory: its state, and a projection for each audience."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from operator import attrgetter

from domain.events import PUBLIC, Event, Record
from domain.match.events import DrawSettled, MatchCreated, SealedDrawSettled, SeedCommitted
from domain.match.live import undoes
from domain.match.replay import continued, draw_name, replay
from domain.match.seat_holders import tenure
from domain.match.state import AnyGame, Match
from domain.proof.commitments import commitment_in, hash_of_leaf, leaf_of
from domain.proof.creation_notes import BEGINNING, Beginning, beginning_of
from domain.proof.receipts import DIRECTOR
from domain.proof.subjects import of_match
from projections.audience.disclosure import MODERATOR, Viewer, audiences, mask_record, may_see
from projections.audience.lines import checksum
from projections.audience.projection import AudienceProjection
from projections.audience.projections import AudienceProjections, projections_of
from projections.audience.submissions import AnsweredAction, Answers, remember
from projections.audience.view import see_live
from projections.evidence.seen import Acknowledged, NotedInput, SeenChains
from service.event_store.integrity.checked_records import CheckedRecords
from service.event_store.integrity.digests import Digest
from service.event_store.secret_store import MatchSecrets
from service.observability import logs

Records = Sequence[Record[Event]]

ANSWER_BYTES = 250
"""Approximate memory of an answer."""
SEEN_BYTES = 450
"""Approximate memory of what the receipt for an input binds."""


class LoadedMatch:
    """A match as committed. `digest` is that of its record.

    `answers` has what was answered under each idempotency key. `drawn` names the draws settled in
    the latest epoch. `beginning` has the hashes of the stored events with which the record begins;
    None only before these are decided. `seen` has what the receipts of its inputs bind; None until
    one is wanted, since nothing else needs it, and it takes about as long as opening the match.
    """

    __slots__ = (
        "answers", "at", "beginning", "chains", "digest", "drawn", "game", "match", "name",
        "projections", "secrets",
    )  # fmt: skip

    def __init__(
        self, name: str, game: AnyGame, match: Match, secrets: MatchSecrets, digest: Digest
    ) -> None:
        """A match of which nothing is known yet but its state after all events that `digest`
        covers."""
        self.name = name
        self.game = game
        self.match = match
        self.secrets = secrets
        self.digest = digest
        self.at = 0
        self.answers: Answers = {}
        self.beginning: Beginning | None = None
        self.drawn: set[str] = set()
        self.projections = self._handed_to(map(AudienceProjection, audiences(match.created)))
        self.chains: SeenChains | None = None

    def _handed_to(self, projections: Iterable[AudienceProjection]) -> AudienceProjections:
        return AudienceProjections(projections, masks=self.conceals)

    @property
    def conceals(self) -> bool:
        """Whether its moderators are not shown what is for one seat."""
        return self.game.conceals(self.match.options)

    def shown_to(self, viewer: Viewer, own: list[Record[Event]]) -> list[Record[Event]]:
        """An audience's own records as it is shown them."""
        return (
            [mask_record(record) for record in own]
            if self.conceals and viewer == MODERATOR
            else own
        )

    @property
    def length(self) -> int:
        """The number of its events."""
        return self.digest.length

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.match.over

    def lines_of(self, viewer: Viewer) -> AudienceProjection | None:
        """The events of an audience; None for one that the match does not have."""
        return self.projections.find(viewer)

    def tenure(self, viewer: Viewer) -> int:
        """The number of the holder of the audience's seat; 0 for other audiences."""
        return tenure(self.match, viewer) if isinstance(viewer, int) else 0

    def noted(self, owner: int | str) -> Sequence[NotedInput]:
        """What a seat has submitted, or a person has ordered. What receipts bind must be in
        memory."""
        assert self.chains is not None, "what receipts bind has been read"
        return self.chains.noted.get(owner, ())

    def acknowledged(self, viewer: Viewer, position: int) -> Acknowledged | None:
        """What the receipt for what a seat has submitted says and binds, by the position in the
        record; None if it has none. What receipts bind must be in memory."""
        noted = self.noted(viewer) if isinstance(viewer, int) else ()
        place = bisect_left(noted, position - 1, key=attrgetter("index"))
        if place == len(noted) or noted[place].index != position - 1:
            return None
        return noted[place].acknowledged(self.secrets.log_key)

    def find_answer(self, seat: int, key: str) -> AnsweredAction | None:
        """The first answer that the seat got under this idempotency key, if any."""
        return self.answers.get((seat, key))

    def extend(
        self,
        match: Match,
        records: Records,
        states: Sequence[bytes],
        answers: Answers,
        drawn: Collection[str],
        digest: Digest,
    ) -> None:
        """Adds what has just been committed on this instance; `digest` is the one after it."""
        self.match = match
        self.answers.update(answers)
        self.drawn.update(drawn)
        self._add(records, states, digest)

    def follow(self, read: CheckedRecords) -> bool:
        """Adds what another instance has recorded next. Returns False if the match must be loaded
        again: that includes a new seed, which is in another table, or undoes something."""
        records = read.records
        events = [record.event for record in records]
        if undoes(events) or any(isinstance(event, SeedCommitted) for event in events):
            return False
        remember(self.answers, records, self.length, self.match.awaiting.phase)
        self.match = continued(self.game, self.match, records)
        self.drawn |= _drawn_in(self.match, events)
        self._add(records, read.states, read.digest)
        return True

    def trim(self) -> None:
        """Folds what waits and drops old lines where they are many. What an audience knows whose
        board fails is dropped, too, and its next reader gets the error."""
        overfull = self.projections.overfull
        for projection in overfull:
            try:
                projection.fold_many()
            except Exception as fault:  # noqa: BLE001  a board may raise anything
                self.projections.unread(projection.viewer)
                logs.failure("reading_failed", fault, match=self.name)
        if overfull:
            self.projections.forget_old_lines()

    @property
    def weight(self) -> int:
        """Its approximate memory, in bytes."""
        noted = {} if self.chains is None else self.chains.noted
        receipts = SEEN_BYTES * sum(map(len, noted.values()))
        return ANSWER_BYTES * len(self.answers) + receipts + self.projections.weight

    def _add(self, records: Records, states: Sequence[bytes], digest: Digest) -> None:
        self.projections.add(records, states, self.length)
        if self.chains is not None:
            tell(self.chains, self.name, self.secrets.log_key, records, states, self.length)
        events = [record.event for record in records]
        if undoes(events):
            self._refold(events)
        self.digest = digest
        self.at = records[-1].at

    def _refold(self, events: Sequence[Event]) -> None:
        """Those who see that something was undone know something else now: it is read again."""
        for projection in list(self.projections):
            if undoes([event for event in events if may_see(projection.viewer, event)]):
                self.projections.unread(projection.viewer)


def from_record(
    name: str,
    checked: CheckedRecords,
    secrets: MatchSecrets,
    viewers: Iterable[Viewer] = (),
    *,
    receipts: bool = False,
) -> LoadedMatch:
    """A match from its whole record, with what these audiences know of it, and with what its
    `receipts` bind if they are wanted."""
    records = checked.records
    game, match = replay(name, records)
    loaded = LoadedMatch(name, game, match, secrets, checked.digest)
    loaded.at = records[-1].at
    remember(loaded.answers, records)
    loaded.beginning = beginning_of(checked.states[:BEGINNING])
    loaded.drawn = _drawn_in(match, [record.event for record in records])
    checksums = list(map(checksum, checked.states))
    projections = projections_of(audiences(match.created), records, checksums)
    for projection in projections:
        if projection.viewer in viewers and not projection.readable:
            _fold(projection, records)
    loaded.projections = loaded._handed_to(projections)
    if receipts:
        loaded.chains = chains_of(name, secrets.log_key, match.created, records, checked.states)
    return loaded


def _fold(projection: AudienceProjection, records: Records) -> None:
    """Folds what the audience knows of the whole record. Where its board fails, its reader gets the
    error when it is read."""
    own = [records[position - 1] for position in projection.positions]
    with suppress(Exception):
        projection.take(see_live(projection.viewer, projection.positions, own))


def _drawn_in(match: Match, events: Iterable[Event]) -> set[str]:
    """The names of the draws settled by these events in a match's latest epoch, in which ids begin
    anew."""
    draw_ids: set[str] = set()
    for event in events:
        if isinstance(event, SeedCommitted):
            draw_ids.clear()
        elif isinstance(event, DrawSettled | SealedDrawSettled):
            draw_ids.add(event.id)
    return {draw_name(match, draw_id) for draw_id in draw_ids}


def begin_chains(match: str, created: MatchCreated) -> SeenChains:
    """The chains of a match of which no one has been told anything."""
    return SeenChains(of_match(match), (DIRECTOR, *range(created.seats)))


def chains_of(
    match: str, log_key: bytes, created: MatchCreated, records: Records, states: Sequence[bytes]
) -> SeenChains:
    """The chains after all these records, which begin the match."""
    chains = begin_chains(match, created)
    tell(chains, match, log_key, records, states, 0)
    return chains


def tell(
    chains: SeenChains,
    match: str,
    log_key: bytes,
    records: Records,
    states: Sequence[bytes],
    length: int,
) -> None:
    """Adds the records that follow the first `length` of the match, whole batches."""
    for index, (record, state) in enumerate(zip(records, states, strict=True), length):
        public = record.event.audience == PUBLIC
        proof = None if public else commitment_in(state, index, log_key)
        leaf_hash = hash_of_leaf(leaf_of(match, index, record, state, log_key))
        chains.add(index, record, state, leaf_hash, proof)
    chains.conclude()
