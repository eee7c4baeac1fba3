"""A tournament's bundle that an operator with every key has changed: the first claim that does not
follow is named."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.cases.match_events import TournamentCaseClosed, TournamentCaseOpened
from domain.events import Event, Record
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
    CandidatesNamed,
    EndsMoved,
    ImmuneNamed,
    LotsCommitted,
    LotsDrawn,
    LotsSeedGiven,
    PlayerEliminated,
    RoundClosed,
    RoundExtended,
    RoundMatchCreated,
    RoundPublished,
    RoundWithdrawn,
    StageAdded,
    StageClosed,
    StageOpened,
    TournamentClosed,
)
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.verify import verify
from tests.support.evidence.forged_bundles import found
from tests.support.evidence.signed_bundles import RECEIPTS, trusted
from tests.support.evidence.tournament_bundles import (
    Change,
    ProvenCup,
    Records,
    cup_bundle,
    cup_log,
    forfeit_too_early,
    forfeit_without_setting,
    proven_absences,
    proven_cup,
    proven_own_forfeit,
    proven_ruled_show,
    proven_show,
    public_bundles,
)

HONEST: dict[Viewer, str] = {
    MODERATOR: "matches sealed+results sealed",
    PUBLIC_VIEWER: "openings sealed+matches sealed+results sealed+postings sealed+rules sealed",
}
"""What is sealed of the honest bundle: the matches inside are the public's."""


def place(records: Records, kind: type[Event], which: int = -1) -> int:
    """The index of one of the events of a kind."""
    return [n for n, record in enumerate(records) if isinstance(record.event, kind)][which]


def edit(kind: type[Event], change: Callable[[Any], dict[str, Any]], which: int = -1) -> Change:
    """Changes fields of one event of a kind."""

    def forge(records: Records) -> Records:
        index = place(records, kind, which)
        event: Any = records[index].event
        records[index] = replace(records[index], event=replace(event, **change(event)))
        return records

    return forge


def without_batch(kind: type[Event], which: int = -1) -> Change:
    """Drops an input with all that follows from it."""

    def forge(records: Records) -> Records:
        index = place(records, kind, which)
        begun = index - records[index].back
        behind = [n for n in range(begun + 1, len(records)) if not records[n].back]
        return records[:begun] + (records[behind[0] :] if behind else [])

    return forge


def without(kind: type[Event], which: int = -1) -> Change:
    """Drops one event, and lets its batch close up."""

    def forge(records: Records) -> Records:
        index = place(records, kind, which)
        del records[index]
        for n in range(index, len(records)):
            if not records[n].back:
                break
            records[n] = replace(records[n], back=records[n].back - 1)
        return records

    return forge


def corrected(records: Records) -> Records:
    """A result is exchanged without a ruling."""
    settled: Any = records[place(records, MatchSettled)].event
    return [*records, Record(records[-1].at, 0, MatchCorrected(settled.match, None))]


def exchanged(event: RoundPublished) -> dict[str, Any]:
    """The first players of two tables change places."""
    one, two, *rest = event.pairings
    (a, *more), (b, *others) = one.players, two.players
    tables = replace(one, players=(b, *more)), replace(two, players=(a, *others))
    return {"pairings": (*tables, *rest)}


def turned(name: str) -> Callable[[Any], dict[str, Any]]:
    """A list is put into another order."""
    return lambda event: {name: getattr(event, name)[::-1]}


def won_by_other(event: MatchSettled) -> dict[str, Any]:
    assert event.result is not None
    winners, losers = event.result.losers, event.result.winners
    return {"result": replace(event.result, winners=winners, losers=losers)}


def other(name: str, value: object) -> Callable[[Any], dict[str, Any]]:
    """A field has this value."""
    return lambda _: {name: value}


FORGERIES: dict[str, tuple[Change, str]] = {
    "a result": (edit(MatchSettled, won_by_other), "results"),
    "a match that was played as a forfeit": (
        edit(MatchSettled, lambda _: {"forfeit": True}),
        "results",
    ),
    "a void match": (edit(MatchSettled, lambda _: {"result": None}), "results"),
    "a correction without a ruling": (corrected, "results"),
    "a match that does not count": (without_batch(MatchSettled), "matches"),
    "a match of others": (edit(MatchAdded, turned("players")), "matches"),
    "a match of another game": (edit(MatchAdded, lambda _: {"game": "liars-dice"}), "matches"),
    "a lot": (edit(LotsDrawn, turned("outcome")), "lots"),
    "a lot's seed": (edit(LotsDrawn, lambda _: {"seed": bytes(32)}), "lots"),
    "a lot's purpose": (edit(LotsDrawn, lambda _: {"purpose": "stage 1"}), "lots"),
    "a draw that was not wanted": (without_batch(LotsDrawn, 0), "lots"),
    "what a player added to the lots": (edit(LotsSeedGiven, lambda _: {"seed": "x"}), "lots"),
    "a commitment": (edit(LotsCommitted, lambda _: {"commit": bytes(32)}, 1), "lots"),
    "the roster committed to": (edit(LotsCommitted, lambda _: {"roster_hash": bytes(32)}), "lots"),
    "pairings": (edit(RoundPublished, exchanged, 1), "pairings"),
    "seats": (
        edit(
            RoundPublished,
            lambda event: {
                "pairings": tuple(replace(one, players=one.players[::-1]) for one in event.pairings)
            },
        ),
        "pairings",
    ),
    "why two meet": (
        edit(
            RoundPublished,
            lambda event: {
                "pairings": tuple(replace(one, because=("not_met",)) for one in event.pairings)
            },
        ),
        "pairings",
    ),
    "what a round was computed from": (
        edit(RoundPublished, lambda _: {"inputs": "0" * 64}),
        "pairings",
    ),
    "the method of a round": (edit(RoundPublished, lambda _: {"method": "dutch"}), "pairings"),
    "when a round begins": (edit(RoundPublished, lambda _: {"round": 7}), "pairings"),
    "the players of a stage": (edit(StageOpened, turned("entrants")), "pairings"),
    "the table of a match": (edit(RoundMatchCreated, lambda _: {"table": 2}), "pairings"),
    "the settings of a stage": (edit(StageAdded, lambda _: {"seeding": "entry"}), "pairings"),
    "a player's rating": (edit(PlayerEntered, lambda _: {"rating": 2000}), "pairings"),
    "places": (edit(StageClosed, turned("places")), "standings"),
    "a champion": (edit(TournamentClosed, lambda _: {"champions": (3,)}), "standings"),
    "a round that is not closed": (without(RoundClosed), "standings"),
    "a stake": (edit(GarnetsPosted, lambda _: {"reason": "brought"}), "postings"),
    "an amount": (edit(GarnetsPosted, lambda event: {"amount": event.amount + 1}), "postings"),
    "whose garnets": (edit(GarnetsPosted, lambda _: {"seat": 0}), "postings"),
    "a posting": (without(GarnetsPosted), "postings"),
    "whose id it is": (edit(PlayerIdentified, lambda _: {"player": 0}), "rules"),
    "a case that was closed": (without(TournamentCaseClosed), "rules"),
    "the case that a ruling closes": (edit(TournamentCaseClosed, other("case", "x")), "rules"),
    "the case that a ruling names": (edit(TournamentRulingOrdered, other("case", "x")), "rules"),
    "a ruling that names no case": (edit(TournamentRulingOrdered, other("case", None)), "rules"),
    "an appeal": (without_batch(TournamentCaseOpened, 1), "rules"),
    "who opened a case": (edit(TournamentCaseOpened, other("by_seat", True)), "rules"),
    "who closed a case": (edit(TournamentDirected, other("by", "Olga"), 0), "rules"),
    "that someone closed it": (without(TournamentDirected, 0), "rules"),
}
PRIVATE = frozenset({"postings", "rules"})
"""What the public's bundle does not show."""


@pytest.mark.parametrize("audience", HONEST)
def test_an_honest_bundle_holds(audience: Viewer) -> None:
    assert found(cup_bundle(audience=audience)) == HONEST[audience]


@pytest.mark.parametrize("audience", HONEST)
@pytest.mark.parametrize("name", FORGERIES)
def test_what_was_changed_is_named(name: str, audience: Viewer) -> None:
    change, claim = FORGERIES[name]
    wanted = claim if audience == MODERATOR or claim not in PRIVATE else HONEST[PUBLIC_VIEWER]
    assert found(cup_bundle(change, audience)) == wanted


def test_a_version_that_is_not_here_is_not_judged() -> None:
    forged = cup_bundle(edit(RoundPublished, lambda _: {"version": "0.0"}))
    assert found(forged) == "matches sealed+results sealed+pairings sealed"


@pytest.mark.parametrize(
    "inside",
    [
        lambda matches: dict(list(matches.items())[:-1]),
        lambda matches: dict(reversed(list(matches.items()))),
        lambda matches: dict(zip(matches, reversed(list(matches.values())), strict=True)),
    ],
    ids=["one missing", "another order", "exchanged"],
)
def test_other_matches_inside_are_detected(
    inside: Callable[[dict[str, bytes]], dict[str, bytes]],
) -> None:
    assert found(cup_bundle(matches=inside(public_bundles()))) == "matches"


def test_every_changed_byte_is_detected() -> None:
    honest, luck = cup_bundle(), Random(7)
    for _ in range(50):
        index = luck.randrange(len(honest))
        other = honest[index] ^ luck.randrange(1, 256)
        report = verify(honest[:index] + bytes([other]) + honest[index + 1 :], trusted())
        assert report.verdict == "FAIL", index


def test_a_receipt_that_is_kept_reveals_a_change_of_what_came_before_it() -> None:
    log = cup_log(proven_cup().records)
    kept = [RECEIPTS.signed(said) for said in log.receipts(2)]
    change, _ = FORGERIES["a player's rating"]
    assert found(cup_bundle(change), receipts=kept) == "receipts"
    assert found(cup_bundle(), receipts=kept) == HONEST[MODERATOR]


def other_players(event: Any) -> dict[str, Any]:
    """The next ones by number."""
    return {"players": tuple((player + 1) % 5 for player in event.players)}


SHOW_FORGERIES: dict[str, tuple[Change, str]] = {
    "the immune": (edit(ImmuneNamed, other_players), "results"),
    "the candidates": (edit(CandidatesNamed, other_players), "results"),
    "who goes home": (
        edit(PlayerEliminated, lambda event: {"player": (event.player + 1) % 5}),
        "results",
    ),
    "the games": (edit(RoundPublished, lambda _: {"show": UNSET}), "pairings"),
}


def test_an_honest_show_holds() -> None:
    assert found(cup_bundle(made=proven_show)) == HONEST[MODERATOR]


@pytest.mark.parametrize("name", SHOW_FORGERIES)
def test_what_was_changed_in_a_show_is_named(name: str) -> None:
    change, claim = SHOW_FORGERIES[name]
    assert found(cup_bundle(change, made=proven_show)) == claim


@pytest.mark.parametrize("audience", HONEST)
def test_candidates_whom_staff_name_are_judged(audience: Viewer) -> None:
    honest = cup_bundle(audience=audience, made=proven_ruled_show)
    assert found(honest) == HONEST[audience].replace("+results sealed", "")


@pytest.mark.parametrize("players", [(0, 2), (0,)])
def test_other_candidates_than_staff_have_named_are_detected(players: tuple[int, ...]) -> None:
    change = edit(CandidatesNamed, other("players", players))
    assert found(cup_bundle(change, made=proven_ruled_show)) == "results"


def begun_and_withdrawn(records: Records) -> Records:
    """The second round is withdrawn, too, when its match has been played."""
    settled = place(records, MatchSettled)
    withdrawn = replace(records[settled], event=RoundWithdrawn(1, 2, "Nobody is here."))
    return [*records[:settled], withdrawn, *records[settled:]]


ABSENCE_FORGERIES: dict[str, tuple[Change, str]] = {
    "a forfeit as a match that was played": (
        edit(MatchSettled, lambda _: {"forfeit": UNSET}),
        "results",
    ),
    "which tables get more time": (edit(RoundExtended, lambda _: {"tables": (2,)}), "rules"),
    "more time that is less": (edit(RoundExtended, lambda _: {"ends": 1}), "rules"),
    "when the service was back": (edit(EndsMoved, lambda _: {"ended": 9}), "rules"),
    "a withdrawal": (without_batch(RoundWithdrawn), "pairings"),
    "another round is withdrawn": (edit(RoundWithdrawn, lambda _: {"round": 2}), "pairings"),
    "a round that had begun is withdrawn": (begun_and_withdrawn, "pairings"),
}


def test_an_honest_bundle_with_absences_holds() -> None:
    assert found(cup_bundle(made=proven_absences)) == "matches sealed"


@pytest.mark.parametrize("name", ABSENCE_FORGERIES)
def test_what_was_changed_of_absences_is_named(name: str) -> None:
    change, claim = ABSENCE_FORGERIES[name]
    assert found(cup_bundle(change, made=proven_absences)) == claim


def test_a_forfeit_that_the_service_rules_as_the_stage_says_holds() -> None:
    assert found(cup_bundle(made=proven_own_forfeit)) == "matches sealed"


@pytest.mark.parametrize("made", [forfeit_without_setting, forfeit_too_early])
def test_a_forfeit_that_names_a_setting_which_does_not_hold_is_named(
    made: Callable[[], ProvenCup],
) -> None:
    assert found(cup_bundle(made=made)) == "results"
