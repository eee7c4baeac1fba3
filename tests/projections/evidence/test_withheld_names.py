"""Names that are withheld (/docs/evidence-format#withheld-names): the log is the one that was
signed, all but the name is judged as before, and nothing else can be withheld."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import PUBLIC, Event, Record
from domain.games import GAMES
from domain.match.commands import RenameSeat
from domain.match.events import MatchStarted, NameSalted, SeatNamed
from domain.proof.checkpoints import text as checkpoint_text
from domain.proof.commitments import hash_of_leaf
from domain.proof.withheld_rows import rows_without
from domain.proof.withholding import Withheld, withheld, withholding
from domain.tournament.events import PlayerNamed
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.lines import checksum
from projections.evidence.bundle import MatchLog, TournamentLog, bundle
from projections.evidence.verify import Report, verify
from service.cli.simulating.simulation import MATCH
from service.cli.simulating.tournament_play import TOURNAMENT
from service.event_store.integrity.digests import StoredRow, begin_digest, extend_digest
from service.event_store.stream_ids import NOWHERE
from tests.support.evidence.signed_bundles import (
    LOG_KEY,
    RECEIPTS,
    SIGNER,
    bundled,
    log_of,
    played,
    trusted,
)
from tests.support.evidence.tournament_bundles import cup_bundle, proven_cup
from tests.support.tables.directing import START
from tests.support.tables.match_table import seated
from tests.support.web.two_verdicts import Given, by_first, by_second, without_rules


@pytest.fixture(scope="module")
def log() -> MatchLog:
    return log_of(played("dollar-prize").records)


def without(log: MatchLog, rows: dict[int, bytes] | None = None) -> MatchLog:
    """The log with the name of seat 0 withheld, or with other rows."""
    (name,) = {
        r.event.name for r in log.records if isinstance(r.event, SeatNamed) and not r.event.seat
    }
    made = rows or dict(rows_without(MATCH, log.states, LOG_KEY, [name], "Player 0"))
    return MatchLog(MATCH, [made.get(n, state) for n, state in enumerate(log.states)], LOG_KEY)


def judged(log: MatchLog, audience: Viewer = MODERATOR) -> Report:
    return verify(bundled(log, audience), trusted())


def said(report: Report) -> dict[str, str]:
    return {claim.claim: claim.status for claim in report.claims}


def test_the_root_is_the_signed_one_and_the_rules_are_judged(log: MatchLog) -> None:
    hidden = without(log)
    assert hidden.checkpoint() == log.checkpoint()
    assert list(map(hash_of_leaf, hidden.leaves())) == list(map(hash_of_leaf, log.leaves()))
    before, after = said(judged(log)), said(judged(hidden))
    assert after == before | {"openings": "SEALED", "chance": "SEALED"}
    assert "name withheld" in str(judged(hidden).claims)
    assert judged(hidden, PUBLIC_VIEWER).finding is None
    assert judged(hidden, 0).finding is None


def test_a_name_that_was_given_later_can_be_withheld() -> None:
    """Its event is the input of its batch: it has no receipt, and what it was is not known."""
    game = GAMES["twelve-chips"]
    table = seated(game, 2).when(RenameSeat(1, "Bea", bytes(16))).when(START)
    log = log_of(table.records, table.match.id)
    names = [name for seat, name in table.match.names if seat == 1]
    rows = rows_without(table.match.id, log.states, LOG_KEY, names, "Player 1")
    states = [rows.get(n, state) for n, state in enumerate(log.states)]
    assert "Bea" not in str(states)
    hidden = MatchLog(table.match.id, states, LOG_KEY)
    every = [Given("", bundled(hidden, audience)) for audience in (MODERATOR, PUBLIC_VIEWER)]
    assert [by_first(one)["finding"] for one in every] == [None, None]
    assert by_second(every) == [without_rules(by_first(one)) for one in every]


def test_no_row_holds_the_name_or_the_salt_that_confirms_it(log: MatchLog) -> None:
    hidden = [n for n, state in enumerate(without(log).states) if withheld(state) is not None]
    assert [decode(without(log).states[n]).event for n in hidden] == [
        NameSalted(0, b""),
        SeatNamed(0, "Player 0", b""),
    ]
    assert rows_without(MATCH, without(log).states, LOG_KEY, ["Player 0"], "Player 0") == {}


def test_digests_and_checksums_are_those_of_before(log: MatchLog) -> None:
    def digest(states: Sequence[bytes]) -> object:
        return extend_digest(begin_digest(NOWHERE), (StoredRow(b"", state) for state in states))

    hidden = without(log)
    assert digest(hidden.states) == digest(log.states)
    assert list(map(checksum, hidden.states)) == list(map(checksum, log.states))


def forged(log: MatchLog, index: int, record: Record[Event]) -> MatchLog:
    """The log with this record in place of one that is withheld."""
    leaf = hash_of_leaf(list(log.leaves())[index])
    return without(log, {index: withholding(record, Withheld(b"", leaf, 0))})


def test_nothing_else_can_be_withheld(log: MatchLog) -> None:
    started = next(n for n, r in enumerate(log.records) if isinstance(r.event, MatchStarted))
    at = log.records[started]
    for record in (at, replace(at, event=SeatNamed(0, "Player 0", b""))):
        found = judged(forged(log, started, record)).finding
        assert found is not None


def test_a_name_in_place_of_another_seats_is_found(log: MatchLog) -> None:
    index = next(n for n, r in enumerate(log.records) if isinstance(r.event, SeatNamed))
    other = replace(log.records[index], event=SeatNamed(1, "Player 1", b""))
    found = judged(forged(log, index, other)).finding
    assert found is not None and found.claim == "rules"


class Bare(MatchLog):
    """A log that does not say what stands where a leaf is given by its hash."""

    def shows(self, audience: Viewer, index: int, event: Event) -> bool:
        return event.audience != PUBLIC and super().shows(audience, index, event)


def test_a_leaf_given_by_its_hash_without_a_name_is_found(log: MatchLog) -> None:
    found = judged(Bare(MATCH, without(log).states, LOG_KEY)).finding
    assert found is not None and "no name stands there" in found.text


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0, 1])
def test_the_page_judges_the_same(log: MatchLog, audience: Viewer) -> None:
    started = next(n for n, r in enumerate(log.records) if isinstance(r.event, MatchStarted))
    bare = Bare(MATCH, without(log).states, LOG_KEY)
    other = forged(log, started, log.records[started])
    every = [Given("", bundled(one, audience)) for one in (without(log), bare, other)]
    assert by_second(every) == [without_rules(by_first(one)) for one in every]


def hidden_cup(audience: Viewer) -> bytes:
    """The bundle of a cup in which the name of player 1 is withheld, in its matches, too."""
    cup = proven_cup()
    (name,) = {
        r.event.name
        for r in cup.records
        if isinstance(r.event, PlayerNamed) and r.event.player == 1
    }

    def rows(subject: str, records: Sequence[Record[Event]], key: bytes) -> list[bytes]:
        states = [encode(record) for record in records]
        made = rows_without(subject, states, key, [name], "Player 1")
        return [made.get(n, state) for n, state in enumerate(states)]

    log = TournamentLog(TOURNAMENT, rows(TOURNAMENT, cup.records, LOG_KEY), LOG_KEY)
    inside = {}
    for match, table in cup.tables.items():
        key = table.hidden.log_key
        inside[match] = bundled(MatchLog(match, rows(match, table.records, key), key), "public")
    checkpoint = SIGNER.sign(checkpoint_text(log.checkpoint()))
    return bundle(log, audience, checkpoint, SIGNER.sign, RECEIPTS.sign, inside)


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER])
def test_a_tournament_is_judged_without_the_name(audience: Viewer) -> None:
    before = said(verify(cup_bundle(audience=audience), trusted()))
    given = Given("", hidden_cup(audience))
    report = verify(given.bundle, trusted())
    assert report.finding is None, report.finding
    assert said(report) == before | {"openings": "SEALED", "lots": "SEALED"}
    assert by_second([given])[0]["finding"] is None
