"""What `FORMAT.md` says where another author could go astray: both verifiers do what it says, and
its tables are those of the classes."""

import json
from hashlib import sha256

import pytest
from msgspec.structs import replace

from domain.chance.generator import lp
from domain.chance.seeds import match_rules_hash
from domain.events import Event
from domain.games import GAMES, RULES
from domain.games.dollar_prize.actions import Place
from domain.match.events import ActionReceived, ActionRefused, MatchCreated, MatchEvent
from domain.proof.log_events import CheckpointSigned
from domain.proof.notes import SignedNote, format_note, read
from domain.requirements import kinds
from domain.tournament.events import RequestReceived
from projections.evidence.archive import pack, unpack
from projections.evidence.bundle import spelt_opening
from service.web.event_tables import FORMAT, HEADING, current
from tests.support.evidence.forged_bundles import resigned, short_bundle
from tests.support.evidence.signed_bundles import KEYS, bundled, log_of
from tests.support.tables.directing import START
from tests.support.tables.forged_records import with_consequences
from tests.support.tables.match_table import MATCH, seated
from tests.support.web.two_verdicts import Given, on_evidence
from tests.support.web.verifier_script import Json, page_answers


def common(bundle: bytes) -> Json:
    """The common verdict of the two verifiers on the evidence."""
    return on_evidence(Given("format", bundle, KEYS))


# The tables.


def row(name: str) -> str:
    """The row of an event."""
    _, _, tables = FORMAT.read_text().partition(HEADING)
    (line,) = [one for one in tables.splitlines() if one.startswith(f"| `{name}`")]
    columns, _, another = line.removesuffix(" |").rpartition("| those of ")
    return f"{columns}| {row(another).split(' | ')[-1]}" if columns else line


def test_the_tables_are_current() -> None:
    """If this fails: `make tables`."""
    assert FORMAT.read_text() == current()


def test_every_event_has_a_row() -> None:
    text = FORMAT.read_text()
    every = {
        kind for union in (MatchEvent, *(game.Event for game in RULES)) for kind in kinds(union)
    }
    missing = [kind for kind in every if f"| `{kind.__struct_config__.tag}` |" not in text]
    assert missing == []


def test_the_tables_say_what_the_second_verifier_has() -> None:
    """Which shares no line with the classes: names, audiences and fields, in their order."""
    (found,) = page_answers([{"ask": "kinds"}])
    for name, audience, names in found.answer:
        _, _, shown_to, _, described, _ = row(name).split("|")
        assert shown_to.strip() == {"sealed": "moderators"}.get(audience, audience)
        at = [described.index(f"`{field}` ") for field in names]
        assert at == sorted(at) and described.count("`") == 2 * len(names), name


def test_groups_are_renamed_as_they_are_stored() -> None:
    assert "{A: [int …], B: [int …]}" in row("together.pools-formed.1")


# What JSON cannot say.


@pytest.mark.parametrize("inside", [b"raw", [b"raw"], {"a": [b"raw"]}])
@pytest.mark.parametrize("where", ["options", "action"])
def test_no_bytes_are_in_what_was_sent(where: str, inside: object) -> None:
    records = list(seated(GAMES["dollar-prize"]).when(START).act(0, Place("penny")).records)
    kind = MatchCreated if where == "options" else ActionReceived
    place = next(n for n, record in enumerate(records) if isinstance(record.event, kind))
    event = replace(records[place].event, **{where: {"type": "a", "x": inside}})
    records[place] = replace(records[place], event=event)
    assert common(bundled(log_of(records, MATCH)))["finding"] == "openings"


# Signatures.


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("raw", [bytes(64), b"short"], ids=["another", "short"])
def test_a_bad_signature_beside_a_good_one_does_not_matter(raw: bytes, *, first: bool) -> None:
    parts = unpack(short_bundle("dollar-prize"))
    note = read(parts["checkpoint"].decode())
    (good,) = note.signatures
    spoilt = replace(good, raw=raw)
    both = (spoilt, good) if first else (good, spoilt)
    parts["checkpoint"] = format_note(SignedNote(note.text, both)).encode()
    assert common(pack(parts))["verdict"] == "HOLDS"
    parts["checkpoint"] = format_note(SignedNote(note.text, (spoilt, spoilt))).encode()
    assert common(pack(parts))["finding"] == "signatures"


@pytest.mark.parametrize(("lines", "finding"), [(16, None), (17, "container")])
def test_a_note_has_at_most_16_signatures(lines: int, finding: str | None) -> None:
    parts = unpack(short_bundle("dollar-prize"))
    note = read(parts["checkpoint"].decode())
    parts["checkpoint"] = format_note(SignedNote(note.text, note.signatures * lines)).encode()
    assert common(pack(parts))["finding"] == finding


# Statuses.


def test_behind_a_leaf_that_is_not_opened_a_status_is_accepted() -> None:
    """Two refusals by the same code: of the first only the action is opened, of the second only the
    refusal. It says nothing of the first."""
    table = seated(GAMES["dollar-prize"]).when(START)
    table.act(0, Place("penny")).act(0, Place("penny"))
    log = log_of(table.records, MATCH)
    events = [one.event for one in log.records]
    first, _ = (n for n, event in enumerate(events) if isinstance(event, ActionReceived))
    _, second = (n for n, event in enumerate(events) if isinstance(event, ActionRefused))
    parts = unpack(bundled(log, 0))
    left_out = {spelt_opening(log.opening(first + 1)), spelt_opening(log.opening(second - 1))}
    openings = [one for one in parts["openings"].splitlines(keepends=True) if one not in left_out]
    receipts = parts["receipts"].splitlines(keepends=True)[:1]
    assert len(openings) == len(parts["openings"].splitlines()) - 2
    parts |= {"openings": b"".join(openings), "receipts": b"".join(receipts)}
    assert common(resigned(parts))["finding"] == "receipts"


# Hashes.


def test_the_hash_of_the_rules_is_spelt_as_the_document_says() -> None:
    """With options of letters that are not ASCII, and control characters."""
    options = {
        "ž": {"b": 1, "\uff00": 2, "𝄞": 3, "a": ["é𝄞\x7f", '"\\/', "\b\t\n\f\r\x01"]},
        "a": None,
    }
    spelt = json.dumps(options, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    wanted = sha256(lp("arbiter-rng/1/rules", "toy", "12", spelt)).digest()
    assert "\\u0001" in spelt and "\\f" in spelt and "é𝄞\x7f" in spelt
    assert match_rules_hash(MatchCreated("toy", 12, options, 2)) == wanted
    (found,) = page_answers(
        [{"ask": "rulesHash", "game": "toy", "version": 12, "options": options}]
    )
    assert found.answer == {"bytes": wanted.hex()}


@pytest.mark.parametrize(
    "foreign",
    [CheckpointSigned(1, bytes(32), over=False), RequestReceived("k")],
    ids=["a signed checkpoint", "a tournament"],
)
def test_events_of_other_streams_are_of_no_match(foreign: Event) -> None:
    records = seated(GAMES["dollar-prize"]).when(START).records
    log = log_of(with_consequences(records, len(records), foreign), MATCH)
    assert common(bundled(log))["finding"] == "openings"
