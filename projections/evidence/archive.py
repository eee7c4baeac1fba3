"""The file of a bundle: a zip in exactly one form, so no byte of it can be changed.

Every zip program opens it. The layout is specified in `FORMAT.md`; the format is PKWARE's
APPNOTE.TXT, 4.3.
"""

import re
from collections.abc import Mapping
from struct import Struct
from zlib import crc32

from domain.proof.notes import Malformed

BEGINNING = b"PK\3\4"
"""How every zip with a file in it begins."""

SEEN = "seen"
PARTS = ("manifest", "checkpoint", "leaves", "openings", "receipts", SEEN)
"""The files, in order; the last one is only there once it is over. In a tournament the bundles of
its matches follow."""

_INSIDE = re.compile(r"matches/([0-9a-f-]{36})\.arb", re.ASCII)

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
    names += (name for name in parts if name not in PARTS)
    for name in names:
        content, raw = parts[name], name.encode()
        size, checksum = len(content), crc32(content)
        if offset + size + 1024 > MOST:
            raise ValueError("a bundle is smaller than 4 GiB")
        common = (VERSION, 0, STORED, MIDNIGHT, FIRST_DAY, checksum, size, size, len(raw), 0)
        body += [_LOCAL.pack(BEGINNING, *common), raw, content]
        index += [_CENTRAL.pack(b"PK\1\2", MADE_BY, *common, 0, 0, 0, 0, offset), raw]
        offset += _LOCAL.size + len(raw) + size
    directory = b"".join(index)
    count = len(names)
    end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), offset, 0)
    return b"".join((*body, directory, end))


def unpack(bundle: bytes) -> dict[str, bytes]:
    """The parts of a bundle. Raises Malformed unless it is one, in its only form."""
    parts, offset = {}, 0
    for name in PARTS:
        if name == SEEN and _name_at(bundle, offset) != SEEN:
            break
        parts[name], offset = _content(bundle, offset, name)
    while (inside := _name_at(bundle, offset)) is not None:
        if match_in(inside) is None or inside in parts:
            raise Malformed("it has a file that no bundle has")
        parts[inside], offset = _content(bundle, offset, inside)
    if len(bundle) > MOST or pack(parts) != bundle:
        raise Malformed("not a bundle, or not in the one form of it")
    return parts


def file_of(match: str) -> str:
    """The name of the file with the bundle of a match of a tournament."""
    return f"matches/{match}.arb"


def match_in(name: str) -> str | None:
    """The match whose bundle is in a file of this name."""
    parts = _INSIDE.fullmatch(name)
    return None if parts is None else parts[1]


def _name_at(bundle: bytes, offset: int) -> str | None:
    """The name of the file that begins at an offset; None if no file does."""
    if bundle[offset : offset + len(BEGINNING)] != BEGINNING:
        return None
    start = offset + _LOCAL.size
    if start > len(bundle):
        raise Malformed("it breaks off")
    length = _LOCAL.unpack_from(bundle, offset)[9]
    return bundle[start : start + length].decode(errors="replace")


def _content(bundle: bytes, offset: int, name: str) -> tuple[bytes, int]:
    """The content of a file of this name at an offset, and the offset behind it."""
    start = offset + _LOCAL.size + len(name.encode())
    if start > len(bundle):
        raise Malformed("it breaks off")
    end = start + _LOCAL.unpack_from(bundle, offset)[7]
    return bundle[start:end], end
