"""The known answers of the scheme `arbiter-rng/1`."""

import pytest

from domain import randomness
from domain.draws import Draw, Flip, Shuffle

SEED = bytes(range(32))
FLIPS = Draw("r2/steal/1", tuple(Flip(name) for name in "abcd"))
DEAL = Draw("round1/deal", (Shuffle((4, 5, 6, 7, 8, 9)), Shuffle((1, 2, 3, 10, 11, 12))))

KNOWN = [
    (
        {},
        "185eb5b4b11cd381f39772057d6d316ceabdffe4f610d2f480f76c21b5e86197",
        "147d40bbe0816e381791d2d01ccbab35e5d49089147a53f0fa2f88a991040804",
        "682550f5fe28673578a33f970b4e4d0b568b1030d134dfda65167d1775f92efb",
        "4928a468b1469a2841ea7e1a1b352f4918615c3eca3a3359dba9159de0cf627a",
        "THHT",
        ((7, 9, 8, 5, 6, 4), (2, 3, 11, 12, 10, 1)),
    ),
    (
        {0: b"alice", 1: b"carol"},
        "8d89d5f413d83622e978cba8e87eb5b0d72d27c79aaef072b042d15dfa1dcee7",
        "39080a45b23b9486ea8b9148adf0cc152c5e0c798fe21516f3359f706b08c612",
        "637ad58e8ce7c96c3a6823ffc199c1239f8687efead5019b26e77947963d55fe",
        "278882aa302637baadd78112b7407d3ff6ae177b944ae0f22e4777f3741ec4a3",
        "HHTT",
        ((8, 9, 7, 4, 5, 6), (10, 12, 1, 3, 2, 11)),
    ),
]


def test_the_commitment_is_the_known_one() -> None:
    answer = "1bb96bcfe61be656a046d43a79bff3c26d45970e25fd086c15087e395dc4636c"
    assert randomness.commit("match-0001", 0, SEED).hex() == answer


@pytest.mark.parametrize(("seeds", "transcript", "master", "key", "commit", "flips", "deal"), KNOWN)
def test_the_stream_is_the_known_one(
    seeds: dict[int, bytes],
    transcript: str,
    master: str,
    key: str,
    commit: str,
    flips: str,
    deal: tuple[tuple[int, ...], ...],
) -> None:
    heard = randomness.transcript(
        "match-0001",
        0,
        randomness.commit("match-0001", 0, SEED),
        b"R" * 32,
        b"S" * 32,
        randomness.clients(seeds),
    )
    assert heard.hex() == transcript
    master_key = randomness.master(SEED, heard)
    assert master_key.hex() == master
    name = randomness.draw_name(0, FLIPS.id)
    draw_key = randomness.draw_key(master_key, name)
    assert draw_key.hex() == key
    assert randomness.key_commit(name, draw_key).hex() == commit
    faces = {"H": "heads", "T": "tails"}
    assert randomness.outcome(FLIPS, draw_key) == tuple(faces[face] for face in flips)
    deal_key = randomness.draw_key(master_key, randomness.draw_name(0, DEAL.id))
    assert randomness.outcome(DEAL, deal_key) == deal
