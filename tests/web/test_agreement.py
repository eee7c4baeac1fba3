"""Two verifiers that share no line say the same of a bundle, honest or not: each claim, and at the
first that fails, nothing more."""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest
from msgspec import Struct

from domain.notes import VerifierKey, verifier_key
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.archive import packed, unpacked
from projections.evidence.bundle import Log
from projections.evidence.case import Brought
from projections.evidence.verify import verify
from tests.evidence import KEYS, RECEIPTS, SIGNER, STRANGER, bundled, log_of, played
from tests.projections.editing import EDITS, NOTE_EDITS, edited
from tests.projections.forging import (
    SHORT,
    Parts,
    apart,
    kept_checkpoint,
    kept_receipts,
    rehashed,
    resigned,
    rewritten,
    short_bundle,
    short_log,
)
from tests.projections.tampering import Change, changes
from tests.web.asking import Json, told, verifying

BUNDLES = int(os.environ.get("ARBITER_TEST_BUNDLES", "1000"))
"""How many bundles are changed and judged twice."""

AT_ONCE = 250

CORPUS = Path(__file__).parents[1] / "corpus"
AUDIENCES: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, 1, MODERATOR)
GAMES = list(SHORT)
OTHER_LUCK = "7"
"""That of other matches: they bear the same id, and are signed by the same keys."""


class Given(Struct, frozen=True):
    """A bundle, how it was made, and what the verifier has brought along."""

    how: str
    bundle: bytes
    keys: Sequence[VerifierKey] = KEYS
    checkpoints: Sequence[str] = ()
    receipts: Sequence[str] = ()


def by_first(given: Given) -> Json:
    """What the verifier in Python says."""
    brought = Brought(given.keys, given.checkpoints, given.receipts)
    report = verify(given.bundle, brought)
    return {
        "verdict": report.verdict,
        "finding": report.finding and report.finding.claim,
        "claims": [(claim.claim, claim.status) for claim in report.claims],
        "about": (report.match, report.audience, report.game, report.events, report.sealed),
    }


def by_second(every: Sequence[Given]) -> list[Json]:
    """What the page says to each of them."""
    answers = told(verifying(one.bundle, one.keys, one.checkpoints, one.receipts) for one in every)
    assert [answer.why for answer in answers if answer.error is not None] == []
    return [_outcome(answer.answer) for answer in answers]


def _outcome(report: Json) -> Json:
    finding = report["finding"]
    return {
        "verdict": report["verdict"],
        "finding": finding and finding["claim"],
        "claims": [(claim["claim"], claim["status"]) for claim in report["claims"]],
        "about": tuple(report[name] for name in ("match", "audience", "game", "size", "sealed")),
    }


def agreed(every: Sequence[Given]) -> list[Json]:
    """What both say."""
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
    keys = list(map(verifier_key, (CORPUS / "keys").read_text().split()))
    every = [Given(path.name, path.read_bytes(), keys) for path in sorted(CORPUS.glob("*.arb"))]
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
def test_whatever_keys_there_are_bundles_are_judged_alike(name: str) -> None:
    agreed(
        [
            Given(name, short_bundle("dollar-prize", audience), KEYRINGS[name], receipts=receipts)
            for audience in AUDIENCES
            for receipts in ((), kept_receipts(short_log("dollar-prize"))[:2])
        ]
    )


# Changed ones.


EVERY_EDIT = {**EDITS, **NOTE_EDITS}
STRENGTHS = ("as it is", "made to fit", "signed in part", "signed", "signed")
"""What is done about the hashes and signatures that an edit spoils."""


def with_edit(luck: Random) -> Given:
    """A bundle edited: by whoever has it, or by who has every key, or one of them."""
    game, audience, strength = luck.choice(GAMES), luck.choice(AUDIENCES), luck.choice(STRENGTHS)
    name = luck.choice(list(EVERY_EDIT))
    honest, other = apart(game, audience), apart(luck.choice(GAMES), audience, OTHER_LUCK)
    parts = edited(EVERY_EDIT[name], luck, honest, other) or honest
    return Given(f"{game} {audience} {name}, {strength}", fitted(parts, honest, strength))


def fitted(parts: Parts, honest: Parts, strength: str) -> bytes:
    try:
        match strength:
            case "made to fit":
                return packed(rehashed(parts))
            case "signed in part":
                return packed({**unpacked(resigned(parts)), "checkpoint": honest["checkpoint"]})
            case "signed":
                return resigned(parts)
    except (ValueError, KeyError):
        pass  # what cannot be read cannot be made to fit
    return packed(parts)


def with_a_byte(luck: Random) -> Given:
    """A bundle with a byte that is another one, is missing, or is the last."""
    game, audience = luck.choice(GAMES), luck.choice(AUDIENCES)
    whole = short_bundle(game, audience)
    at = luck.randrange(len(whole))
    rest = luck.choice((bytes([luck.randrange(256)]) + whole[at + 1 :], whole[at + 1 :], b""))
    return Given(f"{game} {audience} byte {at}", whole[:at] + rest)


@cache
def every_change(game: str) -> list[Change]:
    return list(changes(short_log(game).records))


def with_a_change(luck: Random) -> Given:
    """A bundle of a record in which something was changed, signed by the operator; now and then
    somebody has kept something of the true one."""
    game, audience = luck.choice(GAMES), luck.choice(AUDIENCES)
    honest: Log = short_log(game)
    change = luck.choice(every_change(game))
    whole = rewritten(honest, change.records, audience)
    how = f"{game} {audience} {change.name} at {change.index}"
    if luck.random() < 0.8:
        return Given(how, whole)
    some = luck.sample(every := kept_receipts(honest), min(2, len(every)))
    beginning = log_of(honest.records[: luck.randrange(1, len(honest.records) + 1)])
    checkpoints = luck.choice(((), (kept_checkpoint(honest),), (kept_checkpoint(beginning),)))
    return Given(how, whole, checkpoints=checkpoints, receipts=luck.choice(((), some)))


def test_changed_bundles_are_judged_alike() -> None:
    luck = Random("agreement")
    makers = (with_edit, with_edit, with_a_byte, with_a_change, with_a_change)
    found = agreed([luck.choice(makers)(luck) for _ in range(BUNDLES)])
    assert failing(found) >= {
        "container", "signatures", "log", "checkpoints", "openings", "receipts", "chance", "rules",
    }  # fmt: skip
    assert {one["verdict"] for one in found} == {"PASS", "FAIL", "SEALED"}
