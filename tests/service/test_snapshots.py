"""A snapshot is the fold of the record: of every game, at any position, for every audience."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from domain.commands import Act, Pause, Resume, Start
from domain.encoding import decode_all, encode
from domain.events import Event, Record
from domain.games import GAMES
from projections.answers import Answered
from projections.boards.together import Listed
from projections.sight import Sight, see_all, view
from service.door.dealer import Hidden
from service.door.open_match import Reader, loaded
from service.keeping.answered import Packed, digest_of, packed
from service.keeping.folding import Folding, audiences, resumed
from service.keeping.snapshots import (
    OF_MATCH,
    Unfit,
    decode_match,
    decode_sight,
    encode_sight,
    last_of,
    part_of,
    shape,
    verified_match,
    verified_sight,
)
from tests.machines import as_sent, refusable, sizes, step
from tests.match_table import MATCH, MatchTable, seated

HIDDEN = Hidden(b"k" * 32)
KEYS = ("one", "two", "drei", "vier", "५")
MATCH_ID = UUID(MATCH)


class Walked(Struct, frozen=True):
    """A match played by luck: its record, as it is stored, and where its commands end."""

    table: MatchTable
    records: list[Record[Event]]
    states: list[bytes]
    ends: list[int]

    def __repr__(self) -> str:
        created = self.table.match.created
        return f"<{created.game}, {len(created.seats)} seats, {created.chance}>"


@cache
def walked(name: str, seats: int, chance: Any, luck: int) -> Walked:
    """With refused actions, repeated keys, pauses, seeds that are committed to and revealed."""
    rng = Random(f"{name}/{seats}/{chance}/{luck}")
    table = seated(GAMES[name], seats, chance=chance, clock="rules")
    if chance == "server":
        table.committed()
    ends = [len(table.records)]
    ends.extend(len(stepped.records) for stepped in _steps(table, rng))
    states = [encode(record) for record in table.records]
    return Walked(table, decode_all(states), states, ends)


def _steps(table: MatchTable, rng: Random) -> Iterator[MatchTable]:
    yield table.when(Start())
    while table.match.status == "running" and len(table.records) < 1_500:
        if rng.random() < 0.2:
            seat = rng.choice(table.seats)
            action = rng.choice(refusable(table, seat))
            key = rng.choice(KEYS) + str(rng.randrange(9))
            yield table.when(Act(seat, action, as_sent(action), key, rng.randbytes(32)))
        if rng.random() < 0.05:
            yield table.when(Pause())
            yield table.when(Resume(), table.at + 5)
        yield step(table, rng)


def folding(match: Walked, *upto: int) -> Folding:
    """Folded up to each of these positions in turn."""
    made = Folding(MATCH_ID)
    for end in upto:
        if end > made.position:
            made.take(match.records[made.position : end], last_of(match.states[end - 1]))
    return made


def exactly(one: Any, other: Any) -> bool:
    """Equal in every part, of the same types, and with what lists remember beside their parts."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Struct):
        names = one.__struct_fields__
        return all(exactly(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, tuple | list):
        if isinstance(one, Listed) and not exactly(beside(one), beside(other)):
            return False
        return len(one) == len(other) and all(map(exactly, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(exactly, one.values(), other.values()))
    return bool(one == other)


def beside(listed: Listed[Any]) -> tuple[Any, ...]:
    """What a list remembers beside its elements."""
    return listed.heard, listed.counting


@st.composite
def walks(draw: st.DrawFn) -> tuple[Walked, int, int]:
    """A match, and two places where a command of it ends."""
    name = draw(st.sampled_from(sorted(GAMES)))
    seats = draw(st.sampled_from(sizes(GAMES[name])[:2]))
    chance = draw(st.sampled_from(("server", "manual")))
    match = walked(name, seats, chance, draw(st.integers(0, 3)))
    first, second = sorted(draw(st.tuples(*[st.sampled_from(match.ends)] * 2)))
    return match, first, second


@settings(max_examples=150)
@given(walks())
def test_a_match_read_from_a_snapshot_is_the_fold_of_its_record(
    walk: tuple[Walked, int, int],
) -> None:
    match, at, end = walk
    part = decode_match(at, verified_match(folding(match, at).match_part()))
    whole = loaded(MATCH, match.records[:end], HIDDEN)
    read = resumed(part, match.states[at - 1 : end], HIDDEN)
    assert exactly(read.match, whole.match)
    assert read.drawn == whole.drawn
    assert [*read.records] == match.records[at - 1 : end] and read.before == at - 1
    for (seat, key), answer in whole.answers.items():
        assert (read.earlier.find(seat, key) or read.answers.get((seat, key))) == answer
    assert len(read.earlier) + len(set(read.answers)) >= len(whole.answers) >= len(read.earlier)


@settings(max_examples=150)
@given(walks())
def test_what_an_audience_sees_from_a_snapshot_is_the_fold_of_what_it_may_see(
    walk: tuple[Walked, int, int],
) -> None:
    match, at, end = walk
    game = match.table.game.id
    for viewer in audiences(match.table.match.created):
        fresh = Reader(viewer)
        fresh.read(match.records[:at])
        last, reader = decode_sight(at, verified_sight(last_of(match.states[at - 1]), fresh))
        assert last == last_of(match.states[at - 1])
        for position in (at, end):
            reader.read(match.records[reader.end : position])
            whole = see_all(Sight(viewer), match.records[:position])
            assert exactly(reader.sight, whole)
            assert reader.body(MATCH, game) == msgspec.json.encode(view(MATCH, game, whole))
        again = Reader(viewer)
        again.read(match.records[:end])
        assert (reader.positions, reader.end) == (again.positions, end)


@settings(max_examples=100)
@given(walks())
def test_a_snapshot_made_from_the_one_before_is_the_same_to_the_byte(
    walk: tuple[Walked, int, int],
) -> None:
    match, at, end = walk
    whole = dict(folding(match, end).parts())
    kept = dict(folding(match, at).parts())
    made = Folding.of(MATCH_ID, decode_match(at, kept[OF_MATCH]))
    for viewer in made.readers:
        made.readers[viewer] = decode_sight(at, kept[part_of(viewer)])[1]
    if end > at:
        made.take(match.records[at:end], last_of(match.states[end - 1]))
    assert dict(made.parts()) == whole == dict(folding(match, at, end).parts())
    assert set(whole) == {OF_MATCH, *map(part_of, audiences(match.table.match.created))}


@settings(max_examples=60)
@given(walks())
def test_what_a_seat_is_not_told_is_not_in_its_part(walk: tuple[Walked, int, int]) -> None:
    """Its bytes follow from its own events, but for what says to which record they belong."""
    match, at, _ = walk
    own = folding(match, at)
    for viewer, reader in own.readers.items():
        alone = Reader(viewer)
        told = [match.records[position - 1] for position in reader.positions]
        alone.read(told)
        alone.positions, alone.end = reader.positions, reader.end
        assert dict(own.parts())[part_of(viewer)] == encode_sight(own.last, alone)


def test_the_matches_here_have_what_is_hard_to_keep() -> None:
    """The control: lists that remember something, draws, an epoch, keys, a match that is over."""
    together = walked("together", sizes(GAMES["together"])[0], "server", 0)
    assert any(_remembering(folding(together, end)) for end in together.ends)
    part = folding(together, together.ends[-1]).match_part()
    assert part.match.epoch is not None and len(part.answers) > 2
    assert folding(walked("twelve-chips", 2, "manual", 0), 200).match_part().draws
    assert any(walked("dollar-prize", 2, "server", n).table.match.result for n in range(4))


def test_what_does_not_come_back_as_it_was_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that forgets what it remembers beside its elements looks as it should."""
    match = walked("together", sizes(GAMES["together"])[0], "server", 0)
    end = next(end for end in match.ends if _remembering(folding(match, end)))
    assert dict(folding(match, end).parts())
    forgetful: tuple[Any, ...] = (
        lambda elements, _: Listed(elements),
        lambda elements, _: elements,
    )
    for forgets in forgetful:
        monkeypatch.setattr("service.keeping.snapshots._listed", forgets)
        with pytest.raises(Unfit):
            dict(folding(match, end).parts())


def _remembering(made: Folding) -> list[Listed[Any]]:
    """The lists of boards that remember something."""
    boards = [reader.sight.board for reader in made.readers.values() if reader.sight.board]
    lists = [one for board in boards for one in (board.submissions, board.standing_by_seat)]
    return [one for one in lists if isinstance(one, Listed) and any(beside(one))]


@pytest.mark.parametrize("content", [b"", b"\x00", b"\x95", msgspec.msgpack.encode([1] * 5)])
def test_bytes_that_are_no_snapshot_are_unfit(content: bytes) -> None:
    with pytest.raises(Unfit):
        decode_match(1, content)
    with pytest.raises(Unfit):
        decode_sight(1, content)


def test_a_sight_without_the_places_of_all_its_events_is_unfit() -> None:
    match = walked("dollar-prize", 2, "server", 0)
    made = folding(match, match.ends[-1])
    fields = msgspec.msgpack.decode(encode_sight(made.last, made.readers[0]))
    assert isinstance(decode_sight(made.position, msgspec.msgpack.encode(fields))[1], Reader)
    for cut in (1, 4):
        cut_off = [*fields[:3], fields[3][:-cut]]
        with pytest.raises(Unfit):
            decode_sight(made.position, msgspec.msgpack.encode(cut_off))


def test_every_cut_or_changed_byte_is_unfit_or_another_snapshot() -> None:
    """Whatever lies there, reading it raises nothing else; the digest is the table's."""
    match = walked("dollar-prize", 2, "server", 0)
    made = folding(match, match.ends[-1])
    parts, rng = dict(made.parts()), Random(1)
    for _ in range(500):
        for name, content in parts.items():
            spoilt = bytearray(content)
            spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
            read = decode_match if name == OF_MATCH else decode_sight
            with suppress(Unfit):
                read(made.position, bytes(spoilt[: rng.randrange(1, 2 * len(spoilt))]))


def test_the_shape_follows_from_the_rules_and_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    before = shape()
    shape.cache_clear()
    assert shape() == before
    shape.cache_clear()
    monkeypatch.setattr("service.keeping.snapshots._sources", lambda *_: [("domain/x.py", b"")])
    other = shape()
    shape.cache_clear()
    assert other != before


# Answers.


def test_answers_of_100_000_requests_are_found_among_their_bytes() -> None:
    answers = {(n % 4, f"key-{n}"): _answer(n) for n in range(100_000)}
    at_once = packed(Packed(), answers)
    assert len(at_once) == 100_000
    for n in range(0, 100_000, 997):
        assert at_once.find(n % 4, f"key-{n}") == _answer(n)
        assert at_once.find((n + 1) % 4, f"key-{n}") is None
    assert at_once.find(0, "key-100000") is None


def _answer(n: int) -> Answered:
    code = (None, "not_your_turn", "späť")[n % 3]
    phase = (None, f"round{n}")[n % 2]
    fingerprint = None if n % 5 == 0 else bytes([n % 256]) * 32
    return Answered(10**15 + n, fingerprint, n + 1, n + 3, code, n % 7 == 0, phase)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from(KEYS)), max_size=30), st.integers(0, 30)
)
def test_the_first_answer_under_a_key_stays_however_often_it_was_packed(
    used: list[tuple[int, str]], cut: int
) -> None:
    first: dict[tuple[int, str], Any] = {}
    halves: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for n, key in enumerate(used):
        first.setdefault(key, _answer(n))
        halves[n >= cut].setdefault(key, _answer(n))
    whole = packed(Packed(), first)
    assert packed(packed(Packed(), halves[0]), halves[1]) == whole
    assert len(whole) == len(first)
    assert all(whole.find(*key) == answer for key, answer in first.items())
    digests = [whole.entries[at : at + 16] for at in range(0, len(whole.entries), 73)]
    assert digests == sorted(digest_of(*key) for key in first)


def test_a_fingerprint_that_is_none_is_not_packed() -> None:
    answer = _answer(1)
    answer.fingerprint = b"short"
    with pytest.raises(ValueError, match="SHA-256"):
        packed(Packed(), {(0, "key"): answer})
