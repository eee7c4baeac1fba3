"""The closed loop: its clients play by what their streams tell them, and what stands beside us is
one fixed release."""

import json
from pathlib import Path

import pytest

from tests.benchmarks import closed_loop
from tests.benchmarks.closed_loop import HERE, NotInstalled, loop
from tests.benchmarks.http import server

LOCK = json.loads((HERE / "package-lock.json").read_text())


@pytest.mark.parametrize("tables", [1, 2])
def test_seats_move_when_their_streams_tell_them(tmp_path: Path, tables: int) -> None:
    with server(tmp_path) as port:
        assert loop(HERE, "arbiter", port, tables, 0.5).rate > 0


def test_the_other_server_is_one_fixed_release() -> None:
    versions = {name: LOCK["packages"][f"node_modules/{name}"]["version"] for name in (
        "boardgame.io", "koa-compose"
    )}  # fmt: skip
    assert versions == {"boardgame.io": "0.50.2", "koa-compose": "4.1.0"}


def test_the_lock_names_no_address_of_a_registry() -> None:
    assert not [name for name, package in LOCK["packages"].items() if "resolved" in package]


def test_without_npm_the_row_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> list[str]:
        raise NotInstalled("there is no npm here")

    monkeypatch.setattr(closed_loop, "_npm", nowhere)
    (row,) = closed_loop.measure(tmp_path)
    assert (row.figure, row.met) == ("left out: there is no npm here", None)
