"""Draws that the page derives are those of the service, whose own known answers
`tests/domain/chance` has."""

from random import Random
from typing import Any

import msgspec

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
