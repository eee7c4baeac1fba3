"""Creation notes: signed statements of the service about how the record of a match begins.

The answer to the creation of a match has one. Those who keep it hold the service to the options
and names of the match and to its commitment to the seed. The text is fixed:
`projections/evidence/FORMAT.md`.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256

from msgspec import Struct

from domain.encoding import decode
from domain.match.events import SeedCommitted
from domain.proof.notes import Malformed, decode_base64
from domain.proof.receipts import read_seed, spelt_seed

KIND = "arbiter-creation/"
"""How a creation note of any version begins."""

TITLE = f"{KIND}1"

BEGINNING = 2
"""How many events of a match are needed for `beginning_of`."""

_LINES = re.compile(
    rf"{TITLE}\n"
    r"match (?P<match>[0-9a-f-]{36})\n"
    r"created (?P<created>[A-Za-z0-9+/]{43}=)\n"
    r"seed-committed (?P<seed_committed>-|[A-Za-z0-9+/]{43}=)\n"
)


class Beginning(Struct, frozen=True):
    """SHA-256 of the stored bytes of a match's `MatchCreated` and `SeedCommitted`; the latter is
    None where draws are entered by hand."""

    created: bytes
    seed_committed: bytes | None


class CreationText(Struct, frozen=True):
    """The content of a creation note."""

    match: str
    beginning: Beginning


def beginning_of(states: Sequence[bytes]) -> Beginning:
    """The beginning of a match whose first events have these stored bytes. At least the events that
    are recorded with the creation must be among them."""
    second = seed_committed(states[1]) if len(states) > 1 else None
    return Beginning(sha256(states[0]).digest(), second)


def seed_committed(state: bytes) -> bytes | None:
    """SHA-256 of a stored event if it is the commitment to a seed, else None."""
    is_commitment = isinstance(decode(state).event, SeedCommitted)
    return sha256(state).digest() if is_commitment else None


def text(creation: CreationText) -> str:
    """The text that is signed."""
    beginning = creation.beginning
    return (
        f"{TITLE}\nmatch {creation.match}\ncreated {b64encode(beginning.created).decode()}\n"
        f"seed-committed {spelt_seed(beginning.seed_committed)}\n"
    )


def parse(note: str) -> CreationText:
    """Parses the text of a creation note. Raises Malformed if it is not one."""
    parts = _LINES.fullmatch(note)
    if parts is None:
        raise Malformed("not a creation note")
    beginning = Beginning(decode_base64(parts["created"]), read_seed(parts["seed_committed"]))
    return CreationText(parts["match"], beginning)
