"""Single changes that judging a record again cannot detect, and what does detect them.

`openings`, `receipts` and `chance` are claims of the verifier about the same bundle. Where it
reports something as `sealed`, the bundle no longer passes, but it proves nothing false: what is
left is a beginning of the match. `UNDETECTED` is what nothing in the bundle can show: the match
would have been the same, or could have happened that way. A saved checkpoint detects all of that,
and a saved receipt what was done to its input, and to all that its receiver had been told by then.
"""

from collections.abc import Sequence
from functools import cache

from msgspec.structs import replace

from domain.encoding import encode
from domain.events import Event, Record
from domain.match.events import ActionReceived, ClientSeedGiven, MatchCreated
from projections.evidence.bundle import MatchLog
from tests.recorded import files
from tests.support.evidence.forged_bundles import SHORT, short_log
from tests.support.evidence.signed_bundles import log_of

UNDETECTED = ""
NOT_REVEALED = "chance sealed"
NOT_OVER = "receipts sealed+result sealed"
NEITHER = f"receipts sealed+{NOT_REVEALED}+result sealed"

TIME = {"openings", UNDETECTED}
"""A time earlier than the one before is detected; another time in its place might be the right
one."""

OF_CASES = ("case-opened", "case-closed")
OF_KEYS = ("key-issued", "key-ended", "moderator-key-issued", "moderator-key-ended")

UNSEEN: dict[str, set[str]] = {
    # Values that the rules do not depend on.
    # Undetected where draws were entered by hand.
    "field match.seat-named.1 name": {UNDETECTED, "chance"},
    "field match.seat-named.1 blind": {UNDETECTED},
    "field match.created.1 tournament": {UNDETECTED},
    "field match.created.1 title": {UNDETECTED},
    "field match.created.1 prize": {UNDETECTED},
    "field match.created.1 record": {UNDETECTED},
    "field match.created.1 clock": {UNDETECTED},  # where no rule wants a deadline
    # Undetected are those without effect where draws were entered by hand.
    "field match.created.1 options": {"chance", UNDETECTED},
    "field match.action-received.1 key": {UNDETECTED},
    "field match.action-received.1 fingerprint": {UNDETECTED},
    "field match.action-received.1 recorded": {UNDETECTED},
    "field match.action-received.1 key_id": {UNDETECTED},
    # Values with the same effect.
    # The action is refused all the same, or is a set in another order.
    "field match.action-received.1 action": {UNDETECTED},
    # The action was refused, or is the last.
    "batch dropped match.action-received.1": {UNDETECTED, NOT_OVER, NEITHER},
    "field match.client-seed-given.1 seed": {UNDETECTED},  # not the seat's last one
    "dropped match.client-seed-given.1": {UNDETECTED},
    "batch dropped match.client-seed-given.1": {UNDETECTED},
    "swapped match.client-seed-given.1": {UNDETECTED},
    "doubled match.client-seed-given.1": {UNDETECTED},  # equal seeds count once
    "batch dropped match.deadline-set.1": {UNDETECTED},  # no deadline came
    "field match.draw-refused.1 outcome": {UNDETECTED},
    "field match.sealed-draw-settled.1 outcome": {"chance"},  # nothing followed from it yet
    "batch dropped match.draw-refused.1": {UNDETECTED},
    # Who ruled, and why: only moderators' own words say so.
    "field match.directed.1 by": {UNDETECTED},
    "field match.directed.1 key_id": {UNDETECTED},
    **{
        f"field match.{kind}.1 {field}": {UNDETECTED}
        for kind in ("ruled", "seat-ruled", "sealed-ruled", "ruling-proposed")
        for field in ("reason", "rule")
    },
    "field match.ruled.1 appeals": {UNDETECTED},
    "field match.ruling-proposed.1 ruling": {UNDETECTED},  # it was given up
    "field match.ruling-ordered.1 id": {UNDETECTED},
    # A ruling that others do not count, or the last.
    "batch dropped match.seat-ruled.1": {UNDETECTED},
    "batch dropped match.sealed-ruled.1": {UNDETECTED},
    "batch dropped match.ruled.1": {UNDETECTED, NOT_OVER, NEITHER},
    # The end, as if it had not come yet.
    "batch dropped match.confirmed.1": {NOT_OVER, NEITHER},
    "batch dropped match.sealed-draw-settled.1": {NOT_OVER},
    "batch dropped match.phase-closed.1": {UNDETECTED, NOT_OVER, NEITHER},
    # Chance, which is derived again and not judged.
    "field match.seed-committed.1 names": {"chance"},
    "field match.name-salted.1 salt": {"chance"},
    "field match.seed-committed.1 scheme": {"chance"},
    "field match.draw-settled.1 key_commit": {"chance"},
    "field match.sealed-draw-settled.1 key_commit": {"chance"},
    "field match.seed-revealed.1 seed": {"chance"},
    "field match.sealed-seed-revealed.1 seed": {"chance"},
    # Times.
    "moved match.client-seed-given.1": TIME,
    "batch moved match.created.1": TIME,
    "batch moved match.client-seed-given.1": TIME,
    "batch moved match.started.1": TIME,
    "batch moved match.action-received.1": TIME,
    "batch moved match.sealed-draw-settled.1": TIME,
    "batch moved match.draw-refused.1": TIME,
    "batch moved match.phase-closed.1": TIME,
    **{
        f"batch moved match.{kind}.1": TIME
        for kind in (
            *("ruled", "seat-ruled", "sealed-ruled", "ruling-withdrawn"),
            "ruling-consented",
        )
    },
    "moved match.ruling-consented.1": TIME,
    # Keys: nothing in the match depends on them.
    **{
        f"field match.{field}": {UNDETECTED}
        for field in (
            *("key-issued.1 seat", "key-issued.1 key_id", "key-ended.1 seat", "key-ended.1 key_id"),
            *("moderator-key-issued.1 key_id", "moderator-key-issued.1 name"),
            "moderator-key-ended.1 key_id",
        )
    },
    # Cases: nothing depends on one that no one has closed, or that no one has opened again.
    "field match.case-opened.1 case": {UNDETECTED},
    "moved match.case-opened.1": TIME,
    **{f"batch dropped match.{kind}.1": {UNDETECTED} for kind in OF_CASES},
    **{f"batch moved match.{kind}.1": TIME for kind in OF_CASES},
    **{f"batch dropped match.{kind}.1": {UNDETECTED} for kind in OF_KEYS},
    **{f"batch moved match.{kind}.1": TIME for kind in OF_KEYS},
}
"""By change, as `tampering` names it: the verdict of a verifier who has only the keys."""

SUBMISSIONS = (ActionReceived, ClientSeedGiven)


def submitted(records: Sequence[Record[Event]]) -> set[bytes]:
    """What seats have sent, as it is stored."""
    return {encode(one) for one in records if isinstance(one.event, SUBMISSIONS)}


RECORDED = [
    name
    for name in files.recorded()
    if not name.endswith(".server")  # from before seeds existed
]

MATCHES = [*SHORT, *RECORDED]


@cache
def honest_log(name: str) -> MatchLog:
    """The log of a short match of a game, or of a recorded one."""
    if name in SHORT:
        return short_log(name)
    first, *rest = files.records(name)
    created = first.event
    assert isinstance(created, MatchCreated)
    if created.game == "together":
        # Recorded at a table that did not check which records a game allows.
        created = replace(created, record="closed")
    return log_of([replace(first, event=created), *rest], files.outcome(name).match)
