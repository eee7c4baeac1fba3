"""Receipts: signed statements of the service about a submission that it has on record.

No number in a receipt counts what others did. From version 2 on a receipt names the commitment to
the seed of its match, so that its holder can show that it was exchanged for another. The text is
fixed: `projections/evidence/FORMAT.md`.
"""

import re
from base64 import b64encode
from typing import Any

from msgspec import Struct

from domain.notes import Malformed, decoded

TITLE = "arbiter-receipt/"
VERSION = 2
"""The version of the receipts that are signed now; those of version 1 stay valid for what they
say."""

NO_PHASE = "-"
NO_SEED = "-"
ACCEPTED = "accepted"

_MATCH = r"match (?P<match>[0-9a-f-]{36})\n"
_SEED = r"seed-committed (?P<seed_committed>-|[A-Za-z0-9+/]{43}=)\n"
_SUBMISSION = (
    r"seat (?P<seat>0|[1-9][0-9]{0,3})\n"
    r"count (?P<count>[1-9][0-9]{0,15})\n"
    r"phase (?P<phase>[!-~]+)\n"
    r"received (?P<received>[0-9T:.Z-]{20,27})\n"
    r"recorded (?P<recorded>[0-9T:.Z-]{20,27})\n"
    r"status (?P<status>accepted|(?:invalid|refused) [a-z0-9_]+)\n"
    r"(?:key (?P<key>[!-~]{1,255})\n)?"
    r"commitment (?P<commitment>[A-Za-z0-9+/]{43}=)\n"
)
_FORMS = {
    1: re.compile(rf"{TITLE}1\n{_MATCH}{_SUBMISSION}"),
    2: re.compile(rf"{TITLE}2\n{_MATCH}{_SEED}{_SUBMISSION}"),
}
"""By version."""


class ReceiptText(Struct, frozen=True):
    """The content of a receipt. `count` is the seat's own number of its submission; times are RFC
    3339; `status` is `accepted`, or `invalid` or `refused` with the code; `commitment` is 32
    bytes. `seed_committed` is the SHA-256 of the match's stored `SeedCommitted`: None where draws
    are entered by hand, and in version 1, which does not say."""

    match: str
    seat: int
    count: int
    phase: str | None
    received: str
    recorded: str
    status: str
    key: str | None
    commitment: bytes
    seed_committed: bytes | None = None
    version: int = VERSION


def text(receipt: ReceiptText) -> str:
    """The text that is signed."""
    key = "" if receipt.key is None else f"key {receipt.key}\n"
    seed = "" if receipt.version == 1 else f"seed-committed {spelt_seed(receipt.seed_committed)}\n"
    return (
        f"{TITLE}{receipt.version}\nmatch {receipt.match}\n{seed}"
        f"seat {receipt.seat}\ncount {receipt.count}\n"
        f"phase {receipt.phase or NO_PHASE}\nreceived {receipt.received}\n"
        f"recorded {receipt.recorded}\nstatus {receipt.status}\n{key}"
        f"commitment {b64encode(receipt.commitment).decode()}\n"
    )


def parsed(said: str) -> ReceiptText:
    """Parses the text of a receipt of any version. Raises Malformed if it is not one."""
    for version, form in _FORMS.items():
        found = form.fullmatch(said)
        if found is not None:
            return _parsed(version, found.groupdict())
    raise Malformed("not a receipt")


def _parsed(version: int, found: dict[str, Any]) -> ReceiptText:
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
        read_seed(found.get("seed_committed", NO_SEED)),
        version,
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
