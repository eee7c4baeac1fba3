"""Checkpoints: signed statements about a log, its length and the root of its tree (C2SP
tlog-checkpoint, <https://c2sp.org/tlog-checkpoint>)."""

import re
from base64 import b64encode

from msgspec import Struct

from domain.proof.notes import Malformed, decode_base64

SCHEME = "arbiter-log/1"

_LINES = re.compile(
    rf"{SCHEME}/(?P<log>[0-9a-f-]{{36}})\n"
    r"(?P<size>0|[1-9][0-9]{0,15})\n"
    r"(?P<root>[A-Za-z0-9+/]{43}=)\n"
)


class Checkpoint(Struct, frozen=True):
    """The root (32 bytes) of the tree of the first `size` leaves of a log, which has the id of its
    match or tournament."""

    log: str
    size: int
    root: bytes


def text(checkpoint: Checkpoint) -> str:
    """The text that is signed."""
    root = b64encode(checkpoint.root).decode()
    return f"{SCHEME}/{checkpoint.log}\n{checkpoint.size}\n{root}\n"


def parse(text: str) -> Checkpoint:
    """Parses the text of a checkpoint. Raises Malformed if it is not one."""
    parts = _LINES.fullmatch(text)
    if parts is None:
        raise Malformed("not a checkpoint")
    return Checkpoint(parts["log"], int(parts["size"]), decode_base64(parts["root"]))
