"""The known answers of the scheme `arbiter-rng/1`."""

from hashlib import sha256

import pytest

from domain.chance import generator
from domain.chance.draws import Draw, Flip, Roll, Shuffle
from domain.chance.seeds import answer_draw, compact, sealing
from domain.match.events import SeedCommitted

SEED = bytes(range(32))
FLIPS = Draw("r2/steal/1", tuple(Flip(name) for name in "abcd"))
DEAL = Draw("round1/deal", (Shuffle((4, 5, 6, 7, 8, 9)), Shuffle((1, 2, 3, 10, 11, 12))))

KNOWN = [
    (
        {},
        "185eb5b4b11cd381f39772057d6d316ceabdffe4f610d2f480f76c21b5e86197",
        "4928a468b1469a2841ea7e1a1b352f4918615c3eca3a3359dba9159de0cf627a",
        "THHT",
        ((7, 9, 8, 5, 6, 4), (2, 3, 11, 12, 10, 1)),
    ),
    (
        {0: b"alice", 1: b"carol"},
        "8d89d5f413d83622e978cba8e87eb5b0d72d27c79aaef072b042d15dfa1dcee7",
        "278882aa302637baadd78112b7407d3ff6ae177b944ae0f22e4777f3741ec4a3",
        "HHTT",
        ((8, 9, 7, 4, 5, 6), (10, 12, 1, 3, 2, 11)),
    ),
]


def test_the_commitment_is_the_known_one() -> None:
    answer = "1bb96bcfe61be656a046d43a79bff3c26d45970e25fd086c15087e395dc4636c"
    assert generator.commit("match-0001", 0, SEED).hex() == answer


@pytest.mark.parametrize(("seeds", "transcript", "commit", "flips", "deal"), KNOWN)
def test_a_match_draws_from_the_known_stream(
    seeds: dict[int, bytes],
    transcript: str,
    commit: str,
    flips: str,
    deal: tuple[tuple[int, ...], ...],
) -> None:
    committed = SeedCommitted(
        0, generator.SCHEME, generator.commit("match-0001", 0, SEED), b"R" * 32, b"S" * 32, ()
    )
    heard = sealing("match-0001", committed, seeds).transcript
    assert heard.hex() == transcript
    outcome, key_commit = answer_draw(SEED, heard, 0, FLIPS)
    assert "".join(str(face)[0].upper() for face in outcome) == flips
    assert key_commit.hex() == commit
    assert answer_draw(SEED, heard, 0, DEAL)[0] == deal


def test_the_rules_are_hashed_with_their_game_version_and_sorted_options() -> None:
    options = compact({"rounds": 3, "ante": {"of": 2, "at": [1, None]}})
    assert options == '{"ante":{"at":[1,null],"of":2},"rounds":3}'
    hashed = (
        b"\x00\x00\x00\x13arbiter-rng/1/rules"
        b"\x00\x00\x00\x04dice"
        b"\x00\x00\x00\x0212"
        b'\x00\x00\x00\x2a{"ante":{"at":[1,null],"of":2},"rounds":3}'
    )
    assert generator.rules_hash("dice", 12, options) == sha256(hashed).digest()


def test_the_roster_is_hashed_seat_by_seat_under_the_salts() -> None:
    ann = sha256(b"\x00\x00\x00\x10" + b"A" * 16 + b"\x00\x00\x00\x03Ann").digest()
    ben = sha256(b"\x00\x00\x00\x10" + b"B" * 16 + "\0\0\0\x04Bén".encode()).digest()
    parts = b"\x00\x00\x00\x20" + ann + b"\x00\x00\x00\x20" + ben
    hashed = b"\x00\x00\x00\x14arbiter-rng/1/roster" + parts
    roster = generator.roster_hash([(b"A" * 16, "Ann"), (b"B" * 16, "Bén")])
    assert roster == sha256(hashed).digest()


ROLLS = Draw(
    "round1/roll/0",
    (*(Roll(6, f"die {n}") for n in range(1, 6)), Roll(20, "a"), Roll(20, "b"), Roll(1, "ball"),
     Roll(2**32, "word")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("seeds", "sides"),
    [
        ({}, (6, 3, 1, 1, 3, 18, 13, 1, 2516818846)),
        ({0: b"alice", 1: b"carol"}, (1, 6, 4, 6, 6, 18, 1, 1, 3217446448)),
    ],
)
def test_rolls_are_the_known_ones(seeds: dict[int, bytes], sides: tuple[int, ...]) -> None:
    """Of the same match; a die of one side uses no word."""
    transcript = next(transcript_of for given, transcript_of, *_ in KNOWN if given == seeds)
    master = generator.master(SEED, bytes.fromhex(transcript))
    key = generator.draw_key(master, generator.draw_name(0, ROLLS.id))
    assert generator.outcome(ROLLS, key) == sides


@pytest.mark.parametrize(
    ("sides", "number"),
    [
        (3_328_327_723, 1_872_183_188),
        (3_328_327_724, 1_872_183_188),
        (3_328_327_725, 3_328_327_725),
        (3_742_921_183, 3_328_327_725),
        (2**32, 3_328_327_725),
    ],
)
def test_a_word_at_the_last_whole_multiple_or_past_it_is_rejected(sides: int, number: int) -> None:
    """The stream of this key begins with 3328327724, 3742921182, 1872183187."""
    key = bytes.fromhex("637ad58e8ce7c96c3a6823ffc199c1239f8687efead5019b26e77947963d55fe")
    assert generator.outcome(Draw("die", (Roll(sides, "die"),)), key) == (number,)
