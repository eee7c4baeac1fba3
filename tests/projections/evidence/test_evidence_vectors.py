"""The numbers in `FORMAT.md` are those that the code computes, and it names nothing that who reads
it alone has not got."""

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import TypeVar

import pytest

from domain.chance import generator, seeds
from domain.chance.draws import Draw, Flip, Roll, Shuffle
from domain.events import Event
from domain.match.events import (
    NameSalted,
    SealedDrawSettled,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
)
from domain.proof.commitments import NO_SALT, commitment
from domain.proof.merkle import leaf_hash, root_of
from domain.proof.receipts import parse
from domain.proof.seen import begin_chain, chain_proof, extend_chain
from projections.audience.disclosure import may_see
from projections.evidence.case import JudgedBundle, open_bundle
from projections.evidence.log import openings
from service.web.event_tables import FORMAT
from tests.corpus.record import FOLDER
from tests.support.evidence.signed_bundles import trusted

E = TypeVar("E", bound=Event)

TEXT = FORMAT.read_text(encoding="utf-8")

PATH = re.compile(
    r"\b(?:domain|projections|service|clients|tests|deploy)/|\.py\b|\.js\b|\bmake \w+`"
)
"""What a reader has not got: a file of the source, or a command on it."""

SUBMITTED, ACTED = 6, 18
"""The events of the match to try it on: a client seed of seat 0, and its first action."""


def test_no_file_of_the_source_is_named() -> None:
    assert PATH.findall(TEXT) == []
    assert PATH.search("see `domain/match/inputs.py`") and PATH.search("made by `make tables`")


# Known answers.


@pytest.mark.parametrize(("column", "given"), [(1, {}), (2, {0: b"alice", 1: b"carol"})])
def test_the_known_answers_of_the_generator(column: int, given: dict[int, bytes]) -> None:
    seed, hashes = bytes(range(32)), (b"R" * 32, b"S" * 32)
    commit = generator.commit("match-0001", 0, seed)
    transcript = generator.transcript("match-0001", 0, commit, *hashes, generator.clients(given))
    steal, deal = "e0/r2/steal/1", "e0/round1/deal"
    master = generator.master(seed, transcript)
    key = generator.draw_key(master, steal)
    flips = generator.outcome(Draw(steal, (Flip("penny"),) * 4), key)
    shuffles = Shuffle((4, 5, 6, 7, 8, 9)), Shuffle((1, 2, 3, 10, 11, 12))
    dealt = generator.outcome(Draw(deal, shuffles), generator.draw_key(master, deal))
    wanted = {
        "commit": commit.hex() if column == 1 else "the same",
        "transcript": transcript.hex(),
        "master": master.hex(),
        f"draw_key of `{steal}`": key.hex(),
        "its key_commit": generator.key_commit(steal, key).hex(),
        "its flips": " ".join(str(face)[0].upper() for face in flips),
        f"`{deal}`": "; ".join(" ".join(map(str, order)) for order in dealt),  # type: ignore[arg-type]
    }
    _, _, section = TEXT.partition("Known answers, in hex")
    rows = [row.strip("| ").split(" | ") for row in section.splitlines() if row.startswith("| ")]
    found = {row[0]: row[column] for row in rows if len(row) == 3}
    assert {name: found.get(name) for name in wanted} == wanted


# A match to try it on.


@cache
def match() -> JudgedBundle:
    case = open_bundle((FOLDER / "liars-dice.0.server.arb").read_bytes(), trusted())
    openings(case)
    return case


def first(kind: type[E]) -> E:
    """The first event of a kind."""
    events = (record.event for record in match().records if record is not None)
    return next(event for event in events if isinstance(event, kind))


def vectors() -> str:
    """The table of the match, as it stands in the document."""
    rows = "".join(f"| {what} | `{value}` |\n" for what, value in (*_log(), *_seen(), *_chance()))
    return f"| what | value |\n|---|---|\n{rows}"


def _log() -> Iterator[tuple[str, str]]:
    case = match()
    (opening,) = [one for one in case.openings if one.n == ACTED]
    yield "leaf 7, public", case.lines[7].decode()
    yield "its hash, with 0x00 before it", leaf_hash(case.lines[7]).hex()
    yield f"the stored bytes of event {ACTED}, private", opening.event.hex()
    yield "its salt", opening.salt.hex()
    yield "its commitment", commitment(opening.salt, opening.event).hex()
    yield f"leaf {ACTED}", case.lines[ACTED].decode()
    yield "its hash", leaf_hash(case.lines[ACTED]).hex()
    yield "the root of all 46 leaves", root_of(map(leaf_hash, case.lines)).hex()


def _seen() -> Iterator[tuple[str, str]]:
    """Of the first receipt: for a client seed."""
    case = match()
    binding = parse(case.receipts[0].text).binding
    chain = begin_chain(case.id, "seat:0")
    yield (
        f"the commitment in the receipt for event {SUBMITTED}, a client seed",
        (
            commitment(NO_SALT, case.leaves[SUBMITTED].p).hex()  # type: ignore[arg-type]
        ),
    )
    yield "its chain_0, of `seat:0`", chain.hex()
    told_of = []
    for n, record in enumerate(case.records[: SUBMITTED + 1]):
        if record is not None and may_see(0, record.event):
            chain = extend_chain(chain, leaf_hash(case.lines[n]))
            told_of.append(str(n))
    yield f"its chain_{len(told_of)}, over leaves {', '.join(told_of)}", chain.hex()
    yield "its nonce", binding.nonce.hex()
    assert case.seen_key is not None
    yield "K, the file `seen`", case.seen_key.hex()
    yield "its seen", chain_proof(case.seen_key, binding.nonce, chain).hex()


def _chance() -> Iterator[tuple[str, str]]:
    committed, sealed, revealed = first(SeedCommitted), first(SeedSealed), first(SeedRevealed)
    drawn, salted, created = first(SealedDrawSettled), first(NameSalted), match().created
    name, master = f"e0/{drawn.id}", generator.master(revealed.seed, sealed.transcript)
    key = generator.draw_key(master, name)
    yield "the salt of seat 0", salted.salt.hex()
    yield "names[0]", generator.digest(salted.salt, "Ann").hex()
    yield "roster_hash", generator.digest("arbiter-rng/1/roster", *committed.names).hex()
    yield "options, as JSON", seeds.compact(created.options)
    yield "rules_hash", seeds.match_rules_hash(created).hex()
    yield "S, the seed of epoch 0", revealed.seed.hex()
    yield "commit", generator.commit(match().id, 0, revealed.seed).hex()
    yield "clients, of `luck 0` by seat 0 alone", generator.clients({0: b"luck 0"}).hex()
    yield "transcript", sealed.transcript.hex()
    yield "master", master.hex()
    yield f"draw_key of `{name}`", key.hex()
    yield "its key_commit", generator.key_commit(name, key).hex()
    yield "its block_0", generator.keyed(key, "arbiter-rng/1/block", generator.u64(0)).hex()
    dice = Draw(drawn.id, (Roll(6, "die 1"), Roll(6, "die 2")))
    yield "its two rolls of 6 sides", " ".join(map(str, generator.outcome(dice, key)))


def test_the_match_to_try_it_on_is_as_the_document_says() -> None:
    """If this fails: the table is `vectors()`."""
    assert vectors() in TEXT


def test_the_numbers_are_those_of_the_bundle() -> None:
    """What is computed for the document is what the bundle itself says."""
    case, numbers = match(), dict((*_log(), *_seen(), *_chance()))
    said = parse(case.receipts[0].text).binding
    committed, drawn = first(SeedCommitted), first(SealedDrawSettled)
    assert numbers["its seen"] == said.seen.hex()
    assert numbers["the root of all 46 leaves"] == case.checkpoint.root.hex()
    assert b64decode(case.lines[ACTED].split(b'"')[3]).hex() == numbers["its commitment"]
    assert said.seed_committed == sha256(case.leaves[1].p).digest()  # type: ignore[arg-type]
    for name in ("rules_hash", "roster_hash", "commit"):
        assert numbers[name] == getattr(committed, name).hex()
    assert numbers["names[0]"] == committed.names[0].hex()
    assert drawn.key_commit is not None and numbers["its key_commit"] == drawn.key_commit.hex()
    assert numbers["its two rolls of 6 sides"] == " ".join(map(str, drawn.outcome))
