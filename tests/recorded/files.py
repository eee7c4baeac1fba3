"""Recorded matches as files: plain text that anyone can read in a hundred years.

`<name>.jsonl` has a line for each record, in order: `at` (microseconds since 1970), `name` (the
stored name of the event) and `state` (base64 of the bytes in the store: MessagePack of `[at,
event]`). `<name>.json` has what is needed to judge it again and the expected results: the match's
id, its seed and the salts of its seats (hex), the `later` seeds of the epochs that rewinds began,
and the last view of each audience.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.encoding import decode, encode
from domain.events import Event, Record, stored_name
from domain.match.events import MatchCreated
from domain.match.state import AnyGame
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience
from projections.audience.view import AudienceState, see_all, view
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.support.games import SUPPORT
from tests.support.tables.match_table import MatchTable

FOLDER = Path(__file__).parent

Files = dict[str, bytes]
"""What is to be written, by the names of the files."""


class Line(Struct, frozen=True):
    at: int
    name: str
    state: str


class Outcome(Struct, frozen=True, omit_defaults=True):
    """The expected results of a recorded match. `views` are by audience, as sent."""

    match: str
    seed: str
    salts: tuple[str, ...]
    views: dict[str, Any]
    later: tuple[str, ...] = ()

    @property
    def hidden(self) -> MatchSecrets:
        """The service's own secret: the seeds of all draws that it answered."""
        salts = tuple(map(bytes.fromhex, self.salts))
        seeds = map(bytes.fromhex, (self.seed, *self.later))
        stored = (SeedStored(epoch, seed, salts) for epoch, seed in enumerate(seeds))
        return MatchSecrets(b"", tuple(stored))


def recorded() -> list[str]:
    """The names of all recorded matches."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def states(name: str) -> list[bytes]:
    """The bytes of each record, as they were stored."""
    text = (FOLDER / f"{name}.jsonl").read_bytes().splitlines()
    return [b64decode(msgspec.json.decode(line, type=Line).state) for line in text]


def records(name: str) -> list[Record[Event]]:
    return list(_decoded(name))


@cache
def _decoded(name: str) -> tuple[Record[Event], ...]:
    return tuple(map(decode, states(name)))


def created(name: str) -> MatchCreated:
    """The first event of a recorded match."""
    event = decode(states(name)[0]).event
    assert isinstance(event, MatchCreated)
    return event


def recording_name(game: AnyGame, kind: str) -> str:
    """The name of a match recorded by the present rules; from the second version on it says
    which."""
    version = "" if game.rules_version == 1 else f"v{game.rules_version}."
    return f"{game.id}.{version}{kind}"


def luck(game: AnyGame, kind: str) -> Random:
    """The luck by which a match is recorded."""
    return Random(f"{SUPPORT[game.id].recording.luck or game.id}.{kind}")


def replace_files(folder: Path, patterns: Sequence[str], parts: Iterable[Files]) -> None:
    """Puts these files in the place of all that have such names."""
    new: dict[str, bytes] = {}
    for part in parts:
        assert not new.keys() & part.keys(), "two files of one name"
        new |= part
    for pattern in patterns:
        for path in folder.glob(pattern):
            path.unlink()
    for name, content in new.items():
        (folder / name).write_bytes(content)


@cache
def outcome(name: str) -> Outcome:
    return msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Outcome)


def views(match: str, played: list[Record[Event]]) -> dict[str, Any]:
    """The last view of each audience, as sent."""
    created = played[0].event
    assert isinstance(created, MatchCreated)
    audiences: list[Viewer] = [PUBLIC_VIEWER, MODERATOR, *range(created.seats)]
    return {
        name_audience(viewer): msgspec.json.decode(
            msgspec.json.encode(view(match, created.game, see_all(AudienceState(viewer), played)))
        )
        for viewer in audiences
    }


def written(name: str, table: MatchTable, kept: SeedStored, match: UUID) -> Files:
    """A match as the two files of this name."""
    lines = [
        Line(record.at, stored_name(type(record.event)), b64encode(encode(record)).decode())
        for record in table.records
    ]
    expected = Outcome(
        str(match),
        kept.seed.hex(),
        tuple(salt.hex() for salt in kept.salts),
        views(str(match), table.records),
        tuple(stored.seed.hex() for stored in table.hidden.seeds if stored.epoch),
    )
    return {
        f"{name}.jsonl": b"".join(msgspec.json.encode(line) + b"\n" for line in lines),
        f"{name}.json": msgspec.json.format(msgspec.json.encode(expected), indent=1) + b"\n",
    }
