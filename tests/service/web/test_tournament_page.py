"""The page judges of a tournament what it can without the rules: its log, its receipts, its lots,
the matches inside and how they count; of everything else it says that it has not."""

import pytest

from projections.audience.disclosure import Viewer
from projections.evidence.verify import verify
from tests.support.evidence.signed_bundles import RECEIPTS, trusted
from tests.support.evidence.tournament_bundles import cup_bundle, cup_log, proven_cup
from tests.support.evidence.tournament_forgeries import FORGERIES, HONEST
from tests.support.web.two_verdicts import Given, by_second

LEFT = ("pairings", "standings", "postings", "rules")
"""The claims that need the rules of tournaments."""

AUDIENCES: tuple[Viewer, ...] = (*HONEST, 2)


def verdicts(*bundles: Given) -> list[dict[str, str]]:
    return [dict(found["claims"]) for found in by_second(bundles)]


def test_an_honest_tournament_holds_as_far_as_the_page_judges_it() -> None:
    given = [Given(str(audience), cup_bundle(audience=audience)) for audience in AUDIENCES]
    for audience, claims in zip(AUDIENCES, verdicts(*given), strict=True):
        wanted = {
            one.claim: one.status for one in verify(cup_bundle(audience=audience), trusted()).claims
        }
        assert claims == {**wanted, **dict.fromkeys(LEFT, "NOT JUDGED")}


@pytest.mark.parametrize("audience", HONEST)
def test_the_page_finds_what_it_can_judge(audience: Viewer) -> None:
    judged = {
        name: one for name, one in FORGERIES.items() if one[1] in ("lots", "matches", "results")
    }
    given = [Given(name, cup_bundle(change, audience)) for name, (change, _) in judged.items()]
    found = {one.how: claims for one, claims in zip(given, verdicts(*given), strict=True)}
    missed = {name for name, claims in found.items() if "FAIL" not in claims.values()}
    of_results = {name for name, one in judged.items() if one[1] == "results"}
    assert {found[name]["results"] for name in of_results} == {"FAIL"}
    # What a draw is for, and for whom a match was added, are rules.
    assert missed == {"a match of others", "a match of another game", "a lot's purpose"}


def test_the_page_judges_receipts_that_were_kept() -> None:
    kept = [RECEIPTS.sign(said) for said in cup_log(proven_cup().records).receipts(2)]
    change, _ = FORGERIES["a player's rating"]
    honest, forged = verdicts(
        Given("honest", cup_bundle(), receipts=kept),
        Given("forged", cup_bundle(change), receipts=kept),
    )
    assert (honest["receipts"], forged["receipts"]) == ("PASS", "FAIL")
