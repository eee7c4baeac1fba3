"""Two verifiers that share no line give the same verdict on the evidence in a bundle, honest or
not: each claim, and after the first that fails, nothing more. One of them judges the rules, too."""

import re
from collections.abc import Sequence
from random import Random

import pytest

from domain.games import GAMES
from domain.match.events import SeedRevealed
from domain.proof.notes import VerifierKey
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.recorded.files import created, outcome, recorded, records
from tests.support.effort import times
from tests.support.evidence.forged_bundles import (
    rewritten,
    saved_receipts,
    short_bundle,
    short_log,
)
from tests.support.evidence.record_changes import changes
from tests.support.evidence.signed_bundles import (
    KEYS,
    RECEIPTS,
    SIGNER,
    STRANGER,
    bundled,
    log_of,
    played,
)
from tests.support.tables.rewound_matches import REWOUND
from tests.support.web.two_verdicts import (
    AUDIENCES,
    Given,
    agrees,
    by_second,
    of_corpus,
    with_a_byte,
    with_a_change,
    with_edit,
)
from tests.support.web.verifier_script import Json

BUNDLES = times("bundles")
"""Number of bundles that are changed and judged twice."""

AT_ONCE = 250


AUDIENCE = pytest.mark.parametrize("audience", AUDIENCES)


def agreed(every: Sequence[Given]) -> list[Json]:
    """The page's verdict, which is the common one on the evidence."""
    found: list[Json] = []
    for first in range(0, len(every), AT_ONCE):
        some = every[first : first + AT_ONCE]
        for given, second in zip(some, by_second(some), strict=True):
            assert agrees(given, second), given.how
            found.append(second)
    return found


def failing(found: Sequence[Json]) -> set[str]:
    """The claims that have failed."""
    return {one["finding"] for one in found} - {None}


# Honest ones.


def test_bundles_of_the_corpus_are_judged_alike() -> None:
    every = [given for game in GAMES for given in of_corpus(game)]
    assert any(given.receipts for given in every)
    assert {one["verdict"] for one in agreed(every)} == {"HOLDS"}


@pytest.mark.parametrize("game", GAMES)
def test_honest_bundles_of_every_audience_are_judged_alike(game: str) -> None:
    log = log_of(played(game, "agreed").records)
    every = [Given(f"{audience}", bundled(log, audience)) for audience in AUDIENCES]
    *some, whole = agreed(every)
    assert {one["verdict"] for one in some} == {"SEALED"} and whole["verdict"] == "HOLDS"


@pytest.mark.parametrize("name", recorded())
def test_recorded_matches_are_judged_alike(name: str) -> None:
    """Among them matches that were ruled on, rewound and protested against."""
    log = log_of(records(name), outcome(name).match)
    agreed([Given(f"{name} {audience}", bundled(log, audience)) for audience in AUDIENCES])


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
        "container", "signatures", "log", "checkpoints", "openings", "receipts", "chance",
    }  # fmt: skip
    assert {one["verdict"] for one in found} == {"HOLDS", "FAIL", "SEALED"}


SAMPLE = 20
REWINDS = [f"{game}.{kind}" for kind, (game, _) in REWOUND.items()]
OF_CHANCE = re.compile(r"match\.(rewound|seed|sealed-seed|draw|sealed-draw)")


@AUDIENCE
@pytest.mark.parametrize("name", REWINDS)
def test_changed_epochs_are_judged_alike(name: str, audience: Viewer) -> None:
    """Of matches that were rewound: each branch has a seed of its own."""
    honest = log_of(records(name), outcome(name).match)
    every = list(changes(honest.records, lambda kind: bool(OF_CHANCE.match(kind))))
    found = agreed(
        [
            Given(f"{name} {one.name} at {one.index}", rewritten(honest, one.records, audience))
            for one in Random(name).sample(every, min(SAMPLE, len(every)))
        ]
    )
    assert created(name).chance == "manual" or "chance" in failing(found)


@AUDIENCE
def test_a_seed_that_is_not_revealed_with_the_others_fails(audience: Viewer) -> None:
    name = "grouping-bw.rewound"
    match, whole = outcome(name).match, records(name)
    every = [
        Given(name, bundled(log_of([*whole[:place], *whole[place + 1 :]], match), audience))
        for place, record in enumerate(whole)
        if isinstance(record.event, SeedRevealed)
    ]
    assert len(every) > 1 and failing(agreed(every)) == {"chance"}
