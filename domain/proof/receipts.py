"""Receipts: signed statements of the service about an input that it has on record: a seat's
submission, what a moderator or an organiser has ordered, or what became of a player of a
tournament.

No number in a receipt counts what its receiver may not see. A receipt names the commitment to the
seed of its match, and binds all that its receiver had been told (`domain.proof.seen`), so that its
holder can show that either was exchanged. The text is fixed: `projections/evidence/FORMAT.md`.
"""

import re
from base64 import b64encode
from typing import Literal

from msgspec import Struct

from domain.proof.notes import Malformed, decode_base64
from domain.proof.subjects import LINE, Subject, named_in

TITLE = "arbiter-receipt/1"

NO_PHASE = "-"
NO_SEED = "-"
ACCEPTED = "accepted"
DIRECTOR: Literal["moderator"] = "moderator"
"""The receiver of a receipt for what a moderator or an organiser has ordered."""

Receiver = int | Literal["moderator"]
"""A seat by its number, or those who direct the match."""

_LINES = re.compile(
    rf"{TITLE}\n"
    rf"{LINE}"
    r"seed-committed (?P<seed_committed>-|[A-Za-z0-9+/]{43}=)\n"
    r"seat (?P<seat>0|[1-9][0-9]{0,3}|moderator)\n"
    r"(?:ruling (?P<ruling>[ -~]{1,255})\n)?"
    r"count (?P<count>[1-9][0-9]{0,15})\n"
    r"phase (?P<phase>[!-~]+)\n"
    r"received (?P<received>[0-9T:.Z-]{20,27})\n"
    r"recorded (?P<recorded>[0-9T:.Z-]{20,27})\n"
    r"status (?P<status>accepted|(?:invalid|refused) [a-z0-9_]+)\n"
    r"(?:key (?P<key>[!-~]{1,255})\n)?"
    r"commitment (?P<commitment>[A-Za-z0-9+/]{43}=)\n"
    r"nonce (?P<nonce>[A-Za-z0-9+/]{43}=)\n"
    r"seen (?P<seen>[A-Za-z0-9+/]{43}=)\n"
)


class Binding(Struct, frozen=True):
    """What a receipt holds the service to, each 32 bytes: the `commitment` to the stored input, the
    SHA-256 of the last stored `SeedCommitted` (None where draws are entered by hand), and
    `seen`: the chain of what the receiver has been told up to the last consequence of the
    input, blinded by the `nonce`."""

    commitment: bytes
    seed_committed: bytes | None
    nonce: bytes
    seen: bytes


class ReceiptText(Struct, frozen=True):
    """The content of a receipt. `count` is the receiver's own number of the input; times are RFC
    3339; `status` is `accepted`, or `invalid` or `refused` with the code; `ruling` is the id of the
    ruling that was ordered. The number of an order is the public's: there may be more than its
    organiser knows. In a tournament a `seat` is a player."""

    subject: Subject
    seat: Receiver
    count: int
    phase: str | None
    received: str
    recorded: str
    status: str
    key: str | None
    binding: Binding
    ruling: str | None = None


def text(receipt: ReceiptText) -> str:
    """The text that is signed."""
    key = "" if receipt.key is None else f"key {receipt.key}\n"
    ruling = "" if receipt.ruling is None else f"ruling {receipt.ruling}\n"
    binding = receipt.binding
    return (
        f"{TITLE}\n{receipt.subject}\n"
        f"seed-committed {spelt_seed(binding.seed_committed)}\n"
        f"seat {receipt.seat}\n{ruling}count {receipt.count}\n"
        f"phase {receipt.phase or NO_PHASE}\nreceived {receipt.received}\n"
        f"recorded {receipt.recorded}\nstatus {receipt.status}\n{key}"
        f"commitment {b64encode(binding.commitment).decode()}\n"
        f"nonce {b64encode(binding.nonce).decode()}\n"
        f"seen {b64encode(binding.seen).decode()}\n"
    )


def parse(note: str) -> ReceiptText:
    """Parses the text of a receipt. Raises Malformed if it is not one."""
    parts = _LINES.fullmatch(note)
    if parts is None:
        raise Malformed("not a receipt")
    return ReceiptText(
        subject=named_in(parts),
        seat=DIRECTOR if parts["seat"] == DIRECTOR else int(parts["seat"]),
        count=int(parts["count"]),
        phase=None if parts["phase"] == NO_PHASE else parts["phase"],
        received=parts["received"],
        recorded=parts["recorded"],
        status=parts["status"],
        key=parts["key"],
        binding=Binding(
            decode_base64(parts["commitment"]),
            read_seed(parts["seed_committed"]),
            decode_base64(parts["nonce"]),
            decode_base64(parts["seen"]),
        ),
        ruling=parts["ruling"],
    )


def spelt_seed(seed_hash: bytes | None) -> str:
    """The hash of the commitment to a seed, as notes spell it."""
    return NO_SEED if seed_hash is None else b64encode(seed_hash).decode()


def read_seed(text: str) -> bytes | None:
    """The hash of the commitment to a seed in a note. Raises Malformed."""
    return None if text == NO_SEED else decode_base64(text)


def status(code: str | None, *, is_refusal: bool) -> str:
    """The status of a submission: accepted, or invalid or refused with `code`."""
    if code is None:
        return ACCEPTED
    return f"refused {code}" if is_refusal else f"invalid {code}"
