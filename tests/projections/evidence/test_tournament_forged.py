"""A tournament's bundle that an operator with every key has changed: the first claim that does not
follow is named."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.tournament.events import MatchSettled
from domain.tournament.stage_events import (
    CandidatesNamed,
    EndsMoved,
    ImmuneNamed,
    PlayerEliminated,
    RoundExtended,
    RoundPublished,
    RoundWithdrawn,
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
from tests.support.evidence.tournament_forgeries import FORGERIES, HONEST, PRIVATE, drop_batch, edit
from tests.support.tables.forged_records import index_of


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
    forged = cup_bundle(edit(RoundPublished, version="0.0"))
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
    kept = [RECEIPTS.sign(said) for said in log.receipts(2)]
    change, _ = FORGERIES["a player's rating"]
    assert found(cup_bundle(change), receipts=kept) == "receipts"
    assert found(cup_bundle(), receipts=kept) == HONEST[MODERATOR]


def next_players(event: Any) -> tuple[int, ...]:
    return tuple((player + 1) % 5 for player in event.players)


@pytest.mark.parametrize("audience", HONEST)
def test_candidates_whom_staff_name_are_judged(audience: Viewer) -> None:
    honest = cup_bundle(audience=audience, made=proven_ruled_show)
    assert found(honest) == HONEST[audience].replace("+results sealed", "")


@pytest.mark.parametrize("players", [(0, 2), (0,)])
def test_other_candidates_than_staff_have_named_are_detected(players: tuple[int, ...]) -> None:
    change = edit(CandidatesNamed, players=players)
    assert found(cup_bundle(change, made=proven_ruled_show)) == "results"


def begun_and_withdrawn(records: Records) -> Records:
    """The second round is withdrawn, too, when its match has been played."""
    settled = index_of(records, MatchSettled, -1)
    withdrawn = replace(records[settled], event=RoundWithdrawn(1, 2, "Nobody is here."))
    return [*records[:settled], withdrawn, *records[settled:]]


ELSEWHERE: dict[str, tuple[Callable[[], ProvenCup], Change, str]] = {
    "the immune": (proven_show, edit(ImmuneNamed, players=next_players), "results"),
    "the candidates": (proven_show, edit(CandidatesNamed, players=next_players), "results"),
    "who goes home": (
        proven_show,
        edit(PlayerEliminated, player=lambda event: (event.player + 1) % 5),
        "results",
    ),
    "the games": (proven_show, edit(RoundPublished, show=UNSET), "pairings"),
    "a forfeit as a match": (proven_absences, edit(MatchSettled, forfeit=UNSET), "results"),
    "which tables get more time": (proven_absences, edit(RoundExtended, tables=(2,)), "rules"),
    "more time that is less": (proven_absences, edit(RoundExtended, ends=1), "rules"),
    "when the service was back": (proven_absences, edit(EndsMoved, ended=9), "rules"),
    "a withdrawal": (proven_absences, drop_batch(RoundWithdrawn), "pairings"),
    "another round is withdrawn": (proven_absences, edit(RoundWithdrawn, round=2), "pairings"),
    "a round that had begun is withdrawn": (proven_absences, begun_and_withdrawn, "pairings"),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_was_changed_in_a_show_or_of_absences_is_named(name: str) -> None:
    made, change, claim = ELSEWHERE[name]
    assert found(cup_bundle(change, made=made)) == claim


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (proven_show, HONEST[MODERATOR]),
        (proven_absences, "matches sealed"),
        (proven_own_forfeit, "matches sealed"),
        (forfeit_without_setting, "results"),
        (forfeit_too_early, "results"),
    ],
)
def test_shows_and_absences_hold_but_not_a_forfeit_against_the_settings_of_its_stage(
    made: Callable[[], ProvenCup], said: str
) -> None:
    assert found(cup_bundle(made=made)) == said
