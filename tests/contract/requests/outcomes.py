"""What has come of requests, without what is random: their answers, and what is on record since."""

import difflib
import json
import re
from collections import Counter
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from domain.encoding import decode
from domain.events import stored_name
from domain.games import GAMES
from domain.proof.log_events import CheckpointSigned
from domain.tournament.events import MatchSettled
from service.event_store.sqlite import QuickSQLiteRecorder
from service.event_store.stream_ids import MATCH, TOURNAMENT
from tests.support.servers.live_server import Answer, Live

RANDOM = re.compile(
    r"arb_\w+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|[\w+/-]{40,}=*|\d{4}-\d\d-\d\dT[\d:.]+Z"
)
INSTANT = 10**12

SIGNED = stored_name(CheckpointSigned)
"""What the leader adds when a match is over."""

SETTLED = stored_name(MatchSettled)

LEFT_OUT = {"view", "note", "ticket", "salt", "link", "qr", "recovery", "root", "order"}
"""What answers have drawn or signed."""

_KEYS = ("key.issued.1", "key.revoked.1", "invitation.", "table.")


class End(NamedTuple):
    """The end of the log, and what had happened to keys."""

    log: int
    keys: Counter[str]


class Outcome(NamedTuple):
    """The answers, in order, and what was recorded, stream by stream."""

    answers: tuple[Any, ...]
    recorded: tuple[Any, ...]

    @property
    def statuses(self) -> tuple[Any, ...]:
        """What the answers say, but for the bodies of those that are no errors."""
        return tuple(said if said[0] >= 400 else said[:1] for said in self.answers)


def plain(value: Any) -> Any:
    """A value without ids, keys and instants."""
    if isinstance(value, str):
        return RANDOM.sub("*", value)
    if isinstance(value, bytes) or (isinstance(value, int) and value > INSTANT):
        return "*"
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items() if name not in LEFT_OUT}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def difference(one: Outcome, other: Outcome) -> str:
    """In what two outcomes differ."""
    before, after = (json.dumps(outcome, indent=0).splitlines() for outcome in (one, other))
    return "\n".join(difflib.unified_diff(before, after, n=0, lineterm=""))


def said(answer: Answer) -> tuple[Any, ...]:
    """What an answer says."""
    if not answer.is_success:
        return answer.status_code, answer.json()["code"]
    return answer.status_code, plain(answer.json()) if answer.content else None


def _select(live: Live, sql: str, *parameters: Any) -> list[Any]:
    recorder = live.instance.store.recorder
    assert isinstance(recorder, QuickSQLiteRecorder)
    return recorder.selected(sql, parameters)


def end(live: Live) -> End:
    return End(live.instance.store.end(), _keys(live))


def _keys(live: Live) -> Counter[str]:
    """How often each thing has happened to keys and invitations."""
    rows = _select(live, "SELECT topic, count(*) FROM stored_keys GROUP BY topic")
    return Counter({topic: count for topic, count in rows if topic.startswith(_KEYS)})


def recorded(live: Live, since: End) -> tuple[Any, ...]:
    """What is on record since then."""
    streams: dict[str, list[Any]] = {}
    new = "SELECT originator_id, topic, state FROM stored_events WHERE rowid > ?"
    for stream, topic, state in _select(live, new, since.log):
        if topic != SIGNED:
            streams.setdefault(stream, []).append(_shown(topic, state))
    found = [(_kind(stream), sorted(lines, key=_follows)) for stream, lines in streams.items()]
    # A key that nobody is shown may be issued, or ended, once more.
    return (*sorted(found, key=repr), ("keys", sorted(_keys(live) - since.keys)))


def _follows(line: Any) -> bool:
    """Whether the leader adds it in its own time, before or after what others do."""
    return bool(line[0] == SETTLED)


def _kind(stream: str) -> str:
    return {MATCH: "match", TOURNAMENT: "tournament"}.get(UUID(stream).version or 0, "other")


def _shown(topic: str, state: bytes) -> Any:
    if topic.partition(".")[0] in GAMES or "draw" in topic:
        return topic
    return topic, plain(msgspec.to_builtins(decode(state).event, builtin_types=(bytes,)))
