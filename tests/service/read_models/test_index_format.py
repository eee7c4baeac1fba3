"""The format of the index: a database of another format is filled from the log again, and two
releases side by side follow the log in their own tables."""

import random
import re
from contextlib import closing
from hashlib import sha256

import pytest

from domain.match.events import MatchStarted
from service.read_models import follower
from service.read_models.tables import DERIVED_TABLES, FORMAT, TABLES
from tests.support.instance.index_log import Log, busy, contents
from tests.support.instance.index_releases import release

MADE = {1: "b14e4a8d24998147"}
"""The SHA-256 of the statements that create the tables, by format."""


@pytest.mark.parametrize("number", [FORMAT - 1, FORMAT + 1])
def test_another_format_is_read_from_the_beginning(log: Log, number: int) -> None:
    busy(log)
    log.index.follow()
    wanted = contents(log.index)
    with closing(release(log, number)) as other:
        assert contents(other)[0] == []
        other.follow()
        assert contents(other) == wanted
        other.rebuild()
        assert contents(log.index) == contents(other) == wanted


def test_two_releases_at_once_follow_each_in_its_own_tables(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    luck = random.Random(7)
    with closing(release(log, FORMAT + 1)) as other:
        for _ in range(12):
            monkeypatch.setattr(follower, "PAGE", luck.choice([3, 11, 1_000]))
            luck.choice([log.index.follow, other.follow, log.index.rebuild, other.rebuild])()
            busy(log) if luck.random() < 0.3 else log.match(MatchStarted())
        log.index.follow()
        other.follow()
        assert len(contents(log.index)[0]) >= 12
        assert contents(other) == contents(log.index)


def test_changed_tables_need_another_number() -> None:
    """Otherwise they are not created in a database that has the earlier ones."""
    assert sha256("\n".join(TABLES).encode()).hexdigest()[:16] == MADE[FORMAT]


def test_every_table_carries_the_number_and_is_emptied_when_it_is_read_again() -> None:
    made = re.findall(r"CREATE TABLE IF NOT EXISTS (\S+)", "\n".join(TABLES))
    assert made == ["arbiter_positions", *DERIVED_TABLES]
    assert all(table.startswith(f"arbiter{FORMAT}_") for table in DERIVED_TABLES)
