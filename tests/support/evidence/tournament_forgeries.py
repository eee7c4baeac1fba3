"""What an operator with every key changes in a tournament's log, and the claim that finds it."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from domain.cases.match_events import TournamentCaseClosed, TournamentCaseOpened
from domain.events import Event, Record
from domain.game import Result
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchSettled,
    PlayerEntered,
    PlayerIdentified,
    TournamentDirected,
    TournamentRulingOrdered,
)
from domain.tournament.stage_events import (
    LotsCommitted,
    LotsDrawn,
    LotsSeedGiven,
    Meeting,
    RoundClosed,
    RoundMatchCreated,
    RoundPublished,
    StageAdded,
    StageClosed,
    StageOpened,
    TournamentClosed,
)
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.support.evidence.tournament_bundles import Change, Records
from tests.support.tables.forged_records import edited, index_of, without, without_batch

HONEST: dict[Viewer, str] = {
    MODERATOR: "matches sealed+results sealed",
    PUBLIC_VIEWER: "openings sealed+matches sealed+results sealed+postings sealed+rules sealed",
}
"""What is sealed of the honest bundle: the matches inside are the public's."""


def edit(kind: type[Event], which: int = -1, **fields: object) -> Change:
    """Other fields in one event of a kind; a function makes the field from the event."""

    def forge(records: Records) -> Records:
        event = records[index_of(records, kind, which)].event
        new_fields = {name: new(event) if callable(new) else new for name, new in fields.items()}
        return edited(records, kind, which, **new_fields)

    return forge


def drop(kind: type[Event], which: int = -1) -> Change:
    """One event less."""
    return lambda records: without(records, index_of(records, kind, which))


def drop_batch(kind: type[Event], which: int = -1) -> Change:
    """An input less, with all that follows from it."""
    return lambda records: without_batch(records, kind, which)


def corrected(records: Records) -> Records:
    """A result is exchanged without a ruling."""
    settled: Any = records[index_of(records, MatchSettled, -1)].event
    return [*records, Record(records[-1].at, 0, MatchCorrected(settled.match, None))]


def exchanged(event: RoundPublished) -> tuple[Meeting, ...]:
    """The first players of two tables change places."""
    one, two, *rest = event.pairings
    (a, *more), (b, *others) = one.players, two.players
    return replace(one, players=(b, *more)), replace(two, players=(a, *others)), *rest


def each_pairing(change: Callable[[Meeting], dict[str, Any]], which: int = -1) -> Change:
    """Every table of a round is changed."""
    return edit(
        RoundPublished,
        which,
        pairings=lambda event: tuple(replace(one, **change(one)) for one in event.pairings),
    )


def turned(name: str) -> Callable[[Any], Any]:
    """A list in another order."""
    return lambda event: getattr(event, name)[::-1]


def won_by_other(event: MatchSettled) -> Result:
    assert event.result is not None
    return replace(event.result, winners=event.result.losers, losers=event.result.winners)


FORGERIES: dict[str, tuple[Change, str]] = {
    "a result": (edit(MatchSettled, result=won_by_other), "results"),
    "a match that was played as a forfeit": (edit(MatchSettled, forfeit=True), "results"),
    "a void match": (edit(MatchSettled, result=None), "results"),
    "a correction without a ruling": (corrected, "results"),
    "a match that does not count": (drop_batch(MatchSettled), "matches"),
    "a match of others": (edit(MatchAdded, players=turned("players")), "matches"),
    "a match of another game": (edit(MatchAdded, game="liars-dice"), "matches"),
    "a lot": (edit(LotsDrawn, outcome=turned("outcome")), "lots"),
    "a lot's seed": (edit(LotsDrawn, seed=bytes(32)), "lots"),
    "a lot's purpose": (edit(LotsDrawn, purpose="stage 1"), "lots"),
    "a draw that was not wanted": (drop_batch(LotsDrawn, 0), "lots"),
    "what a player added to the lots": (edit(LotsSeedGiven, seed="x"), "lots"),
    "a commitment": (edit(LotsCommitted, 1, commit=bytes(32)), "lots"),
    "the roster committed to": (edit(LotsCommitted, roster_hash=bytes(32)), "lots"),
    "pairings": (edit(RoundPublished, 1, pairings=exchanged), "pairings"),
    "seats": (each_pairing(lambda one: {"players": one.players[::-1]}), "pairings"),
    "why two meet": (each_pairing(lambda _: {"because": ("not_met",)}), "pairings"),
    "what a round was computed from": (edit(RoundPublished, inputs="0" * 64), "pairings"),
    "the method of a round": (edit(RoundPublished, method="dutch"), "pairings"),
    "when a round begins": (edit(RoundPublished, round=7), "pairings"),
    "the players of a stage": (edit(StageOpened, entrants=turned("entrants")), "pairings"),
    "the table of a match": (edit(RoundMatchCreated, table=2), "pairings"),
    "the settings of a stage": (edit(StageAdded, seeding="entry"), "pairings"),
    "a player's rating": (edit(PlayerEntered, rating=2000), "pairings"),
    "places": (edit(StageClosed, places=turned("places")), "standings"),
    "a champion": (edit(TournamentClosed, champions=(3,)), "standings"),
    "a round that is not closed": (drop(RoundClosed), "standings"),
    "a stake": (edit(GarnetsPosted, reason="brought"), "postings"),
    "an amount": (edit(GarnetsPosted, amount=lambda event: event.amount + 1), "postings"),
    "whose garnets": (edit(GarnetsPosted, seat=0), "postings"),
    "a posting": (drop(GarnetsPosted), "postings"),
    "whose id it is": (edit(PlayerIdentified, player=0), "rules"),
    "a case that was closed": (drop(TournamentCaseClosed), "rules"),
    "the case that a ruling closes": (edit(TournamentCaseClosed, case="x"), "rules"),
    "the case that a ruling names": (edit(TournamentRulingOrdered, case="x"), "rules"),
    "a ruling that names no case": (edit(TournamentRulingOrdered, case=None), "rules"),
    "an appeal": (drop_batch(TournamentCaseOpened, 1), "rules"),
    "who opened a case": (edit(TournamentCaseOpened, by_seat=True), "rules"),
    "who closed a case": (edit(TournamentDirected, 0, by="Olga"), "rules"),
    "that someone closed it": (drop(TournamentDirected, 0), "rules"),
}
PRIVATE = frozenset({"postings", "rules"})
"""What the public's bundle does not show."""
