"""Two verifiers that share no line give the same verdict on a bundle, honest or not: each claim,
and after the first that fails, nothing more."""

import os
from collections.abc import Sequence
from random import Random

import pytest

from domain.notes import VerifierKey
from projections.disclosure import MODERATOR, PUBLIC_VIEWER
from tests.support.evidence.forged_bundles import saved_receipts, short_bundle, short_log
from tests.support.evidence.signed_bundles import (
    KEYS,
    RECEIPTS,
    SIGNER,
    STRANGER,
    bundled,
    log_of,
    played,
)
from tests.support.web.two_verdicts import (
    AUDIENCES,
    GAMES,
    Given,
    by_first,
    by_second,
    of_corpus,
    with_a_byte,
    with_a_change,
    with_edit,
)
from tests.support.web.verifier_script import Json

BUNDLES = int(os.environ.get("ARBITER_TEST_BUNDLES", "400"))
"""Number of bundles that are changed and judged twice."""

AT_ONCE = 250


def agreed(every: Sequence[Given]) -> list[Json]:
    """The common verdict."""
    found: list[Json] = []
    for first in range(0, len(every), AT_ONCE):
        some = every[first : first + AT_ONCE]
        for given, second in zip(some, by_second(some), strict=True):
            assert second == by_first(given), given.how
            found.append(second)
    return found


def failing(found: Sequence[Json]) -> set[str]:
    """The claims that have failed."""
    return {one["finding"] for one in found} - {None}


# Honest ones.


def test_bundles_of_the_corpus_are_judged_alike() -> None:
    every = [given for game in GAMES for given in of_corpus(game)]
    assert any(given.receipts for given in every)
    assert {one["verdict"] for one in agreed(every)} == {"PASS"}


@pytest.mark.parametrize("game", GAMES)
def test_honest_bundles_of_every_audience_are_judged_alike(game: str) -> None:
    log = log_of(played(game, "agreed").records)
    every = [Given(f"{audience}", bundled(log, audience)) for audience in AUDIENCES]
    *some, whole = agreed(every)
    assert {one["verdict"] for one in some} == {"SEALED"} and whole["verdict"] == "PASS"


def test_a_match_that_is_not_over_is_judged_alike() -> None:
    log = short_log("grouping-bw")
    beginnings = [log_of(log.records[:length]) for length in range(1, len(log.records))]
    every = [
        Given(f"{len(one.states)} events", bundled(one, audience))
        for one in beginnings
        for audience in (PUBLIC_VIEWER, 0, MODERATOR)
    ]
    assert "SEALED" in {one["verdict"] for one in agreed(every)}


KEYRINGS: dict[str, Sequence[VerifierKey]] = {
    "none": (),
    "that of the log": (SIGNER.verifier,),
    "that of receipts": (RECEIPTS.verifier,),
    "another": (STRANGER.verifier,),
    "another one besides": (STRANGER.verifier, *KEYS),
}


@pytest.mark.parametrize("name", KEYRINGS)
def test_bundles_are_judged_alike_with_any_keys(name: str) -> None:
    agreed(
        [
            Given(name, short_bundle("dollar-prize", audience), KEYRINGS[name], receipts=receipts)
            for audience in AUDIENCES
            for receipts in ((), saved_receipts(short_log("dollar-prize"))[:2])
        ]
    )


# Changed ones.


def test_changed_bundles_are_judged_alike() -> None:
    luck = Random("agreement")
    makers = (with_edit, with_edit, with_a_byte, with_a_change, with_a_change)
    found = agreed([luck.choice(makers)(luck) for _ in range(BUNDLES)])
    assert failing(found) >= {
        "container", "signatures", "log", "checkpoints", "openings", "receipts", "chance", "rules",
    }  # fmt: skip
    assert {one["verdict"] for one in found} == {"PASS", "FAIL", "SEALED"}
