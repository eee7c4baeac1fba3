"""The verdicts of the two verifiers on a bundle, and bundles that somebody has changed."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

from msgspec import Struct

from domain.notes import VerifierKey, verifier_key
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.archive import pack, unpack
from projections.evidence.bundle import Log
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import verify
from service.cli.verify import KEYS as KEY_FILE
from service.cli.verify import saved_beside
from service.web.build import PAGE
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
from tests.support.evidence.signed_bundles import KEYS, log_of
from tests.support.repository import TESTS
from tests.support.web.verifier_pages import with_rules
from tests.support.web.verifier_script import Json, page_answers, verifying

CORPUS = TESTS / "corpus"
AUDIENCES: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, 1, MODERATOR)
GAMES = with_rules()
OTHER_LUCK = "7"
"""The bundle of other matches with the same id, signed by the same keys."""


def corpus(game: str) -> list[Path]:
    """The bundles of a game in the corpus."""
    every = sorted(CORPUS.glob("*.arb"))
    return [path for path in every if path.name.removeprefix("recorded.").startswith(f"{game}.")]


def of_corpus(game: str) -> list["Given"]:
    """The bundles of a game in the corpus, each with the note that is saved beside it."""
    keys = list(map(verifier_key, (CORPUS / KEY_FILE).read_text().split()))
    return [
        Given(path.name, path.read_bytes(), keys, receipts=saved_beside(path))
        for path in corpus(game)
    ]


class Given(Struct, frozen=True):
    """A bundle, how it was made, and what the verifier has saved earlier."""

    how: str
    bundle: bytes
    keys: Sequence[VerifierKey] = KEYS
    checkpoints: Sequence[str] = ()
    receipts: Sequence[str] = ()


def by_first(given: Given) -> Json:
    """The verdict of the Python verifier."""
    brought = VerifierInputs(given.keys, given.checkpoints, given.receipts)
    report = verify(given.bundle, brought)
    return {
        "verdict": report.verdict,
        "finding": report.finding and report.finding.claim,
        "claims": [(claim.claim, claim.status) for claim in report.claims],
        "about": (report.match, report.audience, report.game, report.events, report.sealed),
    }


def by_second(every: Sequence[Given], page: Path = PAGE) -> list[Json]:
    """The page's verdict on each of them."""
    asked = (verifying(one.bundle, one.keys, one.checkpoints, one.receipts) for one in every)
    answers = page_answers(asked, page)
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


# Changed bundles.


EVERY_EDIT = {**EDITS, **NOTE_EDITS}
STRENGTHS = ("as it is", "made to fit", "signed in part", "signed", "signed")
"""What is done about the hashes and signatures that an edit invalidates."""


def with_edit(luck: Random, games: Sequence[str] = GAMES) -> Given:
    """A bundle edited by anybody, or by somebody with every key, or with one of them."""
    game, audience, strength = luck.choice(games), luck.choice(AUDIENCES), luck.choice(STRENGTHS)
    name = luck.choice(list(EVERY_EDIT))
    honest, other = apart(game, audience), apart(luck.choice(GAMES), audience, OTHER_LUCK)
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


def with_a_byte(luck: Random, games: Sequence[str] = GAMES) -> Given:
    """A bundle with one byte changed, missing, or the last."""
    game, audience = luck.choice(games), luck.choice(AUDIENCES)
    whole = short_bundle(game, audience)
    at = luck.randrange(len(whole))
    rest = luck.choice((bytes([luck.randrange(256)]) + whole[at + 1 :], whole[at + 1 :], b""))
    return Given(f"{game} {audience} byte {at}", whole[:at] + rest)


@cache
def every_change(game: str) -> list[Change]:
    return list(changes(short_log(game).records))


def with_a_change(luck: Random, games: Sequence[str] = GAMES) -> Given:
    """A bundle of a changed record, signed by the operator; sometimes the verifier has saved parts
    of the true one."""
    game, audience = luck.choice(games), luck.choice(AUDIENCES)
    honest: Log = short_log(game)
    change = luck.choice(every_change(game))
    whole = rewritten(honest, change.records, audience)
    how = f"{game} {audience} {change.name} at {change.index}"
    if luck.random() < 0.8:
        return Given(how, whole)
    some = luck.sample(every := saved_receipts(honest), min(2, len(every)))
    beginning = log_of(honest.records[: luck.randrange(1, len(honest.records) + 1)])
    checkpoints = luck.choice(((), (saved_checkpoint(honest),), (saved_checkpoint(beginning),)))
    return Given(how, whole, checkpoints=checkpoints, receipts=luck.choice(((), some)))
