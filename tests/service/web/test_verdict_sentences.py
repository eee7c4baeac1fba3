"""What both verifiers say of a match in a sentence, next to what they have judged of it."""

from collections.abc import Iterable, Sequence

import pytest
from msgspec import Struct

from domain.proof.notes import VerifierKey, verifier_key
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import Report, verify
from service.cli.auditing.verify import meaning
from service.web.texts import languages
from tests.corpus.record import KEY_FILE
from tests.support.evidence import signed_bundles
from tests.support.evidence.signed_bundles import bundled, log_of, played
from tests.support.repository import TESTS
from tests.support.web.verifier_script import Json, page_answers, verifying

CORPUS = TESTS / "corpus"
KEYS = list(map(verifier_key, (CORPUS / KEY_FILE).read_text().split()))
LOG_KEYS = [key for key in KEYS if key.name.endswith("/log")]

WHOLE, BY_HAND, PARTIAL = (
    "twelve-chips.0.server.arb",
    "twelve-chips.4.manual.arb",
    "partial/liars-dice.0.server.seat-0.arb",
)
NOTHING_WRONG = "Nothing is wrong in "
NOT_ALL = "could be judged, and not all of it could."
FAILED = "Something is wrong. What comes after it was not judged."


class Row(Struct, frozen=True):
    """A bundle, by which keys it is judged, and what is left unjudged of it by each verifier; then
    the sentence of each."""

    bundle: str
    keys: Sequence[VerifierKey]
    unjudged: dict[str, str]
    says: str
    page_says: str


ROWS = [
    Row(
        WHOLE, KEYS, {}, "All claims hold.",
        "The evidence holds: nothing on record was changed since it was signed, every receipt is "
        "honoured, and chance came out as it was fixed beforehand.",
    ),
    Row(
        BY_HAND, KEYS, {"chance": "MANUAL"},
        "All claims hold. Chance cannot be judged: draws were entered by hand, not derived from a "
        "seed.",
        "The evidence holds. Chance cannot be judged: draws were entered by hand, not derived from "
        "a seed.",
    ),
    Row(
        PARTIAL, KEYS, dict.fromkeys(("openings", "chance", "rules"), "SEALED"),
        f"{NOTHING_WRONG}what {NOT_ALL}", f"{NOTHING_WRONG}the evidence that {NOT_ALL}",
    ),
    Row(
        WHOLE, LOG_KEYS, {"receipts": "SEALED"},
        f"{NOTHING_WRONG}what {NOT_ALL}", f"{NOTHING_WRONG}the evidence that {NOT_ALL}",
    ),
    Row(
        BY_HAND, LOG_KEYS, {"receipts": "SEALED", "chance": "MANUAL"},
        f"{NOTHING_WRONG}what {NOT_ALL}", f"{NOTHING_WRONG}the evidence that {NOT_ALL}",
    ),
    Row(WHOLE, [], {"signatures": "FAIL"}, FAILED, FAILED),
]  # fmt: skip


def by_first(row: Row) -> Report:
    return verify((CORPUS / row.bundle).read_bytes(), VerifierInputs(row.keys))


def by_page(row: Row) -> Json:
    (answer,) = page_answers([verifying((CORPUS / row.bundle).read_bytes(), row.keys)])
    report: Json = answer.answer
    return report


def unjudged(claims: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The claims that did not pass, but for those that the page leaves to others."""
    return {name: said for name, said in claims if said not in ("PASS", "NOT JUDGED")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.bundle} by {len(row.keys)} keys")
def test_a_verdict_says_what_was_judged(row: Row) -> None:
    report, shown = by_first(row), by_page(row)
    assert unjudged((one.claim, one.status) for one in report.claims) == row.unjudged
    assert meaning(report) == row.says
    assert languages()["en"].say(f"verified.means.{shown['means']}") == row.page_says
    without_rules = {name: said for name, said in row.unjudged.items() if name != "rules"}
    assert unjudged((one["claim"], one["status"]) for one in shown["claims"]) == without_rules


def test_nothing_that_was_not_given_is_said_to_hold() -> None:
    """The public's bundle has no receipts, and no checkpoint was saved."""
    bundle = bundled(log_of(played("dollar-prize").records), "public")
    report = verify(bundle, VerifierInputs(signed_bundles.KEYS))
    (answer,) = page_answers([verifying(bundle, signed_bundles.KEYS)])
    said = {one.claim: one.text for one in report.claims}
    shown = {one["claim"]: one["text"] for one in answer.answer["claims"]}
    for texts in (said, shown):
        assert texts["receipts"] == "there are none in the bundle, and none were given"
        assert texts["checkpoints"] == "no earlier checkpoints were given"
