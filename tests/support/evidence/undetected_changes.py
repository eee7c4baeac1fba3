"""What judging a record again cannot see of a single change, and who sees it.

`openings`, `receipts` and `chance` are claims of the verifier that look at the same bundle. Where
it is told that something is `sealed`, the bundle no longer passes, but nobody is proven a liar:
what is left is a beginning of the match. `KEPT` is what nothing in the bundle can show: the match
would have been the same, or it might as well have happened so. A checkpoint that somebody has kept
finds all of that, and a kept receipt what was done to its submission.
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

KEPT = ""
NOT_OVER, NOT_REVEALED = "result sealed", "chance sealed"
NEITHER = f"{NOT_REVEALED}+{NOT_OVER}"

TIME = {"openings", KEPT}
"""An earlier time than the one before is found; another one in its place might be the right one."""

UNSEEN: dict[str, set[str]] = {
    # What the rules have no say in.
    "field match.created.1 seats": {KEPT, "chance"},  # kept: where draws were entered by hand
    "field match.created.1 tournament": {KEPT},
    "field match.created.1 record": {KEPT},
    "field match.created.1 clock": {KEPT},  # where no rule wants a deadline
    "field match.created.1 options": {"chance", KEPT},  # kept: those of no effect, drawn by hand
    "field match.action-received.1 key": {KEPT},
    "field match.action-received.1 fingerprint": {KEPT},
    "field match.action-received.1 recorded": {KEPT},
    # What comes to the same.
    "field match.action-received.1 action": {KEPT},  # refused all the same, or a set in other order
    "batch dropped match.action-received.1": {KEPT, NOT_OVER, NEITHER},  # refused, or the last
    "field match.client-seed-given.1 seed": {KEPT},  # not the seat's last one
    "dropped match.client-seed-given.1": {KEPT},
    "batch dropped match.client-seed-given.1": {KEPT},
    "swapped match.client-seed-given.1": {KEPT},
    "doubled match.client-seed-given.1": {"receipts"},
    "field match.draw-refused.1 outcome": {KEPT},
    "doubled match.draw-refused.1": {KEPT},
    "batch dropped match.draw-refused.1": {KEPT},
    # The end, as if it had not come yet.
    "batch dropped match.draw-settled.1": {NOT_OVER},
    "batch dropped match.sealed-draw-settled.1": {NOT_OVER},
    "batch dropped match.phase-closed.1": {KEPT, NOT_OVER, NEITHER},
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
    # When.
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
"""By what was done, as `tampering` names it: what a verifier says who has brought only keys."""

SUBMISSIONS = (ActionReceived, ClientSeedGiven)


def submitted(records: Sequence[Record[Event]]) -> set[bytes]:
    """What seats have sent, as it is stored."""
    return {encode(one) for one in records if isinstance(one.event, SUBMISSIONS)}


RECORDED = [
    name
    for name in files.recorded()
    if not name.endswith(".server")  # from before there were seeds
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
        # Recorded at a table that did not ask which records a game allows.
        created = replace(created, record="closed")
    return log_of([Record(first.at, created), *rest], files.outcome(name).match)
