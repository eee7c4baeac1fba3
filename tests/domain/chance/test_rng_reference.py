"""The domain's `arbiter-rng/1` and a second implementation of the scheme agree, byte for byte."""

from collections.abc import Iterator

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from domain.chance import generator
from domain.chance.draws import Draw, Flip, Part, PartOutcome, Roll, Shuffle
from tests.domain.chance import rng_reference as reference
from tests.domain.chance.rng_reference import Terms
from tests.support.effort import times

U32 = st.integers(0, 2**32 - 1)
TEXT = st.text(max_size=12)
HASH = st.binary(min_size=32, max_size=32)
ITEMS = st.lists(st.integers() | st.text(max_size=2), max_size=8).map(tuple)
DECKS = st.integers(9, 60).map(lambda size: tuple(range(size)))
SIDES = st.integers(1, 20) | st.integers(1, 2**32) | st.sampled_from((2**31 + 1, 2**32))
PARTS = st.lists(
    st.builds(Flip, TEXT)
    | st.builds(Shuffle, ITEMS)
    | st.builds(Shuffle, DECKS)
    | st.builds(Roll, SIDES, TEXT),
    max_size=4,
).map(tuple)
CLIENTS = st.dictionaries(st.integers(0, 20) | U32, st.binary(max_size=64), max_size=3)


class Case(Struct, frozen=True):
    """A draw with all inputs of its outcome."""

    match_id: str
    epoch: int
    seed: bytes
    rules: bytes
    roster: bytes
    client_seeds: dict[int, bytes]
    draw_id: str
    parts: tuple[Part, ...]


CASES = st.builds(
    Case,
    TEXT,
    st.integers(0, 3) | U32,
    HASH,
    HASH,
    HASH,
    CLIENTS,
    TEXT,
    PARTS,
)


@settings(
    max_examples=times("readings of the scheme"),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(CASES)
def test_both_implementations_agree_on_every_step(case: Case) -> None:
    assert first_reading(case) == second_reading(case)


def first_reading(case: Case) -> list[object]:
    """Every value on the way to the outcome, by the domain."""
    committed = generator.commit(case.match_id, case.epoch, case.seed)
    clients = generator.clients(case.client_seeds)
    heard = generator.transcript(
        case.match_id, case.epoch, committed, case.rules, case.roster, clients
    )
    master = generator.master(case.seed, heard)
    name = generator.draw_name(case.epoch, case.draw_id)
    key = generator.draw_key(master, name)
    outcome = generator.outcome(Draw(case.draw_id, case.parts), key)
    opened = generator.key_commit(name, key)
    return [committed, clients, heard, master, key, opened, *outcome]


def second_reading(case: Case) -> list[object]:
    """The same values, by the text of the scheme."""
    terms = Terms(
        case.match_id,
        case.epoch,
        case.seed,
        case.rules,
        case.roster,
        case.client_seeds,
    )
    key = reference.draw_key(terms, case.draw_id)
    stream = reference.words(key)
    return [
        reference.commit(terms),
        reference.clients(terms),
        reference.transcript(terms),
        reference.master(terms),
        key,
        reference.key_commit(terms, case.draw_id),
        *(part_outcome(part, stream) for part in case.parts),
    ]


def part_outcome(part: Part, stream: Iterator[int]) -> PartOutcome:
    if isinstance(part, Shuffle):
        return tuple(reference.shuffled(part.items, stream))
    if isinstance(part, Roll):
        return reference.rolled(part.sides, stream)
    return "tails" if reference.flips(1, stream) == ["tails"] else "heads"
