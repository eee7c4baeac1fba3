"""The service with as few descriptors as an operator may have left it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.servers.serve_process import ServeProcess, refused_start, serve, started_match

STREAMS = 96
"""Open streams that fit in 256 descriptors, next to commands, the store and files."""


def few(descriptors: int) -> tuple[str, ...]:
    """Goes before a command that may open only so many files."""
    return "sh", "-c", f'ulimit -n {descriptors}; exec "$0" "$@"'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def process(data: Path) -> Iterator[ServeProcess]:
    with serve(data, under=few(256)) as process:
        yield process


def test_with_256_it_serves_and_says_how_many_streams_fit(process: ServeProcess) -> None:
    with process.client() as client:
        made = started_match(client)
        path = f"/v1/matches/{made['id']}/stream"
        with ExitStack() as streams:
            for _ in range(STREAMS):
                stream = streams.enter_context(client.stream("GET", path, timeout=20))
                assert stream.status_code == 200
            assert client.get(path).status_code == 503
            # Commands find their connections all the same.
            started_match(client)
    assert process.errors.count('"streams_lowered"') == 1


def test_below_it_refuses_to_start(data: Path) -> None:
    said = refused_start(data, under=few(255))
    assert "may open 255 files and connections, and needs at least 256" in said


def test_with_enough_it_says_nothing(data: Path) -> None:
    with serve(data) as process:
        assert "streams_lowered" not in process.errors
