"""Judges one tournament: its events fold, its garnets add up, each match is settled once, as it has
ended, and each ruling gives what it orders."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from itertools import count
from uuid import UUID

from msgspec import UNSET

from domain.events import Event
from domain.game import Refused
from domain.match.commands import Conflict
from domain.match.replay import replayed
from domain.match.state import AnyGame, Match
from domain.people import Actor
from domain.rulings.on_record import wrong_ruling
from domain.rulings.state import match_of
from domain.rulings.tournament_effects import effect, people_needed
from domain.tournament import ledger
from domain.tournament.decide import decide
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchGiven,
    MatchReplaced,
    MatchSettled,
    ModeratorAppointed,
    PlayerEntered,
    TournamentCreated,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingOrdered,
)
from domain.tournament.ledger import Account, Unbalanced
from domain.tournament.settling import facts_of, settlement_of
from domain.tournament.staff_events import MatchTaken
from domain.tournament.stage_events import PenaltyGiven, PlayersSeeded, PlayerStatus
from domain.tournament.state import NOTHING_YET, fold, posting
from service.checking.findings import Finding, Judged
from service.checking.rows import Pause, Stopped, StreamRows, read_records
from service.checking.signatures import SignedLog
from service.event_store.reading import DAMAGED, StoreReader, StreamHead


class _Books:
    """A tournament as far as it has been read."""

    def __init__(
        self, tournament: UUID, replayed_match: Callable[[UUID], tuple[AnyGame, Match]]
    ) -> None:
        """`replayed_match` folds the record of a match, and may raise anything."""
        self.findings: list[Finding] = []
        self.settled = set[str]()
        self._replayed = replayed_match
        self._following = deque[Event]()
        self._why = ""
        self._last = deque[Event](maxlen=2)
        self._owing = set[Account]()
        self._state = NOTHING_YET
        self._counts = Counter[type]()
        self._tournament = str(tournament)

    def add(self, event: Event, position: int) -> None:
        """Judges the next event, and folds it."""
        for why in self._wrong(event):
            self._find(why, position)
        self._compare(event, position)
        try:
            self._state = fold(self._state, (event,))
        except Exception as error:  # noqa: BLE001  what does not follow may make the fold fail
            self._find(
                f"it does not follow from those before it ({type(error).__name__})", position
            )
        if isinstance(event, TournamentRulingOrdered):
            self._expect("it is not what was ruled", self._ruled(event, position))
        self._counts[type(event)] += 1
        self._last.append(event)

    def end(self) -> None:
        """Judges the balances."""
        if self._following:
            self._find("what follows from its last settlement or ruling is missing", None)
        try:
            ledger.check(self._state.balances, self._owing)
        except Unbalanced as error:
            self._find(str(error), None)
        for account, balance in self._state.balances.items():
            if account.match in self.settled:
                self._find(
                    f"{balance} garnets of player {account.player} are still at stake in match"
                    f" {account.match}, which is settled",
                    None,
                )

    def _wrong(self, event: Event) -> list[str]:
        """What is wrong with an event after those before it."""
        found: list[str] = []
        matches, players = self._state.matches, range(len(self._state.players))
        if isinstance(event, TournamentCreated) != (not self._counts):
            found.append("a tournament is created by its first event, and by no other")
        match event:
            case PlayerEntered(number) | ModeratorAppointed(number):
                if number != self._counts[type(event)]:
                    found.append(f"it has number {number}, and not the next one")
            case MatchAdded(match, _, seats):
                if match in matches or not set(seats) <= set(players):
                    found.append(f"match {match} was added before, or for unknown players")
            case MatchGiven(match, _) | MatchTaken(match, _) | MatchSettled(match, _) if (
                match not in matches
            ):
                found.append(f"match {match} is not one of this tournament")
            case MatchSettled(match, _) if match in self.settled:
                found.append(f"match {match} is settled a second time")
            case (
                PlayerStatus(status="disqualified")
                | PlayersSeeded()
                | PenaltyGiven()
                | MatchCorrected()
                | MatchReplaced()
            ) if not self._following:
                found.append("it follows from no ruling")
            case GarnetsPosted():
                found += self._wrong_posting(event)
        return found + wrong_ruling(self._state.rulings, tuple(self._last), event)

    def _expect(self, why: str, events: Sequence[Event]) -> None:
        """The next events are these; `why` is what is wrong if they are not."""
        self._following, self._why = deque(events), why

    def _compare(self, event: Event, position: int) -> None:
        """Compares an event with that which the end of a match gives, or a ruling."""
        if isinstance(event, MatchSettled):
            why = "the match is settled otherwise than it has ended"
            self._expect(why, self._settlement(event, position))
            self.settled.add(event.match)
        if self._following and self._following.popleft() != event:
            self._following.clear()
            self._find(self._why, position)

    def _ruled(self, event: TournamentRulingOrdered, position: int) -> Sequence[Event]:
        """What a ruling gives, which was just carried out; nothing if nothing can be said of it."""
        ruled, directed = self._last if len(self._last) == 2 else (None, None)
        match, facts = match_of(event.ruling), None
        if not isinstance(ruled, TournamentRuled) or not isinstance(directed, TournamentDirected):
            return ()
        if match is not None:
            found = self._match(match)
            if found is None:
                return ()
            facts = facts_of(*found)
        past = self._state.rulings.past[-1]
        if len(past.people) < people_needed(self._state, facts, event.ruling):
            self._find(f"ruling {event.id} is carried out by one person", position)
        try:
            actor = Actor.of(directed)
            return effect(self._state, facts, event.ruling, ruled.reason, actor)
        except (Refused, Conflict, Unbalanced, KeyError) as error:
            self._find(f"ruling {event.id} cannot be carried out: {error}", position)
            return ()

    def _settlement(self, event: MatchSettled, position: int) -> list[Event]:
        """The events of a settlement; none if nothing can be said of it."""
        found = self._match(event.match)
        if event.match in self.settled or found is None:
            return []
        command = settlement_of(*found)
        if command is None:
            self._find(f"match {event.match} is settled, and it is not over", position)
            return []
        try:
            return decide(self._state, command)
        except Unbalanced as error:
            self._find(f"match {event.match} cannot be settled like this: {error}", position)
            return []

    def _match(self, match: str) -> tuple[AnyGame, Match] | None:
        """A match of the tournament. A damaged one is found by itself."""
        if match not in self._state.matches:
            return None
        try:
            return self._replayed(UUID(match))
        except (*DAMAGED, Stopped):
            raise
        except Exception:  # noqa: BLE001  see above
            return None

    def _wrong_posting(self, event: GarnetsPosted) -> list[str]:
        found = []
        try:
            ledger.check_posting(posting(event))
        except Unbalanced as error:
            found.append(str(error))
        if event.reverses is not UNSET:
            self._owing.add(posting(event).debit)
            if not self._following:
                found.append(f"it reverses posting {event.reverses} outside of a correction")
        if event.seat >= len(self._state.players):
            found.append(f"it posts garnets of player {event.seat}, who is not in the tournament")
        if event.match is not None and event.match not in self._state.matches:
            found.append(f"it posts garnets of match {event.match}, which is not in the tournament")
        return found

    def _find(self, text: str, position: int | None) -> None:
        self.findings.append(Finding("ledgers", text, self._tournament, position))


def judge_tournament(
    reader: StoreReader, tournament: UUID, head: StreamHead, pause: Pause
) -> Judged:
    """Judges a tournament as it was when its head was read."""
    rows = StreamRows(reader, tournament, head, pause)
    books = _Books(
        tournament, lambda match: replayed(str(match), read_records(reader, match, pause))
    )
    positions, log = count(1), SignedLog(tournament, head)
    for page in rows.pages():
        log.add(page)
        for record in page.records:
            pause()
            books.add(record.event, next(positions))
    if not rows.broken:
        books.end()
    log.end(broken=rows.broken)
    return Judged(
        tournaments=1,
        rows=rows.count,
        digests=head.digest is not None,
        checkpoints=log.checked,
        settlements=len(books.settled),
        findings=[*rows.findings, *books.findings, *log.findings],
    )
