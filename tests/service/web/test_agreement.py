"""Two verifiers that share no line give the same verdict on the evidence in a bundle, honest or
not: each claim, and after the first that fails, nothing more. One of them judges the rules, too."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from domain.events import Event, stored_name
from domain.games import GAMES
from domain.match.events import Directed, SeedRevealed
from domain.proof.notes import VerifierKey
from domain.rulings.events import MatchRuled
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.archive import pack, unpack
from projections.evidence.bundle import MatchLog
from tests.recorded.files import created, outcome, recorded, records
from tests.support.effort import times
from tests.support.evidence.bundle_edits import EDITS, NOTE_EDITS, edited
from tests.support.evidence.forged_bundles import (
    Parts,
    apart,
    rehashed,
    resigned,
    rewritten,
    saved_checkpoint,
    saved_receipts,
    short_bundle,
    short_log,
)
from tests.support.evidence.record_changes import Change, changes
from tests.support.evidence.signed_bundles import (
    KEYS,
    RECEIPTS,
    SIGNER,
    STRANGER,
    bundled,
    log_of,
    played,
)
from tests.support.tables.forged_records import without
from tests.support.tables.rewound_matches import REWOUND
from tests.support.web.two_verdicts import (
    AUDIENCES,
    Given,
    agrees,
    by_second,
    of_corpus,
    on_evidence,
)
from tests.support.web.verifier_script import Json

BUNDLES = times("bundles")
"""Number of bundles that are changed and judged twice."""

AT_ONCE = 250


AUDIENCE = pytest.mark.parametrize("audience", AUDIENCES)
PARTS = [audience for audience in AUDIENCES if audience != MODERATOR]


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


OTHER_LUCK = "7"
"""The bundle of other matches with the same id, signed by the same keys."""

EVERY_EDIT = {**EDITS, **NOTE_EDITS}
STRENGTHS = ("as it is", "made to fit", "signed in part", "signed", "signed")
"""What is done about the hashes and signatures that an edit invalidates."""


def with_edit(luck: Random) -> Given:
    """A bundle edited by anyone, or by someone with every key, or with one of them."""
    game, audience, strength = (
        luck.choice(list(GAMES)),
        luck.choice(AUDIENCES),
        luck.choice(STRENGTHS),
    )
    name = luck.choice(list(EVERY_EDIT))
    honest, other = apart(game, audience), apart(luck.choice(list(GAMES)), audience, OTHER_LUCK)
    parts = edited(EVERY_EDIT[name], luck, honest, other) or honest
    return Given(f"{game} {audience} {name}, {strength}", fitted(parts, honest, strength))


def fitted(parts: Parts, honest: Parts, strength: str) -> bytes:
    try:
        match strength:
            case "made to fit":
                return pack(rehashed(parts))
            case "signed in part":
                return pack({**unpack(resigned(parts)), "checkpoint": honest["checkpoint"]})
            case "signed":
                return resigned(parts)
    except (ValueError, KeyError):
        pass  # what cannot be read cannot be made to fit
    return pack(parts)


def with_a_byte(luck: Random) -> Given:
    """A bundle with one byte changed, missing, or the last."""
    game, audience = luck.choice(list(GAMES)), luck.choice(AUDIENCES)
    whole = short_bundle(game, audience)
    at = luck.randrange(len(whole))
    rest = luck.choice((bytes([luck.randrange(256)]) + whole[at + 1 :], whole[at + 1 :], b""))
    return Given(f"{game} {audience} byte {at}", whole[:at] + rest)


@cache
def every_change(game: str) -> list[Change]:
    return list(changes(short_log(game).records))


def with_a_change(luck: Random) -> Given:
    """A bundle of a changed record, signed by the operator; sometimes the verifier has saved parts
    of the true one."""
    game, audience = luck.choice(list(GAMES)), luck.choice(AUDIENCES)
    honest: MatchLog = short_log(game)
    change = luck.choice(every_change(game))
    whole = rewritten(honest, change.records, audience)
    how = f"{game} {audience} {change.name} at {change.index}"
    if luck.random() < 0.8:
        return Given(how, whole)
    some = luck.sample(every := saved_receipts(honest), min(2, len(every)))
    beginning = log_of(honest.records[: luck.randrange(1, len(honest.records) + 1)])
    checkpoints = luck.choice(((), (saved_checkpoint(honest),), (saved_checkpoint(beginning),)))
    return Given(how, whole, checkpoints=checkpoints, receipts=luck.choice(((), some)))


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
    """Among them matches that were ruled on, rewound and protested against; the corpus has what
    moderators see of each."""
    log = log_of(records(name), outcome(name).match)
    agreed([Given(f"{name} {audience}", bundled(log, audience)) for audience in PARTS])


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


@pytest.mark.parametrize("name", REWINDS)
def test_changed_epochs_are_judged_alike(name: str) -> None:
    """Of matches that were rewound: each branch has a seed of its own. Audiences by turns."""
    audience = AUDIENCES[REWINDS.index(name) % len(AUDIENCES)]
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


# Behind every order stands whose it is: a bundle in which no one is named there fails in both
# verifiers, though everything else is as it was, and signed.

ORDERS = (
    "match.started.1", "match.draw-settled.1", "match.sealed-draw-settled.1",
    "match.draw-refused.1", "match.phase-closed.1", "pause", "resume", "match.key-issued.1",
    "match.key-ended.1", "match.moderator-key-issued.1", "match.moderator-key-ended.1",
    "match.ruling-proposed.1", "match.ruling-withdrawn.1", "match.seat-ruled.1",
    "match.sealed-ruled.1",
)  # fmt: skip


def kind(event: Event) -> str:
    return event.kind if isinstance(event, MatchRuled) else stored_name(type(event))


@cache
def examples() -> dict[str, tuple[str, int]]:
    """Of each kind of order one on record: the match, and the index of who gave it."""
    found = dict[str, tuple[str, int]]()
    for name in recorded():
        for index, (order, behind) in enumerate(pairwise(records(name)), 1):
            if isinstance(behind.event, Directed):
                found.setdefault(kind(order.event), (name, index))
    return found


def test_there_is_an_example_of_every_order() -> None:
    assert set(ORDERS) <= set(examples())


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_of_nobody_fails(order: str) -> None:
    name, index = examples()[order]
    honest = log_of(records(name), outcome(name).match)
    forged = without(honest.records, index)
    found = on_evidence(Given(order, rewritten(honest, forged, MODERATOR)))
    assert found["finding"] == "receipts"


def test_it_fails_to_the_public_too_while_the_match_goes_on() -> None:
    """In a bundle in which the next leaf is public: no one can be named there."""
    name, index = examples()["match.started.1"]
    forged = log_of(without(records(name), index)[: index + 1], outcome(name).match)
    found = on_evidence(Given(name, bundled(forged, PUBLIC_VIEWER)))
    assert found["finding"] == "receipts"
