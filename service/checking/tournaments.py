"""Judges one tournament: its events fold, its garnets add up, and each match is settled once, as it
has ended."""

from collections import Counter
from itertools import count
from uuid import UUID

from domain import ledger
from domain.encoding import decode
from domain.events import Event, stored_name
from domain.ledger import Unbalanced
from domain.match_events import MatchEnded
from domain.tournament_events import (
    GarnetsPosted,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    ModeratorAppointed,
    PlayerEntered,
    TournamentCreated,
)
from domain.tournament_state import NOTHING_YET, fold, posting
from service.checking.findings import Finding, Judged, Part
from service.checking.rows import Pause, StreamRows
from service.event_store.reading import StoreReader, StreamHead


class _Books:
    """A tournament as far as it has been read."""

    def __init__(self, tournament: UUID) -> None:
        self.findings: list[Finding] = []
        self.settled: dict[str, MatchSettled] = {}
        self._state = NOTHING_YET
        self._counts = Counter[type]()
        self._tournament = str(tournament)

    def add(self, event: Event, position: int) -> None:
        """Judges the next event, and folds it."""
        for why in self._wrong(event):
            self._find(why, position)
        try:
            self._state = fold(self._state, (event,))
        except Exception as error:  # noqa: BLE001  what does not follow may make the fold fail
            self._find(
                f"it does not follow from those before it ({type(error).__name__})", position
            )
        self._counts[type(event)] += 1
        if isinstance(event, MatchSettled):
            self.settled.setdefault(event.match, event)

    def end(self) -> None:
        """Judges the balances."""
        try:
            ledger.check(self._state.balances)
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
            case PlayerEntered(number, _) | ModeratorAppointed(number, _):
                if number != self._counts[type(event)]:
                    found.append(f"it has number {number}, and not the next one")
            case MatchAdded(match, _, seats):
                if match in matches or not set(seats) <= set(players):
                    found.append(f"match {match} was added before, or for unknown players")
            case MatchGiven(match, _) | MatchSettled(match, _) if match not in matches:
                found.append(f"match {match} is not one of this tournament")
            case MatchSettled(match, _) if match in self.settled:
                found.append(f"match {match} is settled a second time")
            case GarnetsPosted():
                found += self._wrong_posting(event)
        return found

    def _wrong_posting(self, event: GarnetsPosted) -> list[str]:
        found = []
        try:
            ledger.check_posting(posting(event))
        except Unbalanced as error:
            found.append(str(error))
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
    rows, books = StreamRows(reader, tournament, head, pause), _Books(tournament)
    positions = count(1)
    for page in rows.pages():
        for record in page.records:
            pause()
            books.add(record.event, next(positions))
    if not rows.broken:
        books.end()
    settled = [
        finding
        for event in books.settled.values()
        if (finding := _settled_otherwise(reader, tournament, event)) is not None
    ]
    return Judged(
        tournaments=1,
        rows=rows.count,
        digests=head.digest is not None,
        settlements=len(books.settled),
        findings=[*rows.findings, *books.findings, *settled],
    )


def _settled_otherwise(
    reader: StoreReader, tournament: UUID, settled: MatchSettled
) -> Finding | None:
    """What is wrong if a match was settled otherwise than it has ended. A damaged end is found with
    the match."""
    part: Part = "ledgers"
    try:
        found = reader.named(UUID(settled.match), stored_name(MatchEnded))
        ends = [decode(state).event for state in found]
    except Exception:  # noqa: BLE001  damaged bytes may raise anything; see above
        return None
    results = [event.result for event in ends if isinstance(event, MatchEnded)]
    if (results[-1] if results else None) == settled.result:
        return None
    text = f"match {settled.match} is settled with another result than it has ended with"
    return Finding(part, text, str(tournament))
