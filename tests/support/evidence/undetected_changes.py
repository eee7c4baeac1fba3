"""Single changes that judging a record again cannot detect, and what does detect them.

`openings`, `receipts` and `chance` are claims of the verifier about the same bundle. Where it
reports something as `sealed`, the bundle no longer passes, but it proves nothing false: what is
left is a beginning of the match. `UNDETECTED` is what nothing in the bundle can show: the match
would have been the same, or could have happened that way. A saved checkpoint detects all of that,
and a saved receipt detects what was done to its submission.
"""

from collections.abc import Sequence
from functools import cache

from msgspec.structs import replace

from domain.encoding import encode
from domain.events import Event, Record
from domain.match_events import ActionReceived, ClientSeedGiven, MatchCreated
from projections.evidence.bundle import Log
from tests.recorded import files
from tests.support.evidence.forged_bundles import SHORT, short_log
from tests.support.evidence.signed_bundles import log_of

UNDETECTED = ""
NOT_OVER, NOT_REVEALED = "result sealed", "chance sealed"
NEITHER = f"{NOT_REVEALED}+{NOT_OVER}"

TIME = {"openings", UNDETECTED}
"""A time earlier than the one before is detected; another time in its place might be the right
one."""

UNSEEN: dict[str, set[str]] = {
    # Values that the rules do not depend on.
    # Undetected where draws were entered by hand.
    "field match.created.1 seats": {UNDETECTED, "chance"},
    "field match.created.1 tournament": {UNDETECTED},
    "field match.created.1 record": {UNDETECTED},
    "field match.created.1 clock": {UNDETECTED},  # where no rule wants a deadline
    # Undetected are those without effect where draws were entered by hand.
    "field match.created.1 options": {"chance", UNDETECTED},
    "field match.action-received.1 key": {UNDETECTED},
    "field match.action-received.1 fingerprint": {UNDETECTED},
    "field match.action-received.1 recorded": {UNDETECTED},
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
    "field match.draw-refused.1 outcome": {UNDETECTED},
    "doubled match.draw-refused.1": {UNDETECTED},
    "batch dropped match.draw-refused.1": {UNDETECTED},
    # The end, as if it had not come yet.
    "batch dropped match.draw-settled.1": {NOT_OVER},
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
    "doubled match.seed-revealed.1": {"chance"},
    "doubled match.sealed-seed-revealed.1": {"chance"},
    # Times.
    "moved match.created.1": TIME,
    "moved match.seed-committed.1": TIME,
    "moved match.name-salted.1": TIME,
    "moved match.client-seed-given.1": TIME,
    "moved match.draw-refused.1": TIME,
    "moved match.seed-revealed.1": TIME,
    "moved match.sealed-seed-revealed.1": TIME,
    "batch moved match.created.1": TIME,
    "batch moved match.client-seed-given.1": TIME,
    "batch moved match.started.1": TIME,
    "batch moved match.action-received.1": TIME,
    "batch moved match.draw-settled.1": TIME,
    "batch moved match.sealed-draw-settled.1": TIME,
    "batch moved match.draw-refused.1": TIME,
    "batch moved match.phase-closed.1": TIME,
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
def honest_log(name: str) -> Log:
    """The log of a short match of a game, or of a recorded one."""
    if name in SHORT:
        return short_log(name)
    first, *rest = files.records(name)
    created = first.event
    assert isinstance(created, MatchCreated)
    if created.game == "together":
        # Recorded at a table that did not check which records a game allows.
        created = replace(created, record="closed")
    return log_of([Record(first.at, created), *rest], files.outcome(name).match)
