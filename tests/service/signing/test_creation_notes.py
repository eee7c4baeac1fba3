"""The signed answer to the creation of a match, and the commitment that every receipt names."""

import json
import re
from pathlib import Path

from click.testing import CliRunner

from domain.proof import creation_notes, receipts
from domain.proof.creation_notes import CreationText
from domain.proof.notes import read, verifier_key
from projections.evidence.case import RECEIPTS, signed_for
from service.cli import main
from tests.support.evidence.saved_evidence import SIDE, acted, bundle, checkpoint, given
from tests.support.http.match_play import play_out
from tests.support.http.rewind_client import numbers, resumed, rewound, steps
from tests.support.servers.live_server import Answer, Client, Live, LiveMatch, body_of, serving

ONCE = {"Idempotency-Key": "once"}
TWO = {"game": "twelve-chips", "seats": ["Ann", "Ben"], "options": {"tokens_to_win": 1}}


def creating(live: Live, body: object, key: str | None = None) -> Answer:
    answer = live.organiser.post("/v1/matches", body, once=key)
    assert answer.status_code in (200, 201), answer.text
    return answer


def matched(live: Live, made: Answer) -> LiveMatch:
    """The match in an answer to its creation."""
    body = made.json()
    keys = tuple(seat["key"] for seat in body["seats"])
    return live.match(body["id"], keys, body["moderator_key"])


def said(live: Live, note: str) -> CreationText:
    """What a creation note says, signed by the key for receipts."""
    keys = [verifier_key(one["key"]) for one in live.anyone.get("/v1/keys").json()["keys"]]
    assert signed_for(RECEIPTS, keys, read(note))
    return creation_notes.parse(read(note).text)


def named(note: str) -> bytes | None:
    """The hash of the commitment to the seed in a receipt."""
    return receipts.parse(read(note).text).binding.seed_committed


def test_the_answer_to_the_creation_names_the_commitment_of_every_receipt(tmp_path: Path) -> None:
    """Of seeds, actions, refusals and repeats, in answers and lists, also after a restart."""
    with serving(tmp_path) as live:
        made = creating(live, {"game": "dollar-prize", "seats": ["Ann", "Ben"]})
        match = matched(live, made)
        shown = said(live, made.json()["note"])
        assert shown.match == match.id and shown.beginning.seed_committed is not None
        notes = [given(match, 0, "dice")]
        match.moderator.start()
        seat = match.seats[0]
        first = seat.act(SIDE, ONCE)
        notes += [first.json()["receipt"]["note"], acted(match, 0, SIDE)]
    with serving(tmp_path) as live:
        match = live.match(match.id, match.keys, match.moderator_key)
        again = match.seats[0].act(SIDE, ONCE)
        assert again.json()["receipt"]["note"] == notes[1]
        notes.append(acted(match, 0, SIDE))
        listed = match.seats[0].client.get(f"{match.seats[0].path}/receipts").json()["receipts"]
    every = [*notes, *(one["note"] for one in listed)]
    assert [one["note"] for one in listed] == notes
    assert {named(note) for note in every} == {shown.beginning.seed_committed}


def noted(client: Client, match: LiveMatch) -> str:
    """The note of the creation, as it is had from the match."""
    return str(body_of(client.get(f"{match.anyone.path}/note"), 200)["note"])


def test_anybody_may_have_the_note_of_the_creation(tmp_path: Path) -> None:
    """Byte for byte, with any key or none, also after a rewind and after a restart."""
    with serving(tmp_path) as live:
        made = creating(live, {"game": "dollar-prize", "seats": ["Ann", "Ben"]})
        match, first = matched(live, made), made.json()["note"]
        assert noted(live.anyone, match) == first
        match.moderator.start()
        steps(match, 3)
        rewound(match, live, before=numbers(match, "match.draw-settled.1")[-1])
        resumed(match)
        committed = numbers(match, "match.seed-committed.1")
        assert len(committed) == 2, "another epoch has begun"
        assert {noted(one.client, match) for one in match.audiences().values()} == {first}
    with serving(tmp_path) as live:
        assert noted(live.anyone, match) == first


def test_the_note_may_be_kept(tmp_path: Path) -> None:
    """Its text never changes: after a rotation another key has signed the same."""
    with serving(tmp_path) as live:
        made = creating(live, TWO)
        match = matched(live, made)
        path = f"{match.anyone.path}/note"
        kept = live.anyone.get(path)
        same = {"If-None-Match": kept.headers["etag"]}
        assert live.anyone.get(path, same).status_code == 304
        live.instance.signer.rotate()
        live.instance.signer.refresh()
        signed = live.anyone.get(path, same)
        assert signed.status_code == 200 and signed.content != kept.content
        notes = [kept.json()["note"], signed.json()["note"]]
        assert said(live, notes[0]) == said(live, notes[1])


def test_the_command_takes_the_saved_answer(tmp_path: Path) -> None:
    """As a file, as it was received; another match's is found."""
    with serving(tmp_path / "data") as live:
        made = creating(live, TWO)
        match = matched(live, made)
        receipt = given(match, 0, "dice")
        match.moderator.start()
        play_out(match)
        files = {
            "bundle": bundle(match).content,
            "keys": live.anyone.get("/v1/keys").content,
            "created": made.content,
            "receipt": receipt.encode(),
            "checkpoint": checkpoint(match).encode(),
            "other": creating(live, TWO).content,
        }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert json.loads(files["created"])["note"].startswith(creation_notes.TITLE)
    asked = ["verify", "bundle", "--key", "keys", "--checkpoint", "checkpoint"]
    kept = [*asked, "--receipt", "created", "--receipt", "receipt"]
    passed, failed = (run(tmp_path, each) for each in (kept, [*asked, "--receipt", "other"]))
    assert passed[0] == 0, passed
    assert re.search(r"receipts +PASS", passed[1])
    assert failed[0] == 1 and "First: receipts: a creation note" in failed[1]


def run(folder: Path, arguments: list[str]) -> tuple[int, str]:
    """The exit status of the command and what it says; files are in the folder."""
    known = {one.name for one in folder.iterdir()}
    spelt = [str(folder / one) if one in known else one for one in arguments]
    result = CliRunner().invoke(main, spelt)
    return result.exit_code, result.output
