"""Counts the work that the service does: what it reads, decodes, folds and encodes, and whom it
wakes."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec
import pytest

from domain import encoding
from projections import audience_projection, lines
from service.event_store.sqlite import QuickSQLiteRecorder
from service.server.connections import ResponseWriter
from service.snapshots.table import SnapshotTable
from service.streams.broadcast import Channel


class WorkCounter:
    """What has been done since it was last taken, by kind."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._done: Counter[str] = Counter()
        self._patch = monkeypatch
        for name in ("select_states", "select_states_at", "select_events"):
            self._count_rows(name)
        self._patch.setattr(encoding, "_decoder", _Counting(encoding._decoder, self._done))
        self._patch.setattr(
            encoding, "_list_decoder", _Counting(encoding._list_decoder, self._done)
        )
        self._count(audience_projection, "see", "events folded", lambda _, events: len(events))
        self._count(audience_projection, "may_see", "events filtered")
        self._count(audience_projection, "view", "views made")
        self._count(lines, "line_text", "lines encoded")
        self._count(SnapshotTable, "find", "snapshots read")
        self._count(Channel, "remove", "readers woken")
        self._count(ResponseWriter, "write", "chunks written")

    def take(self) -> dict[str, int]:
        """What has been done since the last call."""
        done = dict(self._done)
        self._done.clear()
        return done

    def _count(
        self, owner: Any, name: str, kind: str, amount: Callable[..., int] = lambda *_: 1
    ) -> None:
        honest = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self._done[kind] += amount(*args)
            return honest(*args, **kwargs)

        self._patch.setattr(owner, name, counted)

    def _count_rows(self, name: str) -> None:
        honest = getattr(QuickSQLiteRecorder, name)

        def counted(*args: Any, **kwargs: Any) -> Sequence[Any]:
            found = cast(Sequence[Any], honest(*args, **kwargs))
            self._done["reads"] += 1
            self._done["rows read"] += len(found)
            return found

        self._patch.setattr(QuickSQLiteRecorder, name, counted)


class _Counting:
    """A decoder that counts what it decodes."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[Any], done: Counter[str]) -> None:
        self._decoder = decoder
        self._done = done

    def decode(self, stored: bytes) -> Any:
        found = self._decoder.decode(stored)
        self._done["records decoded"] += len(found) if isinstance(found, list) else 1
        return found
