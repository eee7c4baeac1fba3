"""Receipts: signed statements of the service about a submission that it has on record.

No number in a receipt counts what others did. A receipt names the commitment to the seed of its
match, so that its holder can show that it was exchanged for another. The text is fixed:
`projections/evidence/FORMAT.md`.
"""

import re
from base64 import b64encode

from msgspec import Struct

from domain.notes import Malformed, decoded

TITLE = "arbiter-receipt/1"

NO_PHASE = "-"
NO_SEED = "-"
ACCEPTED = "accepted"

_LINES = re.compile(
    rf"{TITLE}\n"
    r"match (?P<match>[0-9a-f-]{36})\n"
    r"seed-committed (?P<seed_committed>-|[A-Za-z0-9+/]{43}=)\n"
    r"seat (?P<seat>0|[1-9][0-9]{0,3})\n"
    r"count (?P<count>[1-9][0-9]{0,15})\n"
    r"phase (?P<phase>[!-~]+)\n"
    r"received (?P<received>[0-9T:.Z-]{20,27})\n"
    r"recorded (?P<recorded>[0-9T:.Z-]{20,27})\n"
    r"status (?P<status>accepted|(?:invalid|refused) [a-z0-9_]+)\n"
    r"(?:key (?P<key>[!-~]{1,255})\n)?"
    r"commitment (?P<commitment>[A-Za-z0-9+/]{43}=)\n"
)


class ReceiptText(Struct, frozen=True):
    """The content of a receipt. `count` is the seat's own number of its submission; times are RFC
    3339; `status` is `accepted`, or `invalid` or `refused` with the code; `commitment` is 32
    bytes. `seed_committed` is the SHA-256 of the match's stored `SeedCommitted`: None where draws
    are entered by hand."""

    match: str
    seat: int
    count: int
    phase: str | None
    received: str
    recorded: str
    status: str
    key: str | None
    commitment: bytes
    seed_committed: bytes | None


def text(receipt: ReceiptText) -> str:
    """The text that is signed."""
    key = "" if receipt.key is None else f"key {receipt.key}\n"
    return (
        f"{TITLE}\nmatch {receipt.match}\n"
        f"seed-committed {spelt_seed(receipt.seed_committed)}\n"
        f"seat {receipt.seat}\ncount {receipt.count}\n"
        f"phase {receipt.phase or NO_PHASE}\nreceived {receipt.received}\n"
        f"recorded {receipt.recorded}\nstatus {receipt.status}\n{key}"
        f"commitment {b64encode(receipt.commitment).decode()}\n"
    )


def parsed(said: str) -> ReceiptText:
    """Parses the text of a receipt. Raises Malformed if it is not one."""
    found = _LINES.fullmatch(said)
    if found is None:
        raise Malformed("not a receipt")
    return ReceiptText(
        found["match"],
        int(found["seat"]),
        int(found["count"]),
        None if found["phase"] == NO_PHASE else found["phase"],
        found["received"],
        found["recorded"],
        found["status"],
        found["key"],
        decoded(found["commitment"]),
        read_seed(found["seed_committed"]),
    )


def spelt_seed(committed: bytes | None) -> str:
    """The hash of the commitment to a seed, as notes spell it."""
    return NO_SEED if committed is None else b64encode(committed).decode()


def read_seed(spelt: str) -> bytes | None:
    """The hash of the commitment to a seed in a note. Raises Malformed."""
    return None if spelt == NO_SEED else decoded(spelt)


def status(code: str | None, *, refused: bool) -> str:
    """The status of a submission: accepted, or invalid or refused with `code`."""
    if code is None:
        return ACCEPTED
    return f"refused {code}" if refused else f"invalid {code}"
