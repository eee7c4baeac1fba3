"""The verdicts of the two verifiers on a bundle, of which the page judges the evidence alone."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from domain.proof.notes import VerifierKey, verifier_key
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.case import VerifierInputs, open_bundle
from projections.evidence.verify import verify
from tests.corpus.record import KEY_FILE, saved_beside
from tests.support.evidence.signed_bundles import KEYS
from tests.support.repository import TESTS
from tests.support.web.verifier_script import Json, page_answers, verifying

CORPUS = TESTS / "corpus"
AUDIENCES: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, 1, MODERATOR)


def corpus(game: str) -> list[Path]:
    every = sorted(CORPUS.glob("*.arb"))
    return [path for path in every if path.name.removeprefix("recorded.").startswith(f"{game}.")]


def of_corpus(game: str) -> list["Given"]:
    """The bundles of a game in the corpus, each with the note that is saved next to it."""
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
    inputs = VerifierInputs(given.keys, given.checkpoints, given.receipts)
    report = verify(given.bundle, inputs)
    return {
        "verdict": report.verdict,
        "finding": report.finding and report.finding.claim,
        "claims": [(claim.claim, claim.status) for claim in report.claims],
        "about": (report.match, report.audience, report.game, report.events, report.sealed),
    }


def by_second(every: Sequence[Given]) -> list[Json]:
    """The page's verdict on each of them."""
    asked = (verifying(one.bundle, one.keys, one.checkpoints, one.receipts) for one in every)
    answers = page_answers(asked)
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


def without_rules(report: Json) -> Json:
    """The same report by a verifier that judges the evidence alone. Nor does it know of a game
    whether a draw may be among sealed events."""
    if report["finding"] not in (None, "rules", "result"):
        return report
    claims = dict(report["claims"]) | dict.fromkeys(("rules", "result"), "NOT JUDGED")
    if (claims["openings"], claims["chance"]) == ("SEALED", "PASS"):
        claims["chance"] = "SEALED"
    verdict = "SEALED" if "SEALED" in claims.values() else "HOLDS"
    return {**report, "verdict": verdict, "finding": None, "claims": list(claims.items())}


@cache
def listed() -> list[str]:
    """The stored names of the events of which the page has a table."""
    (answer,) = page_answers([{"ask": "kinds"}])
    return [name for name, *_ in answer.answer]


FORM = re.compile(
    r"event (\d+) (cannot be read|holds what JSON cannot say|is not spelt as events are stored"
    r"|is not public, and its leaf is|is public, and its leaf is not|is opened to those)"
)
"""Findings about the form of an event, and for whom it is."""


def agrees(given: Given, second: Json) -> bool:
    """Whether the page's verdict on a changed bundle is the Python verifier's on its evidence. It
    is less strict about the form of events of which it has no table, and more about their names:
    in the Python verifier the rules say which events are of another game."""
    first = by_first(given)
    if second == without_rules(first):
        return True
    if second["finding"] == "openings":
        return first["finding"] is not None and is_foreign(given)
    return first["finding"] == "openings" and is_unlisted(given)


def is_foreign(given: Given) -> bool:
    """Whether there is an event of another game than the manifest says."""
    case = open_bundle(given.bundle, VerifierInputs(given.keys))
    stored = [one.p for one in case.leaves if isinstance(one.p, bytes)]
    stored += [one.event for one in case.openings]
    return not all(name_of(one).startswith(("match.", f"{case.manifest.game}.")) for one in stored)


def name_of(stored: bytes) -> str:
    """The stored name of an event; empty if it cannot be read."""
    try:
        return str(msgspec.msgpack.decode(stored)[1]["type"])
    except (msgspec.DecodeError, LookupError, TypeError):
        return ""


def is_unlisted(given: Given) -> bool:
    """Whether what is wrong is the form of an event of which the page has no table: no evidence
    rests on it."""
    finding = verify(given.bundle, VerifierInputs(given.keys)).finding
    assert finding is not None
    said = FORM.match(finding.text)
    if said is None:
        return False
    case, index = open_bundle(given.bundle, VerifierInputs(given.keys)), int(said[1])
    opening = (one.event for one in case.openings if one.n == index)
    leaf = case.leaves[index].p
    stored = leaf if isinstance(leaf, bytes) else next(opening)
    return name_of(stored) not in listed()


def on_evidence(given: Given) -> Json:
    """The verdict of the page on a bundle: the same as the Python verifier's on its evidence."""
    (second,) = by_second([given])
    assert second == without_rules(by_first(given)), given.how
    return second


def agreed(given: Given) -> Json:
    """The verdict of the Python verifier; the page has the same on the evidence."""
    assert agrees(given, *by_second([given])), given.how
    return by_first(given)
