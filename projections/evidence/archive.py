"""The file of a bundle: a zip in exactly one form, so no byte of it can be changed.

Every zip program opens it. The layout is specified in `FORMAT.md`; the format is PKWARE's
APPNOTE.TXT, 4.3.
"""

from collections.abc import Mapping
from struct import Struct
from zlib import crc32

from domain.proof.notes import Malformed

BEGINNING = b"PK\3\4"
"""How every zip with a file in it begins."""

SEEN = "seen"
PARTS = ("manifest", "checkpoint", "leaves", "openings", "receipts", SEEN)
"""The files, in order; the last one is only there when the match is over."""

MADE_BY, VERSION, STORED, MIDNIGHT, FIRST_DAY = 20, 20, 0, 0, 0x0021
"""Version 2.0, no compression, and the earliest time that a zip can name: 1980-01-01, 00:00."""

MOST = 2**32 - 1
"""Maximum size; a larger zip would need another form."""

_LOCAL = Struct("<4s5H3I2H")
_CENTRAL = Struct("<4s6H3I5H2I")
_END = Struct("<4s4H2IH")


def pack(parts: Mapping[str, bytes]) -> bytes:
    """The bundle with these parts. Raises ValueError if it is too large."""
    body, index, offset = [], [], 0
    names = [name for name in PARTS if name != SEEN or name in parts]
    for name in names:
        content, raw = parts[name], name.encode()
        size, checksum = len(content), crc32(content)
        if offset + size + 1024 > MOST:
            raise ValueError("a bundle is smaller than 4 GiB")
        common = (VERSION, 0, STORED, MIDNIGHT, FIRST_DAY, checksum, size, size, len(raw), 0)
        body += [_LOCAL.pack(BEGINNING, *common), raw, content]
        index += [_CENTRAL.pack(b"PK\1\2", MADE_BY, *common, 0, 0, 0, 0, offset), raw]
        offset += _LOCAL.size + len(raw) + size
    listed = b"".join(index)
    count = len(names)
    end = _END.pack(b"PK\5\6", 0, 0, count, count, len(listed), offset, 0)
    return b"".join((*body, listed, end))


def unpack(bundle: bytes) -> dict[str, bytes]:
    """The parts of a bundle. Raises Malformed unless it is one, in its only form."""
    parts, offset = {}, 0
    for name in PARTS:
        if name == SEEN and bundle[offset : offset + len(BEGINNING)] != BEGINNING:
            break
        start = offset + _LOCAL.size + len(name)
        if start > len(bundle):
            raise Malformed("it breaks off")
        size = _LOCAL.unpack_from(bundle, offset)[7]
        parts[name], offset = bundle[start : start + size], start + size
    if len(bundle) > MOST or pack(parts) != bundle:
        raise Malformed("not a bundle, or not in the one form of it")
    return parts
