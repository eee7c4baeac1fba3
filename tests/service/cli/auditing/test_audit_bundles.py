"""`arbiter audit` on a bundle shows what the bundle opens; no content of a bundle can do harm."""

from pathlib import Path

import pytest

from domain.encoding import encode
from domain.events import Event, Record
from domain.game import Result as Ending
from domain.games import GAMES
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    ClientSeedGiven,
    MatchCreated,
    MatchEnded,
    PhaseClosed,
)
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see, name_audience
from projections.evidence.bundle import bundle
from service.cli.auditing.audit_sources import UNVERIFIED
from tests.recorded.files import records
from tests.support.cli.audit_runs import (
    NAMES,
    SEEDED,
    Run,
    as_one_line,
    bundle_of,
    lines,
    seats_of,
    store_match,
)
from tests.support.evidence.forged_bundles import of_bytes
from tests.support.evidence.signed_bundles import RECEIPTS, SIGNER, bundled, checkpoint_of, log_of
from tests.support.instants import NOON
from tests.support.tables.match_table import seated


@pytest.mark.parametrize("name", NAMES)
def test_a_bundle_for_moderators_shows_the_same_as_the_store(
    run: Run, tmp_path: Path, name: str
) -> None:
    match, path = store_match(tmp_path, name), bundle_of(tmp_path, name)
    for viewer in (None, PUBLIC_VIEWER, MODERATOR, *seats_of(records(name))):
        arguments = ("--json",) if viewer is None else ("--json", "--as", name_audience(viewer))
        assert lines(run(path, *arguments)) == lines(run(match, *arguments))


@pytest.mark.parametrize("name", NAMES)
def test_events_that_a_bundle_does_not_open_are_shown_as_sealed(
    run: Run, tmp_path: Path, name: str
) -> None:
    played = records(name)
    created = played[0].event
    assert isinstance(created, MatchCreated)
    for viewer in (PUBLIC_VIEWER, 0):
        shown = lines(run(bundle_of(tmp_path, name, viewer), "--json"))
        reader: Viewer = PUBLIC_VIEWER if created.record == "closed" else viewer
        for line, record in zip(shown, played, strict=True):
            if may_see(reader, record.event):
                assert line["what"] != "sealed" and line["data"] is not None
            else:
                shown_fields = {
                    field for field, value in line.items() if value not in (None, False)
                }
                assert shown_fields == {"number", "what"} and line["what"] == "sealed"


def test_the_output_says_first_that_a_bundle_is_shown_and_not_verified(
    run: Run, tmp_path: Path
) -> None:
    path = bundle_of(tmp_path, SEEDED, 0)
    sealed = sum(not may_see(0, record.event) for record in records(SEEDED))
    shown = run(path)
    assert shown.stdout.startswith(f"{UNVERIFIED}\n")
    assert " 23 sealed " in as_one_line(shown.stdout)
    assert as_one_line(shown.stdout).rstrip().endswith(f"3 refused or invalid, {sealed} sealed")
    as_json = run(path, "--json")
    assert as_json.stderr.startswith(UNVERIFIED) and UNVERIFIED not in as_json.stdout
    assert UNVERIFIED not in run(store_match(tmp_path, SEEDED)).output


@pytest.mark.parametrize("viewer", [PUBLIC_VIEWER, 0, 1])
def test_a_bundle_shows_each_reader_what_it_opens_to_them(
    run: Run, tmp_path: Path, viewer: Viewer
) -> None:
    match, path = store_match(tmp_path, SEEDED), bundle_of(tmp_path, SEEDED, viewer)
    for arguments in (PUBLIC_VIEWER, MODERATOR, 0, 1):
        shown = run(path, "--as", name_audience(arguments), "--json")
        if arguments in (PUBLIC_VIEWER, viewer):
            assert lines(shown) == lines(run(match, "--as", name_audience(arguments), "--json"))
        else:
            assert (shown.exit_code, shown.stdout) == (1, "")
            assert "does not open all that" in shown.stderr


def test_a_changed_bundle_is_not_shown(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "changed.arb"
    whole = bundled(log_of(records(SEEDED)))
    for at in range(100, len(whole), len(whole) // 20):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        shown = run(str(path))
        assert (shown.exit_code, shown.stdout) == (1, ""), at
        assert "this bundle cannot be shown" in shown.stderr
    path.write_bytes(whole[:-1])
    assert run(str(path)).exit_code == 1


def forged(folder: Path, *more: Event) -> str:
    """A bundle of a created match with an event that no service records."""
    table = seated(GAMES["dollar-prize"], chance="server")
    log = log_of([*table.records, *(Record(NOON, 0, event) for event in more)])
    path = folder / "forged.arb"
    checkpoint = SIGNER.sign(checkpoint_of(log))
    path.write_bytes(bundle(log, MODERATOR, checkpoint, SIGNER.sign, RECEIPTS.sign))
    return str(path)


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_an_impossible_bundle_is_an_error_and_no_crash(
    run: Run, tmp_path: Path, as_json: tuple[str, ...]
) -> None:
    table = seated(GAMES["dollar-prize"])
    ended = Record(2**63, 0, MatchEnded(Ending((), (), False, ())))
    path = tmp_path / "impossible.arb"
    path.write_bytes(of_bytes([(NOON, encode(table.records[0])), (ended.at, encode(ended))]))
    shown = run(str(path), *as_json)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert "this bundle cannot be shown: event 1 cannot be read" in as_one_line(shown.stderr)


def test_no_user_text_reaches_the_terminal_as_a_control_sequence(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    wrong = "\x1b[2J\x9b1m\u202e\r\x07[bold]:bomb:"
    sent = ActionReceived(1, {"type": wrong, wrong: wrong})
    events = sent, ClientSeedGiven(0, wrong), ActionRefused(1, wrong), PhaseClosed(wrong)
    shown = run(forged(tmp_path, *events))
    assert shown.exit_code == 0, shown.stderr
    assert all(letter.isprintable() or letter == "\n" for letter in shown.stdout)
    assert shown.stdout.count("[bold]:bomb:") >= 4
