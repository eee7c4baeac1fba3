"""Several threads decode the same types at once in a process that has not decoded any before, like
a worker that is started during a match. msgspec is not safe for that: without the decoders that
are built at import the process dies."""

import pickle
import subprocess
import sys
from uuid import UUID

import pytest

from domain.encoding import encode
from domain.games import GAMES
from domain.match_events import ActionReceived
from projections.lines import checksum
from service.snapshots.codec import MATCH_PART, record_digest
from service.snapshots.snapshot_builder import SnapshotBuilder
from tests.benchmarks.random_matches import MATCH, Played

SEATS = {"dollar-prize": 2, "twelve-chips": 3}
PROCESSES = 5

DECODING = """
import pickle, sys, threading
import msgspec
from domain.games import GAMES
from service.http.actions import _decoders
from service.snapshots.codec import decode_match, decode_audience

parts, options, actions = pickle.load(sys.stdin.buffer)
together = threading.Barrier(8)

def decode():
    together.wait()
    for of_match, position, content in parts:
        (decode_match if of_match else decode_audience)(position, content)
    for game, given in options:
        msgspec.convert(given, GAMES[game].Options)
    for game, given in actions:
        msgspec.convert(given, GAMES[game].Action)
        _decoders[game].decode(msgspec.json.encode(given))

# As often as possible the interpreter goes from one thread to another.
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=decode) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.fixture(scope="module")
def inputs() -> bytes:
    """The inputs of a worker: snapshots of running matches, options, and what players send."""
    parts, options, actions = [], [], []
    for name, seats in SEATS.items():
        played = Played(GAMES[name], seats, {})
        for _ in range(6):
            played.step()
        builder = SnapshotBuilder(UUID(MATCH))
        checksums = [checksum(encode(record)) for record in played.records]
        last = record_digest(encode(played.records[-1]))
        builder.add(played.records, checksums, last, lambda: None)
        for part, content in builder.parts():
            parts.append((part == MATCH_PART, builder.position, content))
        options.append((name, played.created.options))
        events = (record.event for record in played.records)
        actions += [(name, e.action) for e in events if isinstance(e, ActionReceived)]
    assert len(parts) > len(SEATS) and actions
    return pickle.dumps((parts, options, actions))


@pytest.mark.parametrize("process", range(PROCESSES))
def test_threads_that_decode_first_do_not_meet(inputs: bytes, process: int) -> None:
    command = [sys.executable, "-X", "faulthandler", "-c", DECODING]
    run = subprocess.run(command, input=inputs, capture_output=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr.decode()
