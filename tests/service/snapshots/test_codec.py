"""A snapshot equals the fold of the record: for every game, position and audience."""

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
from projections.audience import AudienceState, see_all, view
from projections.audience_projection import AudienceProjection
from projections.boards.together import SubmissionList
from projections.disclosure import audiences
from projections.lines import checksum
from projections.submissions import Answered, Superseded
from service.application.loaded_match import from_record, from_snapshot, projected
from service.event_store.checked_records import CheckedRecords
from service.event_store.digests import Digest
from service.event_store.secret_store import MatchSecrets
from service.snapshots.codec import (
    MATCH_PART,
    UnusableSnapshot,
    decode_audience,
    decode_match,
    encode_audience,
    part_name,
    record_digest,
    shape,
    verified_audience,
    verified_match,
)
from service.snapshots.idempotency_index import IdempotencyIndex, digest_of, with_answers
from service.snapshots.snapshot_builder import SnapshotBuilder
from tests.support.tables.game_strategies import as_sent, refusable, sizes, step
from tests.support.tables.match_table import MATCH, MatchTable, seated

HIDDEN = MatchSecrets(b"k" * 32)
KEYS = ("one", "two", "drei", "vier", "५")
MATCH_ID = UUID(MATCH)


class Walked(Struct, frozen=True):
    """A match played at random: its records, their stored bytes, and the ends of its commands."""

    table: MatchTable
    records: list[Record[Event]]
    states: list[bytes]
    ends: list[int]

    def after(self, start: int, end: int) -> tuple[list[Record[Event]], list[int]]:
        """Records with the checksums of their stored bytes."""
        return self.records[start:end], list(map(checksum, self.states[start:end]))

    def read(self, start: int, end: int) -> CheckedRecords:
        """The same as they are read from a store; nothing here depends on the digest."""
        return CheckedRecords(self.records[start:end], self.states[start:end], Digest(end, b""))

    def __repr__(self) -> str:
        created = self.table.match.created
        return f"<{created.game}, {len(created.seats)} seats, {created.chance}>"


@cache
def walked(name: str, seats: int, chance: Any, luck: int) -> Walked:
    """A random match with refused actions, repeated keys, pauses, committed and revealed seeds."""
    rng = Random(f"{name}/{seats}/{chance}/{luck}")
    table = seated(GAMES[name], seats, chance=chance, clock="rules")
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


def built(match: Walked, *upto: int) -> SnapshotBuilder:
    """A builder that has folded the match up to each of these positions in turn."""
    made = SnapshotBuilder(MATCH_ID)
    for end in upto:
        if end > made.position:
            made.add(*match.after(made.position, end), record_digest(match.states[end - 1]))
    return made


def exactly(one: Any, other: Any) -> bool:
    """Whether two values are equal in every part, in types, and in the state of their lists."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Struct):
        names = one.__struct_fields__
        return all(exactly(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, tuple | list):
        if isinstance(one, SubmissionList) and not exactly(list_state(one), list_state(other)):
            return False
        return len(one) == len(other) and all(map(exactly, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(exactly, one.values(), other.values()))
    return bool(one == other)


def list_state(listed: SubmissionList[Any]) -> tuple[Any, ...]:
    """The state of a list beside its elements."""
    return listed.pending, listed.current


@st.composite
def walks(draw: st.DrawFn) -> tuple[Walked, int, int]:
    """A match, and two positions where a command ends."""
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
    part = decode_match(at, verified_match(built(match, at).match_part()))
    whole = from_record(MATCH, match.read(0, end), HIDDEN)
    projections = [
        projected(viewer, *match.after(0, end)) for viewer in audiences(part.match.created)
    ]
    read = from_snapshot(
        MATCH, part, match.read(at, end), projections, HIDDEN, match.records[end - 1].at
    )
    assert exactly(read.match, whole.match)
    assert read.drawn == whole.drawn
    assert (read.length, read.at, list(read.projections)) == (whole.length, whole.at, projections)
    for (seat, key), answer in whole.answers.items():
        assert (read.earlier.find(seat, key) or read.answers.get((seat, key))) == answer
    assert len(read.earlier) + len(set(read.answers)) >= len(whole.answers) >= len(read.earlier)


@settings(max_examples=150)
@given(walks())
def test_a_view_from_a_snapshot_is_the_fold_of_the_audiences_events(
    walk: tuple[Walked, int, int],
) -> None:
    match, at, end = walk
    game = match.table.game.id
    for viewer in audiences(match.table.match.created):
        fresh = AudienceProjection(viewer)
        fresh.read(*match.after(0, at))
        last, reader = decode_audience(
            at, verified_audience(record_digest(match.states[at - 1]), fresh)
        )
        assert last == record_digest(match.states[at - 1])
        for position in (at, end):
            reader.read(*match.after(reader.end, position))
            whole = see_all(AudienceState(viewer), match.records[:position])
            assert exactly(reader.state, whole)
            assert reader.body(MATCH, game) == msgspec.json.encode(view(MATCH, game, whole))
        again = AudienceProjection(viewer)
        again.read(*match.after(0, end))
        assert (reader.positions, reader.end) == (again.positions, end)
        assert reader.checksums == again.checksums


@settings(max_examples=100)
@given(walks())
def test_a_snapshot_made_from_the_one_before_is_the_same_to_the_byte(
    walk: tuple[Walked, int, int],
) -> None:
    match, at, end = walk
    whole = dict(built(match, end).parts())
    parts = dict(built(match, at).parts())
    made = SnapshotBuilder.from_snapshot(MATCH_ID, decode_match(at, parts[MATCH_PART]))
    for viewer in made.projections:
        made.projections[viewer] = decode_audience(at, parts[part_name(viewer)])[1]
    if end > at:
        made.add(*match.after(at, end), record_digest(match.states[end - 1]))
    assert dict(made.parts()) == whole == dict(built(match, at, end).parts())
    assert set(whole) == {MATCH_PART, *map(part_name, audiences(match.table.match.created))}


@settings(max_examples=60)
@given(walks())
def test_a_seats_part_contains_nothing_hidden_from_it(walk: tuple[Walked, int, int]) -> None:
    """Its bytes depend on its own events only, except the mark of the record."""
    match, at, _ = walk
    own = built(match, at)
    for viewer, reader in own.projections.items():
        alone = AudienceProjection(viewer)
        visible = [match.records[position - 1] for position in reader.positions]
        stored = [match.states[position - 1] for position in reader.positions]
        alone.read(visible, list(map(checksum, stored)))
        alone.positions, alone.end = reader.positions, reader.end
        assert dict(own.parts())[part_name(viewer)] == encode_audience(own.last, alone)


def test_the_matches_here_have_everything_that_is_hard_to_encode() -> None:
    """The control: lists with state, draws, an epoch, keys, and a match that is over."""
    together = walked("together", sizes(GAMES["together"])[0], "server", 0)
    assert any(_stateful_lists(built(together, end)) for end in together.ends)
    part = built(together, together.ends[-1]).match_part()
    assert part.match.epoch is not None and len(part.answers) > 2
    assert built(walked("twelve-chips", 2, "manual", 0), 200).match_part().draws
    assert any(walked("dollar-prize", 2, "server", n).table.match.result for n in range(4))


def test_a_part_that_does_not_decode_to_itself_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list without its state has the same elements."""
    match = walked("together", sizes(GAMES["together"])[0], "server", 0)
    end = next(end for end in match.ends if _stateful_lists(built(match, end)))
    assert dict(built(match, end).parts())
    forgetful: tuple[Any, ...] = (
        lambda elements, _: SubmissionList(elements),
        lambda elements, _: elements,
    )
    for forgets in forgetful:
        monkeypatch.setattr("service.snapshots.codec._restored_list", forgets)
        with pytest.raises(UnusableSnapshot):
            dict(built(match, end).parts())


def _stateful_lists(made: SnapshotBuilder) -> list[SubmissionList[Any]]:
    """The lists of boards that have state beside their elements."""
    boards = [reader.state.board for reader in made.projections.values() if reader.state.board]
    lists = [one for board in boards for one in (board.submissions, board.standing_by_seat)]
    return [one for one in lists if isinstance(one, SubmissionList) and any(list_state(one))]


@pytest.mark.parametrize("content", [b"", b"\x00", b"\x95", msgspec.msgpack.encode([1] * 5)])
def test_bytes_that_are_no_snapshot_are_unusable(content: bytes) -> None:
    with pytest.raises(UnusableSnapshot):
        decode_match(1, content)
    with pytest.raises(UnusableSnapshot):
        decode_audience(1, content)


def test_an_audience_without_the_positions_of_all_its_events_is_unusable() -> None:
    match = walked("dollar-prize", 2, "server", 0)
    made = built(match, match.ends[-1])
    fields = msgspec.msgpack.decode(encode_audience(made.last, made.projections[0]))
    assert isinstance(
        decode_audience(made.position, msgspec.msgpack.encode(fields))[1], AudienceProjection
    )
    for cut in (1, 4):
        for cut_off in (
            [*fields[:3], fields[3][:-cut], fields[4]],
            [*fields[:4], fields[4][:-cut]],
        ):
            with pytest.raises(UnusableSnapshot):
                decode_audience(made.position, msgspec.msgpack.encode(cut_off))


def test_every_cut_or_changed_byte_is_unusable_or_another_snapshot() -> None:
    """Reading any bytes raises nothing else. The table checks the digest, not the codec."""
    match = walked("dollar-prize", 2, "server", 0)
    made = built(match, match.ends[-1])
    parts, rng = dict(made.parts()), Random(1)
    for _ in range(500):
        for name, content in parts.items():
            spoilt = bytearray(content)
            spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
            read = decode_match if name == MATCH_PART else decode_audience
            with suppress(UnusableSnapshot):
                read(made.position, bytes(spoilt[: rng.randrange(1, 2 * len(spoilt))]))


def test_the_shape_follows_from_the_rules_and_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    before = shape()
    shape.cache_clear()
    assert shape() == before
    shape.cache_clear()
    monkeypatch.setattr("service.snapshots.codec._sources", lambda *_: [("domain/x.py", b"")])
    other = shape()
    shape.cache_clear()
    assert other != before


# Answers.


def test_answers_of_100_000_requests_are_found_among_their_bytes() -> None:
    answers = {(n % 4, f"key-{n}"): _answer(n) for n in range(100_000)}
    at_once = with_answers(IdempotencyIndex(), answers)
    assert len(at_once) == 100_000
    for n in range(0, 100_000, 997):
        assert at_once.find(n % 4, f"key-{n}") == _answer(n)
        assert at_once.find((n + 1) % 4, f"key-{n}") is None
    assert at_once.find(0, "key-100000") is None


def _answer(n: int) -> Answered:
    code = (None, "not_your_turn", "späť")[n % 3]
    phase = (None, f"round{n}")[n % 2]
    fingerprint = None if n % 5 == 0 else bytes([n % 256]) * 32
    superseded: tuple[Superseded | None, ...] = (None, "a", "b")
    refused, kind = n % 7 == 0, superseded[n // 3 % 3]
    return Answered(10**15 + n, n + 1, n + 3, code, refused, phase, kind, fingerprint)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from(KEYS)), max_size=30), st.integers(0, 30)
)
def test_the_first_answer_under_a_key_stays_however_often_answers_are_added(
    used: list[tuple[int, str]], cut: int
) -> None:
    first: dict[tuple[int, str], Any] = {}
    halves: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for n, key in enumerate(used):
        first.setdefault(key, _answer(n))
        halves[n >= cut].setdefault(key, _answer(n))
    whole = with_answers(IdempotencyIndex(), first)
    assert with_answers(with_answers(IdempotencyIndex(), halves[0]), halves[1]) == whole
    assert len(whole) == len(first)
    assert all(whole.find(*key) == answer for key, answer in first.items())
    digests = [whole.entries[at : at + 16] for at in range(0, len(whole.entries), 73)]
    assert digests == sorted(digest_of(*key) for key in first)


def test_a_fingerprint_of_another_size_is_refused() -> None:
    answer = _answer(1)
    answer.fingerprint = b"short"
    with pytest.raises(ValueError, match="SHA-256"):
        with_answers(IdempotencyIndex(), {(0, "key"): answer})
