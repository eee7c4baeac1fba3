"""Draws that the page derives are those of `arbiter-rng/1`: known answers, and many random ones."""

from random import Random
from typing import Any

import msgspec
import pytest

from domain.chance import generator
from domain.chance.draws import Draw, Flip, Part, Roll, Shuffle, orders
from domain.chance.seeds import answered, sealing
from domain.match.events import SeedCommitted
from tests.support.chance.rng_reference import below, words
from tests.support.effort import times
from tests.support.web.verifier_script import Json, page_answers

DRAWS = times("draws in the browser")
"""Number of draws that are derived twice."""

AT_ONCE = 5_000

ALPHABET = "abcXYZ019-/_.é√𝄞 "


def flips(count: int) -> list[Json]:
    return [{"kind": "flip", "label": "coin"}] * count


def shuffles(*piles: list[int]) -> list[Json]:
    return [{"kind": "shuffle", "items": items} for items in piles]


def rolls(*sides: int) -> list[Json]:
    return [{"kind": "roll", "sides": count, "label": "die"} for count in sides]


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
DEAL: Json = {"id": "round1/deal", "parts": shuffles([4, 5, 6, 7, 8, 9], [1, 2, 3, 10, 11, 12])}

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


@pytest.mark.parametrize(
    ("seeds", "reds", "blues"),
    [
        ([None, None], [7, 9, 8, 5, 6, 4], [2, 3, 11, 12, 10, 1]),
        (["alice", "carol"], [8, 9, 7, 4, 5, 6], [10, 12, 1, 3, 2, 11]),
    ],
)
def test_known_answers_of_a_deal(
    seeds: list[str | None], reds: list[int], blues: list[int]
) -> None:
    (found,) = page_answers([{**KNOWN, **DEAL, "seeds": seeds}])
    assert found.answer["outcome"] == [reds, blues]


DICE: Json = {
    "id": "round1/roll/0",
    "parts": [*rolls(6, 6, 6, 6, 6), *rolls(20, 20, 1, 2**32)],
}


@pytest.mark.parametrize(
    ("seeds", "sides"),
    [
        ([None, None], [6, 3, 1, 1, 3, 18, 13, 1, 2_516_818_846]),
        (["alice", "carol"], [1, 6, 4, 6, 6, 18, 1, 1, 3_217_446_448]),
    ],
)
def test_known_answers_of_dice(seeds: list[str | None], sides: list[int]) -> None:
    """A die of one side uses no word."""
    (found,) = page_answers([{**KNOWN, **DICE, "seeds": seeds}])
    assert found.answer["outcome"] == sides


@pytest.mark.parametrize("sides", [1, 2, 3, 6, 7, 20, 1_000, 2**31 - 1, 2**31 + 1, 2**32])
def test_a_roll_is_one_more_than_a_number_below_its_sides(sides: int) -> None:
    """Words that are rejected are not used: of 2^31 + 1 sides that is nearly every other one."""
    dice = rolls(*(sides,) * 200)
    (found,) = page_answers([{**KNOWN, "seeds": [None], "id": "dice", "parts": dice}])
    stream = words(bytes.fromhex(found.answer["key"]))
    assert found.answer["outcome"] == [1 + below(sides, stream) for _ in dice]


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
    outcome, key_commit = answered(seed, heard, epoch, draw)
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


def test_words_that_would_favour_some_numbers_are_rejected() -> None:
    """In a shuffle of this many items it happens sometimes: in this one six times."""
    items = list(range(300_000))
    (found,) = page_answers([{**KNOWN, "seeds": [None], "id": "long", "parts": shuffles(items)}])
    key = bytes.fromhex(found.answer["key"])
    (expected,) = orders(generator.outcome(Draw("long", (Shuffle(tuple(items)),)), key))
    assert found.answer["outcome"] == [list(expected)]
