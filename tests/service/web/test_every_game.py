"""The page judges the evidence of every game, and never its rules: of those that are registered, of
a toy that is not, and of matches by another version of the rules.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import pytest

from domain.encoding import encode
from domain.events import Event, Record
from domain.games import GAMES
from domain.games.twelve_chips.events import RoundBegan
from domain.match.batches import batches
from domain.match.events import ActionReceived, Directed, DrawSettled, MatchEnded, SealedDrawSettled
from domain.match.state import AnyGame
from domain.proof.subjects import of_match
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.evidence.archive import pack
from projections.evidence.bundle import MatchLog
from service.cli.simulating.simulation import MATCH, SimulatedMatch
from tests.support.evidence.bundle_edits import EDITS, NOTE_EDITS, edited
from tests.support.evidence.forged_bundles import (
    apart,
    rehashed,
    rewritten,
    saved_checkpoint,
    saved_receipts,
    short_bundle,
    short_log,
)
from tests.support.evidence.record_changes import Records, altered, sampled
from tests.support.evidence.signed_bundles import KEYS, LOG_KEY, RECEIPTS, bundled, log_of
from tests.support.games import DRAWING
from tests.support.tables import toy_game
from tests.support.web.two_verdicts import (
    AUDIENCES,
    OTHER_LUCK,
    Given,
    agrees,
    by_first,
    by_second,
    with_a_byte,
    with_a_change,
    with_edit,
)
from tests.support.web.verifier_script import page_answers, verifying

BUNDLES = 50
"""Number of bundles of each game that are changed."""

COMMAND = "arbiter verify FILE --key KEYS"
SEATS = 3
SETTLED = (DrawSettled, SealedDrawSettled)

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


# Changed ones.


@EVERY_GAME
def test_nobody_without_a_key_can_change_anything(game: str) -> None:
    luck, every = Random(f"no key {game}"), list[Given]()
    edits = {**EDITS, **NOTE_EDITS}
    while len(every) < BUNDLES:
        name, audience = luck.choice(list(edits)), luck.choice(AUDIENCES)
        parts, other = apart(game, audience), apart(luck.choice(list(GAMES)), audience, OTHER_LUCK)
        changed = edited(edits[name], luck, parts, other)
        if changed is not None:
            fitted = rehashed(changed) if luck.random() < 0.5 and name in EDITS else changed
            every.append(Given(f"{audience} {name}", pack(fitted)))
    for given, second in zip(every, by_second(every), strict=True):
        assert second["verdict"] == "FAIL", given.how
        assert second["finding"] == by_first(given)["finding"], given.how


@EVERY_GAME
def test_a_saved_checkpoint_detects_every_change(game: str) -> None:
    """Of the operator, who has every key."""
    log, luck = short_log(game), Random(f"kept {game}")
    every = [
        Given(
            f"{audience} {change.name} at {change.index}",
            rewritten(log, change.records, audience),
            checkpoints=[saved_checkpoint(log)],
        )
        for change in sampled(log.records, luck, BUNDLES)
        for audience in [luck.choice(AUDIENCES)]
    ]
    for given, second in zip(every, by_second(every), strict=True):
        assert second["verdict"] == "FAIL", given.how


MAKERS = (with_edit, with_a_byte, with_a_change, with_a_change, with_a_change)


@EVERY_GAME
def test_faults_of_the_evidence_are_found_and_the_rules_are_left(game: str) -> None:
    luck = Random(f"wrong {game}")
    every = [luck.choice(MAKERS)(luck, [game]) for _ in range(BUNDLES)]
    found, left = set[str](), set[str]()
    for given, second in zip(every, by_second(every), strict=True):
        assert agrees(given, second), given.how
        found.add(second["finding"])
        if second["finding"] is None:
            assert ("rules", "NOT JUDGED") in second["claims"], given.how
            left.add(by_first(given)["finding"])
    assert len(found - {None}) >= 2
    assert "rules" in left


# One fault of each kind, made by the operator.


def first_draw(log: MatchLog) -> int | None:
    """The index of the settlement of a match's first draw."""
    return next((i for i, one in enumerate(log.records) if isinstance(one.event, SETTLED)), None)


def with_other_chance(log: MatchLog) -> Records:
    """The record in which the first draw came out otherwise."""
    records, at = log.records, first_draw(log)
    assert at is not None
    outcomes = [one for field, one in altered(records[at].event) if field == "outcome"]
    other = Record(records[at].at, records[at].back, outcomes[0])
    return [*records[:at], other, *records[at + 1 :]]


@pytest.mark.parametrize("game", DRAWING)
def test_a_draw_with_another_outcome_is_found(game: str) -> None:
    logs = (short_log(game, str(luck)) for luck in count())
    log = next(log for log in logs if first_draw(log) is not None)
    forged = rewritten(log, with_other_chance(log))
    (found,) = by_second([Given("draw", forged)])
    assert found["finding"] == "chance"


@EVERY_GAME
def test_a_dropped_submission_is_found_by_its_receipt(game: str) -> None:
    log = short_log(game)
    acted = [i for i, one in enumerate(log.records) if isinstance(one.event, ActionReceived)]
    dropped = rewritten(log, [*log.records[: acted[-1]], *log.records[acted[-1] + 1 :]])
    given = [Given("kept", dropped, receipts=saved_receipts(log)), Given("not kept", dropped)]
    kept, not_kept = by_second(given)
    assert kept["finding"] == "receipts" and not_kept["verdict"] == "HOLDS"


@EVERY_GAME
def test_a_receipt_counts_the_events_that_its_seat_may_see(game: str) -> None:
    """Also events of the game, whose audiences the page does not know."""
    log = short_log(game)
    text = list(log.receipts())[-1]
    (said,) = re.findall(r"\ncount (\d+)\n", text)
    other = RECEIPTS.signed(text.replace(f"count {said}\n", f"count {int(said) - 1}\n"))
    (found,) = by_second([Given("count", bundled(log), receipts=[other])])
    assert found["finding"] == "receipts"


def test_an_event_of_another_game_is_found() -> None:
    log = short_log("dollar-prize")
    end = next(i for i, one in enumerate(log.records) if isinstance(one.event, MatchEnded))
    foreign = Record(log.records[end].at, log.records[end].back, RoundBegan(1, 0))
    changed = rewritten(log, [*log.records[:end], foreign, *log.records[end:]])
    (found,) = by_second([Given("foreign", changed)])
    assert found["finding"] == "openings"
