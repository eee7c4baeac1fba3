"""An operator shows one commitment to a seed, waits for the seats' seeds, and then exchanges the
seed for one that suits someone. Notes that were kept from before show it, to both verifiers."""

from collections.abc import Iterator
from functools import cache

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.games.twelve_chips.events import HandDealt
from domain.match.commands import GiveClientSeed
from domain.match.events import ClientSeedGiven, MatchCreated
from domain.proof.notes import read
from domain.proof.receipts import ReceiptText, Receiver, parse, text
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.bundle import MatchLog
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.support.evidence.forged_bundles import saved_creation, saved_receipts
from tests.support.evidence.signed_bundles import LOG_KEY, RECEIPTS, SIGNER, bundled, log_of
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH, MatchTable
from tests.support.web.two_verdicts import AUDIENCES, Given, on_evidence

SALTS = (b"a" * 16, b"b" * 16)
FAVOURED, BEST = 0, 12
"""The seat that the operator favours, and the best chip."""


def table(seed: int, chance: str = "server", **fields: object) -> MatchTable:
    """A match of 12 Chips to which both seats have added, from one of the operator's seeds."""
    game = GAMES["twelve-chips"]
    secret = SeedStored(0, seed.to_bytes(32, "big"), SALTS)
    created = MatchCreated(game.id, game.rules_version, {}, 2, chance, **fields)  # type: ignore[arg-type]
    played = MatchTable(game, created, NOON, MatchSecrets(LOG_KEY, (secret,)), MATCH)
    if chance == "manual":
        return played
    return played.when(GiveClientSeed(0, "dice")).when(GiveClientSeed(1, "more dice"))


@cache
def shown() -> MatchLog:
    """What everyone saw before the start, after the commitment that the operator then shows."""
    return log_of(table(1).records, MATCH)


@cache
def ground() -> MatchLog:
    """The match from the first other seed that deals the best chip to the favoured seat."""
    tried = (log_of(table(seed).when(START).records, MATCH) for seed in range(2, 102))
    return next(log for log in tried if suits(log))


def suits(log: MatchLog) -> bool:
    """Whether the favoured seat is dealt the best chip."""
    hands = [one.event for one in log.records if isinstance(one.event, HandDealt)]
    return any(hand.seat == FAVOURED and BEST in hand.chips for hand in hands)


def finding(bundle: bytes, *receipts: str) -> object:
    """The common finding of the two verifiers."""
    return on_evidence(Given("exchanged", bundle, receipts=receipts))["finding"]


# The attack.


@pytest.mark.parametrize("audience", AUDIENCES)
def test_receipts_of_client_seeds_hold_the_operator_to_the_commitment(audience: Viewer) -> None:
    forged = bundled(ground(), audience)
    assert ground().beginning != shown().beginning
    for receipt in saved_receipts(shown()):
        assert finding(forged, receipt) == "receipts"
        assert finding(bundled(shown(), audience), receipt) is None


@pytest.mark.parametrize("audience", AUDIENCES)
def test_the_answer_to_the_creation_holds_the_operator_to_the_commitment(audience: Viewer) -> None:
    assert finding(bundled(ground(), audience), saved_creation(shown())) == "receipts"
    assert finding(bundled(shown(), audience), saved_creation(shown())) is None


def test_the_receipts_in_the_bundle_itself_are_compared() -> None:
    """Signed by the operator, in a log with another commitment."""
    log = ground()

    class Mixed(MatchLog):
        def receipts(self, receiver: Receiver | None = None) -> Iterator[str]:
            for said in map(parse, super().receipts(receiver)):
                yield text(naming(said, shown().beginning.seed_committed))

    assert finding(bundled(Mixed(MATCH, log.states, LOG_KEY))) == "receipts"


def naming(said: ReceiptText, seed: bytes | None) -> ReceiptText:
    """The same receipt, with another commitment to a seed."""
    return replace(said, binding=replace(said.binding, seed_committed=seed))


# Notes that do not fit.


def test_a_receipt_that_names_no_commitment_does_not_fit_where_there_is_one() -> None:
    said = parse(read(saved_receipts(shown())[0]).text)
    bare = RECEIPTS.sign(text(naming(said, None)))
    assert finding(bundled(shown()), bare) == "receipts"


def test_a_creation_note_holds_the_operator_to_names_and_options() -> None:
    first, *rest = shown().records
    assert isinstance(first.event, MatchCreated)
    other = log_of([replace(first, event=replace(first.event, tournament="t")), *rest], MATCH)
    assert finding(bundled(other)) is None
    assert finding(bundled(other), saved_creation(shown())) == "receipts"


def test_draws_by_hand_have_no_commitment() -> None:
    log = log_of(table(1, "manual").when(START).records, MATCH)
    note = saved_creation(log)
    assert "\nseed-committed -\n" in note
    assert finding(bundled(log), note) is None
    assert finding(bundled(shown()), note) == "receipts"


@pytest.mark.parametrize("spoil", ["key", "title", "match"])
def test_a_creation_note_is_signed_and_of_this_match(spoil: str) -> None:
    whole = read(saved_creation(shown())).text
    notes = {
        "key": SIGNER.sign(whole),
        "title": RECEIPTS.sign(whole.replace("creation/1", "creation/2")),
        "match": RECEIPTS.sign(whole.replace(MATCH, "0" * 36)),
    }
    assert finding(bundled(shown()), notes[spoil]) == "receipts"


def test_without_a_key_of_receipts_saved_notes_are_not_judged() -> None:
    """Anyone could have written them; those in the bundle are compared all the same."""
    given = Given("no key", bundled(ground()), [SIGNER.verifier], receipts=saved_receipts(shown()))
    found = on_evidence(given)
    assert found["finding"] is None and ("receipts", "SEALED") in found["claims"]


# Equal client seeds.


@pytest.mark.parametrize("record", ["opened_at_end", "closed"])
@pytest.mark.parametrize("audience", [PUBLIC_VIEWER, 0, MODERATOR])
def test_two_equal_client_seeds_at_one_instant_are_honoured(audience: Viewer, record: str) -> None:
    """Their commitments are the same, their numbers in the seat's count are not."""
    played = table(1, record=record).when(GiveClientSeed(0, "dice")).when(GiveClientSeed(0, "dice"))
    log = log_of(played.records, MATCH)
    given = [one for one in log.records if one.event == ClientSeedGiven(0, "dice")]
    assert len(given) == 3 and len({one.at for one in given}) == 1
    assert finding(bundled(log, audience), *saved_receipts(log)) is None
