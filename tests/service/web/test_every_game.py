"""The page judges the evidence of every game, and never its rules: of those that are registered, of
a toy that is not, and of matches by another version of the rules.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from domain.encoding import encode
from domain.events import Event, Record, batches
from domain.games import GAMES
from domain.match.events import Directed
from domain.match.state import AnyGame
from domain.proof.subjects import of_match
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.evidence.bundle import MatchLog
from service.cli.simulating.simulation import MATCH, SimulatedMatch
from tests.support.evidence.forged_bundles import short_bundle, short_log
from tests.support.evidence.record_changes import Records
from tests.support.evidence.signed_bundles import KEYS, LOG_KEY, bundled, log_of
from tests.support.tables import toy_game
from tests.support.web.two_verdicts import AUDIENCES, Given, by_first, by_second
from tests.support.web.verifier_script import page_answers, verifying

COMMAND = "arbiter verify FILE --key KEYS"
SEATS = 3

EVERY_GAME = pytest.mark.parametrize("game", GAMES)


# Honest ones.


@EVERY_GAME
def test_it_says_that_the_rules_are_not_judged_and_what_does(game: str) -> None:
    (answer,) = page_answers([verifying(short_bundle(game), KEYS)])
    texts = {claim["claim"]: claim["text"] for claim in answer.answer["claims"]}
    assert texts["rules"] == f"not judged here: {COMMAND}"
    assert texts["result"].startswith("the last end on record: won by ")
    assert "scores Seat 0 " in texts["result"], "people are called by their names"
    assert texts["result"].endswith(f"; not judged here: {COMMAND}")
    about = answer.answer["game"], answer.answer["rulesVersion"]
    assert about == (game, GAMES[game].rules_version)


@EVERY_GAME
def test_every_beginning_of_a_match_is_sealed(game: str) -> None:
    records, luck = short_log(game).records, Random(game)
    # The service commits to the seed when it creates the match, in the same batch.
    created = len(next(batches(records)))
    parted = _parted(records)
    ends = [length for length in range(created, len(records)) if length not in parted]
    lengths = {created, created + 1, *luck.sample(ends, 10)}
    every = [
        Given(f"{length}", bundled(log_of(records[:length]), audience))
        for length in sorted(lengths)
        for audience in (PUBLIC_VIEWER, 0, MODERATOR)
    ]
    for given, second in zip(every, by_second(every), strict=True):
        assert second["verdict"] == "SEALED", given.how
        assert ("rules", "NOT JUDGED") in second["claims"], given.how


@EVERY_GAME
def test_a_beginning_that_parts_an_order_from_who_gave_it_fails(game: str) -> None:
    records = short_log(game).records
    every = [
        Given(f"{length}", bundled(log_of(records[:length]), audience))
        for length in sorted(_parted(records))
        for audience in (PUBLIC_VIEWER, 0, MODERATOR)
    ]
    assert every
    for given, second in zip(every, by_second(every), strict=True):
        assert (second["verdict"], second["finding"]) == ("FAIL", "receipts"), given.how
        assert by_first(given) == second, given.how


def _parted(records: Records) -> set[int]:
    """The lengths of the beginnings that end between an order and who gave it."""
    return {n for n, record in enumerate(records) if isinstance(record.event, Directed)}


# Other games and versions.


class AnyLog(MatchLog):
    """The log of a match of a game that is not registered."""

    def __init__(self, records: Sequence[Record[Event]]) -> None:
        self.subject, self.key = of_match(MATCH), LOG_KEY
        self.records = list(records)
        self.states = list(map(encode, records))


def any_log(game: AnyGame, luck: int, options: dict[str, Any] | None = None) -> AnyLog:
    """The log of a random match of any game."""
    seats = SEATS if SEATS in game.seats else game.seats[0]
    table = SimulatedMatch(game, seats, options or {}, str(luck))
    table.play()
    return AnyLog(table.records)


def honest(log: AnyLog) -> list[Given]:
    return [Given(f"{audience}", bundled(log, audience)) for audience in AUDIENCES]


def statuses(every: Sequence[Given]) -> list[set[tuple[str, str]]]:
    """The claims about each bundle that do not simply hold, and their states."""
    return [
        {(claim, status) for claim, status in one["claims"] if status != "PASS"}
        for one in by_second(every)
    ]


NOT_JUDGED = {("rules", "NOT JUDGED"), ("result", "NOT JUDGED")}
PARTLY = {*NOT_JUDGED, ("openings", "SEALED"), ("chance", "SEALED")}


@pytest.mark.parametrize("luck", range(4))
def test_the_evidence_of_a_game_that_is_not_registered_is_judged(luck: int) -> None:
    """With events in public, for a seat and for moderators, and sealed draws."""
    options: dict[str, Any] = {"share": luck == 3, "bid_seconds": 30 if luck % 2 else None}
    log = any_log(toy_game.GAME, luck, options)
    *some, whole = statuses(honest(log))
    assert whole == NOT_JUDGED and some == [PARTLY] * len(some)


@EVERY_GAME
def test_the_evidence_of_a_match_by_other_rules_is_judged(game: str) -> None:
    rules = GAMES[game]
    log = any_log(replace(rules, rules_version=rules.rules_version + 1), 1)
    *some, whole = statuses(honest(log))
    assert whole == NOT_JUDGED
    # Under a closed record no seat can show what it was told.
    assert all(one >= NOT_JUDGED and one <= {*PARTLY, ("receipts", "SEALED")} for one in some)
