"""A store joined to another one: what is added, what stays, and what is refused, by table."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

import pytest

from service.application.idempotency import SCOPE, stream_of
from service.application.migration import migrate
from service.auth.key_form import ORGANISERS
from service.auth.keys import CHANGES, REVOCATIONS, STORE_LISTS
from service.event_store import clock_log, reads
from service.event_store.clock_log import CLOCKS, ClockAccepted, ClockJumped
from service.event_store.copy import CopyDiffers, Sums, open_dump
from service.event_store.dump import (
    DIGESTS,
    KEYRINGS,
    LOG,
    READS,
    SECRETS,
    TABLES,
    DumpedRow,
)
from service.event_store.incarnation import INCARNATIONS
from service.event_store.join import Collision, join
from service.event_store.store_history import (
    HISTORY,
    LossAccepted,
    StoreEvent,
    StoreJoined,
    encode_event,
    name_of,
)
from tests.support.cli.spoiling_dump import Spoil, Spoiling
from tests.support.cli.store_with_history import Environment, contents, embedded
from tests.support.instants import NOON
from tests.support.servers.postgres_server import fresh_database

ONE, TWO = (UUID(f"019b796d-d600-7000-8000-00000000000{n}") for n in (1, 2))
REQUEST = stream_of(SCOPE, "round 1")


class Joining:
    """Two stores, of which the first is joined to the second."""

    def __init__(self, source: Environment, target: Environment) -> None:
        self.source, self.target = source, target
        for env in (source, target):
            migrate(env)

    def given(
        self, table: str, *, source: Sequence[DumpedRow] = (), target: Sequence[DumpedRow] = ()
    ) -> "Joining":
        for env, rows in ((self.source, source), (self.target, target)):
            with open_dump(env) as dump:
                dump.insert(table, [rows])
        return self

    def when_joined(self) -> Sums:
        with open_dump(self.source) as source, open_dump(self.target) as target:
            return join(source, target, STORE_LISTS, NOON)

    def then(self, table: str, *rows: DumpedRow) -> None:
        own = (INCARNATIONS.bytes, HISTORY.bytes)
        found = [row for row in contents(self.target)[table] if row[0] not in own]
        assert found == list(rows)

    def refused(self, words: str) -> None:
        """Nothing is changed on either side."""
        before = contents(self.source), contents(self.target)
        with pytest.raises(Collision, match=words):
            self.when_joined()
        assert (contents(self.source), contents(self.target)) == before


@pytest.fixture(params=["sqlite to sqlite", "sqlite to postgres", "postgres to sqlite"])
def joining(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Joining]:
    kinds = request.param.split(" to ")
    with ExitStack() as stack:
        yield Joining(
            *(
                stack.enter_context(fresh_database())
                if kind == "postgres"
                else embedded(tmp_path / f"{n}.db").env
                for n, kind in enumerate(kinds)
            )
        )


def rows(stream: UUID, *states: str, topic: str = "match.paused.1") -> list[DumpedRow]:
    """A stream of these rows."""
    return [(stream.bytes, n, topic, state.encode()) for n, state in enumerate(states, 1)]


def digest(stream: UUID, length: int, value: str = "d") -> DumpedRow:
    return (stream.bytes, length, "store.digest.1", value.encode())


def read(match: UUID, name: str, seq: int, first: int, last: int) -> DumpedRow:
    row = (str(match), "k" * 16, "moderator", 1, "moderator", name, seq, first, last)
    return reads.dumped(row)


# Streams.


def test_new_events_follow_those_of_the_target_in_their_order(joining: Joining) -> None:
    first, second = rows(ONE, "a", "b"), rows(TWO, "c", "d")
    joining.given(LOG, source=[second[0], *first, second[1]], target=rows(UUID(int=7), "z"))
    joining.when_joined()
    joining.then(LOG, *rows(UUID(int=7), "z"), second[0], *first, second[1])


@pytest.mark.parametrize("table", [LOG, SECRETS, KEYRINGS])
def test_of_a_stream_in_both_stores_the_longer_counts(joining: Joining, table: str) -> None:
    longer, other = rows(ONE, "a", "b", "c"), rows(TWO, "a", "b", "c")
    joining.given(table, source=[*longer, *other[:1]], target=[*longer[:2], *other])
    joining.when_joined()
    found = sorted(contents(joining.target)[table])
    assert [row for row in found if row[0] in (ONE.bytes, TWO.bytes)] == [*longer, *other]


def test_what_is_joined_again_is_not_doubled(joining: Joining) -> None:
    for table in (LOG, SECRETS, KEYRINGS):
        joining.given(table, source=rows(ONE, "a", "b"), target=rows(TWO, "c"))
    joining.given(DIGESTS, source=[digest(ONE, 2)], target=[digest(TWO, 1)])
    joining.given(READS, source=[read(ONE, "Mo", 2, 5, 9)], target=[read(TWO, "Mo", 1, 1, 2)])
    joining.given(KEYRINGS, source=rows(REVOCATIONS, "r"), target=rows(REVOCATIONS, "s"))
    assert sum(one.rows for one in joining.when_joined().values()) == 9
    before = contents(joining.target)
    assert not any(one.rows for one in joining.when_joined().values())
    assert contents(joining.target) == before


@pytest.mark.parametrize(
    ("table", "stream", "topic", "named"),
    [
        (LOG, ONE, "match.paused.1", f"match {ONE} is in both stores and not the same"),
        (LOG, ONE, "tournament.created.1", "tournament"),
        (LOG, ONE, "case.opened.1", "case"),
        (SECRETS, ONE, "secret.seed-kept.1", "the secrets of match"),
        (KEYRINGS, ONE, "key.issued.1", "the keys of match"),
        (KEYRINGS, REQUEST, "request.kept.1", "the idempotency key of request"),
    ],
)
def test_another_content_under_the_same_id_is_refused(
    joining: Joining, table: str, stream: UUID, topic: str, named: str
) -> None:
    joining.given(LOG, source=rows(TWO, "new"), target=rows(UUID(int=7), "own"))
    joining.given(
        table,
        source=rows(stream, "a", "b", topic=topic),
        target=rows(stream, "a", "c", "d", topic=topic),
    ).refused(named)


# Tables with a row for each match, or for each match and key.


def test_the_digest_that_covers_more_counts(joining: Joining) -> None:
    joining.given(
        DIGESTS,
        source=[digest(ONE, 3, "longer"), digest(TWO, 1, "shorter")],
        target=[digest(ONE, 2), digest(TWO, 2)],
    ).when_joined()
    joining.then(DIGESTS, digest(ONE, 3, "longer"), digest(TWO, 2))


def test_another_digest_of_as_many_rows_is_refused(joining: Joining) -> None:
    joining.given(DIGESTS, source=[digest(ONE, 2, "x")], target=[digest(ONE, 2, "y")])
    joining.refused("the digest of match")


def test_two_rows_of_reads_become_one_that_covers_both(joining: Joining) -> None:
    joining.given(
        READS,
        source=[read(ONE, "Mo", 2, 10, 50), read(TWO, "Mo", 0, 1, 1)],
        target=[read(ONE, "Mo", 3, 20, 30)],
    ).when_joined()
    joining.then(READS, read(ONE, "Mo", 3, 10, 50), read(TWO, "Mo", 0, 1, 1))


def test_reads_of_one_key_by_two_people_are_refused(joining: Joining) -> None:
    joining.given(READS, source=[read(ONE, "Mo", 2, 1, 1)], target=[read(ONE, "Jo", 2, 1, 1)])
    joining.refused("the account of reads of match")


# Streams that a store has once.


@pytest.mark.parametrize("stream", [ORGANISERS, REVOCATIONS, CHANGES])
def test_lists_get_the_entries_that_only_the_source_has(joining: Joining, stream: UUID) -> None:
    joining.given(
        KEYRINGS, source=rows(stream, "both", "new"), target=rows(stream, "own", "both", "other")
    ).when_joined()
    joining.then(KEYRINGS, *rows(stream, "own", "both", "other", "new"))


def clocks(*events: clock_log.ClockEvent) -> list[DumpedRow]:
    encoded = [(str(one.__struct_config__.tag), clock_log._encode(one)) for one in events]
    return [(CLOCKS.bytes, n, *entry) for n, entry in enumerate(encoded, 1)]


def test_jumps_of_clocks_get_new_numbers(joining: Joining) -> None:
    own, both, new = (ClockJumped(at, "here", 5_000_000) for at in (1, 2, 3))
    joining.given(
        KEYRINGS,
        source=clocks(both, new, ClockAccepted(9, 2), ClockAccepted(8, 1)),
        target=clocks(own, both, ClockAccepted(8, 2)),
    ).when_joined()
    joining.then(KEYRINGS, *clocks(own, both, ClockAccepted(8, 2), new, ClockAccepted(9, 4)))


def test_incarnation_and_history_stay_those_of_the_target(joining: Joining) -> None:
    lost, own = LossAccepted(1, 2, 3), LossAccepted(4, 5, 6)
    joining.given(
        KEYRINGS,
        source=[*history(lost), *rows(INCARNATIONS, "theirs")],
        target=[*history(own), *rows(INCARNATIONS, "ours")],
    )
    joining.given(LOG, source=rows(ONE, "a", "b")).when_joined()
    found = contents(joining.target)[KEYRINGS]
    assert found == [*history(own, StoreJoined(NOON, 2)), *rows(INCARNATIONS, "ours")]


def history(*events: StoreEvent) -> list[DumpedRow]:
    return [
        (HISTORY.bytes, n, name_of(event), encode_event(event)) for n, event in enumerate(events, 1)
    ]


# What arrives is compared.


def other_content(rows: list[DumpedRow]) -> list[DumpedRow]:
    return [(*rows[0][:3], rows[0][3][:-1] + b"\x7f"), *rows[1:]]


def other_order(rows: list[DumpedRow]) -> list[DumpedRow]:
    return rows[::-1]


@pytest.mark.parametrize(
    ("table", "spoil"), [*((table, other_content) for table in TABLES), (LOG, other_order)]
)
def test_what_arrives_otherwise_is_detected_and_removed(
    joining: Joining, table: str, spoil: Spoil
) -> None:
    for each in (LOG, SECRETS, KEYRINGS):
        joining.given(
            each, source=[*rows(ONE, "a"), *rows(TWO, "b")], target=rows(UUID(int=7), "o")
        )
    joining.given(DIGESTS, source=[digest(ONE, 1)])
    joining.given(READS, source=[read(ONE, "Mo", 1, 1, 1)])
    before = contents(joining.target)
    with (
        pytest.raises(CopyDiffers, match=table),
        open_dump(joining.source) as source,
        open_dump(joining.target) as target,
    ):
        join(source, Spoiling(target, spoil, table), STORE_LISTS, NOON)
    assert contents(joining.target) == before
