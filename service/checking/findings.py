"""What a check finds, and what the operator can do about it."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from service.event_store.integrity.incarnation import StoreEvent

Part = Literal[
    "rows", "gaps", "times", "digests", "rules", "signatures", "secrets",
    "ledgers", "cases", "indexes", "reads", "log", "file",
]  # fmt: skip
"""What is judged of a store."""

PARTS: Mapping[Part, str] = {
    "rows": "every row can be decoded, and has the stored name of its event",
    "gaps": "no row of a stream is missing before its last one",
    "times": "times do not decrease within a stream",
    "digests": "the rows of a match are those of its digest",
    "rules": "what came in gives what is recorded, by the rules",
    "signatures": "a log extends every checkpoint that was signed of it",
    "secrets": "a match has the secrets to which it has committed",
    "ledgers": "what came into tournaments gives what is recorded, and matches count as they ended",
    "cases": "what was done in a case follows, and its match and its readers know of it",
    "indexes": "the lists are what the log gives",
    "reads": "nobody has read more of a match than there is",
    "log": "no position of the log is missing",
    "file": "the database's own check of its file",
}
"""What holds for each part of a store in which nothing is wrong."""

RESTORE = (
    "Stop the service, keep a copy of the store as it is, and restore the latest backup in which"
    " `arbiter check` finds nothing. Until then the match stays closed, and all others go on."
)

ADVICE: Mapping[Part, str] = {
    "indexes": "Nothing is lost: `arbiter rebuild` makes the lists from the log again.",
    "rules": "If the digest agrees, the rows are those recorded: report it as a fault of the rules."
    f" Otherwise: {RESTORE[0].lower()}{RESTORE[1:]}",
    "file": "Examine the disk. Keep a copy of the file, and restore the latest backup in which"
    " `arbiter check` finds nothing.",
    "log": "Rows are missing, unless this store was renumbered by other means. Keep a copy of it,"
    " and restore the latest backup in which `arbiter check` finds nothing.",
}
"""What the operator can do about a finding in a part; about the others, `RESTORE`."""


class Finding(Struct, frozen=True, omit_defaults=True):
    """Damage: what is wrong with which part of the store. `stream` is the id of a match or of a
    tournament; `position` counts its rows from 1."""

    part: Part
    text: str
    stream: str | None = None
    position: int | None = None

    def __str__(self) -> str:
        of = "" if self.stream is None else f"{self.stream}"
        at = "" if self.position is None else f", row {self.position:,}"
        return f"{self.part}  {of}{at}{': ' if of else ''}{self.text}"


class Unjudged(Struct, frozen=True, omit_defaults=True):
    """A part of the store about which nothing can be said, and why."""

    text: str
    stream: str | None = None


MAX_FINDINGS = 1_000
"""Maximum findings in one report; the rest are counted."""


class Judged(Struct):
    """What was judged: how much, when the store went back, what is wrong, and what could not be
    judged. `more` findings are left out of the list."""

    matches: int = 0
    tournaments: int = 0
    cases: int = 0
    rows: int = 0
    digests: int = 0
    checkpoints: int = 0
    settlements: int = 0
    listed: int = 0
    reads: int = 0
    history: list[StoreEvent] = []
    findings: list[Finding] = []
    unjudged: list[Unjudged] = []
    more: int = 0

    def add(self, other: "Judged") -> None:
        """Adds what another check has judged, and only counts the findings beyond the maximum."""
        room = MAX_FINDINGS - len(self.findings)
        self.more += max(0, len(other.findings) - room)
        del other.findings[room:]
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def advice(part: Part) -> str:
    """What the operator can do about a finding in this part."""
    return ADVICE.get(part, RESTORE)
