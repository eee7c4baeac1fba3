"""The history of a simulation: what clients sent and received, in the order in which it happened.

Times are microseconds since the start. `on_record` is the length of the match's record in the store
at that instant.
"""

from typing import Any, Literal
from uuid import UUID

import msgspec
from msgspec import Struct

from projections.audience.disclosure import Viewer
from service.application.matches.command_queue import CommandResponse, CommandResult


class Sent(Struct, frozen=True, tag="sent"):
    """A client will send a command, perhaps several times under its key. Without a key it sends it
    once."""

    at: int
    step: int
    match: UUID
    seat: int
    key: str | None
    action: Any


class Answered(Struct, frozen=True, tag="answered"):
    """A process answered a command: `receipt` is its number among those that the process received,
    and `begun` when it received it, by its own clock `clock`."""

    at: int
    begun: int
    step: int
    process: str
    receipt: int
    clock: int
    match: UUID
    viewer: Viewer
    key: str | None
    response: CommandResponse
    on_record: int

    @property
    def result(self) -> CommandResult:
        """Where on the record the command is."""
        return self.response.result


class Denied(Struct, frozen=True, tag="denied"):
    """A process refused a command, and nothing of it is on record. `right`: the command is refused
    so in a state that the match had between its receipt and the answer."""

    at: int
    step: int
    process: str
    match: UUID
    error: str
    right: bool


class Failed(Struct, frozen=True, tag="failed"):
    """A command or a reading ended with an error, by its name."""

    at: int
    step: int
    what: str
    error: str


class Created(Struct, frozen=True, tag="created"):
    """A match, or a tournament, was created; or found by a repeated request."""

    at: int
    step: int
    what: str
    id: UUID
    tournament: UUID | None
    on_record: int


class Viewed(Struct, frozen=True, tag="viewed"):
    """A client got the view of an audience after its first `seq` events, the latest unless
    `asked`."""

    at: int
    begun: int
    step: int
    process: str
    match: UUID
    viewer: Viewer
    seq: int
    asked: bool
    view: bytes
    on_record: int


class LineRead(Struct, frozen=True, tag="line"):
    """A reader got a line of a stream, or of a page of events; `reader` is the step."""

    at: int
    reader: int
    process: str
    match: UUID
    viewer: Viewer
    after: int
    line: bytes
    on_record: int


class Posted(Struct, frozen=True, tag="posted"):
    """A tournament accepted a posting under an idempotency key."""

    at: int
    step: int
    tournament: UUID
    key: str
    repeated: bool


DoneKind = Literal[
    "ruled", "seconded", "consented", "withdrawn", "opened", "said", "issued", "shown", "ending",
    "ended", "used", "works", "invited", "accepted", "taken back", "hooked", "delivered",
]  # fmt: skip
"""What was acknowledged, by what `name` and `more` of it are.

- `ruled`, `seconded`, `consented`: a ruling; whether it was carried out, and the seat
- `withdrawn`: a ruling
- `opened`, `said`: a case, and what was said
- `issued`: the id of a key, and the length of the record at that moment
- `shown`: a key; `ending` before its end is asked for; `ended`: one, its id and the length of the
  record, which says nothing of the keys of a tournament
- `used`: a key that opened, and when it was offered; `works` the same when all is quiet
- `invited`: an invitation and its token; `taken back`: one; `accepted`: one, and the key
- `hooked`: a webhook, since when it is sent notices, and the length of the record at that moment
- `delivered`: a webhook and the id of a notice, and its body
"""


class Done(Struct, frozen=True, tag="done"):
    """Something that people do was acknowledged, about a match."""

    at: int
    step: int
    process: str
    kind: DoneKind
    match: UUID
    name: str
    more: str = ""


class Happened(Struct, frozen=True, tag="happened"):
    """Something happened to an instance."""

    at: int
    what: str
    process: str


class Away(Struct, frozen=True, tag="away"):
    """No one could reach the service from one heartbeat until the next, in the time of the store.
    Instances' clocks were at most so far `ahead` of that."""

    at: int
    begun: int
    ended: int
    ahead: int


class Unanswered(Struct, frozen=True, tag="unanswered"):
    """Long after all faults had ended something was still not done."""

    at: int
    what: str


Entry = (
    Sent | Answered | Denied | Failed | Created | Viewed | LineRead | Posted | Done | Happened
    | Away | Unanswered
)  # fmt: skip

_encoder = msgspec.json.Encoder()


class History(list[Entry]):
    """All entries, in order."""

    def encoded(self) -> bytes:
        """The entries as lines of JSON."""
        return b"".join(_encoder.encode(entry) + b"\n" for entry in self)
