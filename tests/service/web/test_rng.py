"""Draws that the page derives are those of `arbiter-rng/1`: known answers, and many random ones."""

from random import Random
from typing import Any

import msgspec
import pytest

from domain.chance import generator
from domain.chance.draws import Draw, Flip, Part, Roll, Shuffle
from domain.chance.seeds import answer_draw, sealing
from domain.match.events import SeedCommitted
from tests.support.effort import times
from tests.support.web.verifier_script import Json, page_answers

DRAWS = times("draws in the browser")
"""Number of draws that are derived twice."""

AT_ONCE = 5_000

ALPHABET = "abcXYZ019-/_.é√𝄞 "


def flips(count: int) -> list[Json]:
    return [{"kind": "flip", "label": "coin"}] * count


# Known answers.

KNOWN: Json = {
    "ask": "draw",
    "match": "match-0001",
    "epoch": 0,
    "seed": bytes(range(32)).hex(),
    "rules": (b"R" * 32).hex(),
    "roster": (b"S" * 32).hex(),
}
STEAL: Json = {"id": "r2/steal/1", "parts": flips(4)}

COMMIT = "1bb96bcfe61be656a046d43a79bff3c26d45970e25fd086c15087e395dc4636c"
ALONE = {
    "transcript": "185eb5b4b11cd381f39772057d6d316ceabdffe4f610d2f480f76c21b5e86197",
    "master": "147d40bbe0816e381791d2d01ccbab35e5d49089147a53f0fa2f88a991040804",
    "key": "682550f5fe28673578a33f970b4e4d0b568b1030d134dfda65167d1775f92efb",
    "key_commit": "4928a468b1469a2841ea7e1a1b352f4918615c3eca3a3359dba9159de0cf627a",
    "outcome": ["tails", "heads", "heads", "tails"],
}
TOGETHER = {
    "transcript": "8d89d5f413d83622e978cba8e87eb5b0d72d27c79aaef072b042d15dfa1dcee7",
    "master": "39080a45b23b9486ea8b9148adf0cc152c5e0c798fe21516f3359f706b08c612",
    "key": "637ad58e8ce7c96c3a6823ffc199c1239f8687efead5019b26e77947963d55fe",
    "key_commit": "278882aa302637baadd78112b7407d3ff6ae177b944ae0f22e4777f3741ec4a3",
    "outcome": ["heads", "heads", "tails", "tails"],
}


@pytest.mark.parametrize(
    ("seeds", "expected"), [([None, None], ALONE), (["alice", "carol"], TOGETHER)]
)
def test_known_answers_on_the_way_to_four_flips(seeds: list[str | None], expected: Json) -> None:
    (found,) = page_answers([{**KNOWN, **STEAL, "seeds": seeds}])
    assert found.answer == {"commit": COMMIT, **expected}


# Random draws.


def some_text(luck: Random, longest: int = 40) -> str:
    return "".join(luck.choices(ALPHABET, k=luck.randint(1, longest)))


def some_part(luck: Random) -> Part:
    kind = luck.random()
    if kind < 0.4:
        return Flip(some_text(luck, 6))
    if kind < 0.6:
        return Roll(luck.choice((1, 2, 3, 6, 20, 2**31 + 1, 2**32)), some_text(luck, 6))
    count = luck.choice((0, 1, 2, 3, 6, 9, 12, 16, 32, 52))
    return Shuffle(
        tuple(luck.choice((luck.randint(0, 99), some_text(luck, 3))) for _ in range(count))
    )


def as_sent(part: Part) -> Json:
    sent: Json = msgspec.to_builtins(part)
    return sent


def random_question(luck: Random) -> tuple[Json, Json]:
    """A draw of some match: the question to the page, and the expected answer."""
    match, epoch, seed = some_text(luck), luck.choice((0, 0, 1, 2, 255, 70_000)), luck.randbytes(32)
    rules, roster = luck.randbytes(32), luck.randbytes(32)
    seeds = [some_text(luck) if luck.random() < 0.5 else None for _ in range(luck.randint(2, 12))]
    draw = Draw(some_text(luck), tuple(some_part(luck) for _ in range(luck.randint(1, 5))))
    commit = generator.commit(match, epoch, seed)
    committed = SeedCommitted(epoch, generator.SCHEME, commit, rules, roster, ())
    given = {seat: text.encode() for seat, text in enumerate(seeds) if text is not None}
    heard = sealing(match, committed, given).transcript
    outcome, key_commit = answer_draw(seed, heard, epoch, draw)
    parts = list(map(as_sent, draw.parts))
    question: Json = {
        "ask": "draw", "match": match, "epoch": epoch, "seed": seed.hex(), "rules": rules.hex(),
        "roster": roster.hex(), "seeds": seeds, "id": draw.id, "parts": parts,
    }  # fmt: skip
    sides: list[Any] = [list(side) if isinstance(side, tuple) else side for side in outcome]
    master = generator.master(seed, heard)
    return question, {
        "commit": commit.hex(),
        "transcript": heard.hex(),
        "master": master.hex(),
        "key": generator.draw_key(master, generator.draw_name(epoch, draw.id)).hex(),
        "key_commit": key_commit.hex(),
        "outcome": sides,
    }


def test_random_draws_have_the_same_outcome() -> None:
    luck, done = Random("draws"), 0
    while done < DRAWS:
        some = [random_question(luck) for _ in range(min(AT_ONCE, DRAWS - done))]
        answers = page_answers(question for question, _ in some)
        for (question, expected), found in zip(some, answers, strict=True):
            assert found.answer == expected, question
        done += len(some)
