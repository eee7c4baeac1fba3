"""Bundles of every game and option must be judged the same forever."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from click.testing import CliRunner

from domain.cases.state import CaseStreamEvent
from domain.encoding import decode
from domain.events import Event, Record
from domain.games import GAMES, OLDER, AnyEvent
from domain.games.dollar_prize.events import CoinPlaced
from domain.match.events import MatchCreated
from domain.match.state import AnyGame
from domain.proof import creation_notes
from domain.proof.log_events import LogEvent
from domain.proof.notes import read
from domain.proof.receipts import parse
from domain.tournament.events import TournamentEvent
from projections.evidence.case import VerifierInputs, open_bundle
from projections.evidence.log import openings
from projections.evidence.verify import verify
from service.cli.auditing.verify import verify_bundle
from tests.corpus.record import (
    FOLDER,
    KEY_FILE,
    NOTE,
    OTHERS,
    PARTIAL,
    partial,
    recorded,
    saved_beside,
)
from tests.support.evidence.signed_bundles import KEYS, trusted
from tests.support.web.two_verdicts import Given, by_first, on_evidence

EVERY_BUNDLE = pytest.mark.parametrize("path", recorded(), ids=lambda path: path.stem)


def records(path: Path) -> list[Record[Event]]:
    case = open_bundle(path.read_bytes(), trusted())
    openings(case)
    assert case.whole is not None
    return case.whole


def created(path: Path) -> MatchCreated:
    event = records(path)[0].event
    assert isinstance(event, MatchCreated)
    return event


@EVERY_BUNDLE
def test_a_bundle_of_the_corpus_passes(path: Path) -> None:
    report = verify(path.read_bytes(), trusted(receipts=saved_beside(path)))
    assert (report.verdict, report.finding, report.sealed) == ("PASS", None, 0)


@pytest.mark.parametrize("path", partial(), ids=lambda path: path.stem)
def test_a_bundle_that_does_not_open_everything_is_sealed(path: Path) -> None:
    given = Given(path.stem, path.read_bytes())
    assert on_evidence(given)["verdict"] == by_first(given)["verdict"] == "SEALED"
    claims = dict(by_first(given)["claims"])
    assert claims["result"] == ("SEALED" if "together" in path.stem else "PASS")


def test_there_is_one_for_the_public_and_one_for_a_seat_of_each() -> None:
    assert len(partial()) == len(PARTIAL) * len(OTHERS)


def test_receipts_and_creation_notes_with_and_without_a_seed_occur() -> None:
    cases = [open_bundle(path.read_bytes(), trusted()) for path in recorded()]
    given = [parse(note.text) for case in cases for note in case.receipts]
    receipts = {receipt.binding.seed_committed is None for receipt in given}
    notes = [read(note) for path in recorded() for note in saved_beside(path)]
    seeds = {creation_notes.parse(note.text).beginning.seed_committed is None for note in notes}
    assert (receipts, seeds) == ({False, True}, {False, True})


def test_the_command_judges_a_bundle_by_the_creation_note_of_its_own_match() -> None:
    one, other = (path for path in recorded() if "liars-dice" in path.name and saved_beside(path))
    judging = [str(one), "--key", str(FOLDER / KEY_FILE), "--receipt"]
    own = CliRunner().invoke(verify_bundle, [*judging, str(one.with_suffix(NOTE))])
    assert own.exit_code == 0, own.output
    result = CliRunner().invoke(verify_bundle, [*judging, str(other.with_suffix(NOTE))])
    assert result.exit_code == 1 and "creation note" in result.output


def test_the_corpus_has_its_keys_beside_it() -> None:
    assert (FOLDER / KEY_FILE).read_text().split() == [str(key) for key in KEYS]


def options(game: AnyGame) -> Iterator[tuple[str, Any]]:
    """Every option of a game, and its possible values where that is a list of words."""
    for field in msgspec.structs.fields(game.Options):
        yield field.name, field


@pytest.mark.parametrize("game", GAMES)
def test_every_option_has_been_played_with_two_values(game: str) -> None:
    played = [created(path).options for path in recorded() if created(path).game == game]
    assert len(played) > 1
    for name, _ in options(GAMES[game]):
        values = {msgspec.json.encode(chosen.get(name)) for chosen in played}
        assert len(values) > 1, name


def test_both_chance_modes_and_both_record_rules_occur() -> None:
    recorded_kinds = {(c.game, c.chance, c.record) for c in map(created, recorded())}
    for game, rules in GAMES.items():
        assert {(game, rules.records[0])} <= {(g, r) for g, _, r in recorded_kinds}
        assert {"server", "manual"} == {chance for g, chance, _ in recorded_kinds if g == game}
    assert {record for _, _, record in recorded_kinds} == {"opened_at_end", "closed"}


def test_every_event_of_a_game_occurs() -> None:
    kinds = {type(record.event) for path in recorded() for record in records(path)}
    elsewhere = {*get_args(TournamentEvent), *get_args(CaseStreamEvent), LogEvent}
    assert {kind.__name__ for kind in set(get_args(AnyEvent)) - kinds - elsewhere} == set()


def changed(game: AnyGame) -> AnyGame:
    """The rules, but a placed coin is another one."""

    def decide(state: Any, seat: int, action: Any) -> Any:
        events = game.decide(state, seat, action)
        return [CoinPlaced(e.seat, "penny") if isinstance(e, CoinPlaced) else e for e in events]

    return replace(game, decide=decide)


def test_a_change_of_rules_is_found_with_the_first_event_that_differs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = next(path for path in recorded() if path.stem == "dollar-prize.0.server")
    placed = [n for n, record in enumerate(records(path)) if _dearer(record.event)]
    monkeypatch.setitem(GAMES, "dollar-prize", changed(GAMES["dollar-prize"]))
    report = verify(path.read_bytes(), trusted())
    assert report.finding is not None and report.finding.claim == "rules"
    assert report.finding.text.startswith(f"event {placed[0]}, dollar-prize.coin-placed.1: ")


def _dearer(event: Event) -> bool:
    return isinstance(event, CoinPlaced) and event.coin != "penny"


def test_with_a_new_version_of_the_rules_the_old_one_still_judges(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = next(path for path in recorded() if path.stem == "dollar-prize.0.server")
    old = GAMES["dollar-prize"]
    new = replace(changed(old), rules_version=2)
    monkeypatch.setitem(GAMES, "dollar-prize", new)
    report = verify(path.read_bytes(), trusted())
    assert report.finding is not None and "not known" in report.finding.text
    monkeypatch.setitem(OLDER, ("dollar-prize", 1), old)
    assert verify(path.read_bytes(), trusted()).verdict == "PASS"


def test_without_a_key_nothing_is_proven() -> None:
    report = verify(recorded()[0].read_bytes(), VerifierInputs(()))
    assert report.finding is not None and report.finding.claim == "signatures"


def test_events_are_stored_as_they_are_read() -> None:
    for path in recorded():
        case = open_bundle(path.read_bytes(), trusted())
        for opening in case.openings:
            assert decode(opening.event)
