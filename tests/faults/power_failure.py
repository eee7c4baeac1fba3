"""What a power failure leaves of files: a model of a disk, from a trace of system calls.

As ALICE does (Pillai and others, OSDI 2014): what was written before a sync that has ended is
there; of what was written since, each write is there, is not, or is there in part, in whatever
order they came. A disk writes sectors whole.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from tests.faults.syscall_trace import Moment, moments

STRACE = (
    "strace", "--follow-forks", "--decode-fds=path", "--string-limit=1000000",
    "--trace=pwrite64,write,ftruncate,unlink,rename,fdatasync,fsync",
)  # fmt: skip

Fate = Literal["whole", "lost", "torn"]

SYNCS = ("fdatasync", "fsync")

INTERRUPTED = re.compile(r" <unfinished \.\.\.><\.\.\. \w+ resumed>")
"""Between the two halves of a call that a line of another thread has cut."""

SECTOR = 512


class Change(NamedTuple):
    """A file was written to at an offset, cut off there, if `content` is None, and without an
    offset removed, or renamed `to` another; between these lines of the trace. `synced` is the first
    line at which a sync of the file had ended, or of its folder where it was removed or renamed."""

    file: Path
    offset: int | None
    content: bytes | None
    begins: int
    ends: int
    synced: float = float("inf")
    to: Path | None = None


def changes(trace: Path, folder: Path) -> list[Change]:
    """What was changed of the files in a folder, in order, and when it was synced."""
    found: list[Change] = []
    appended: dict[Path, int] = {}
    for moment in moments(trace):
        file = Path(moment.file.strip('"').rpartition("<")[2].rstrip(">"))
        if not file.is_relative_to(folder) or file.name.endswith("-shm"):
            continue
        if moment.call in SYNCS:
            assert moment.text.endswith("= 0"), moment.text
            found = [_synced(one, file, moment) for one in found]
        elif moment.call in ("unlink", "rename"):
            to = Path(moment.text.split('"')[3]) if moment.call == "rename" else None
            found.append(Change(file, None, None, moment.begins, moment.ends, to=to))
        elif moment.call == "ftruncate":
            length = int(_arguments(moment)[0])
            found.append(Change(file, length, None, moment.begins, moment.ends))
        else:
            content, *rest = _arguments(moment)
            assert content[0] == content[-1] == '"', "it is printed whole"
            written = codecs.escape_decode(content[1:-1])[0][: _result(moment)]
            offset = int(rest[-1]) if moment.call == "pwrite64" else appended.get(file, 0)
            appended[file] = offset + len(written)
            found.append(Change(file, offset, written, moment.begins, moment.ends))
    return found


def _synced(one: Change, file: Path, sync: Moment) -> Change:
    covered = (one.file.parent if one.offset is None else one.file) == file
    covered = covered and one.ends < sync.begins
    return one._replace(synced=min(one.synced, sync.ends)) if covered else one


def _arguments(moment: Moment) -> list[str]:
    """What a call was given after its file: the content as it is printed, if any, and numbers."""
    text = INTERRUPTED.sub("", moment.text)
    inside = text[text.index(">, ") + 3 : text.rindex(")")]
    return inside.rsplit(", ", 2 if moment.call == "pwrite64" else 1)


def _result(moment: Moment) -> int:
    return int(moment.text.rpartition("= ")[2])


def left(
    written: Sequence[Change], at: int, chance: Random, *, honest: bool = True
) -> dict[Path, bytearray]:
    """What is left of the files after a power failure at this line of the trace. On a disk that is
    not `honest` syncs do nothing."""
    files: dict[Path, bytearray] = {}
    for one in written:
        if one.begins > at:
            break
        kept = honest and one.synced <= at
        fate: Fate = "whole" if kept else chance.choice(("whole", "lost", "torn"))
        if fate == "lost":
            continue
        if one.offset is None:
            moved = files.pop(one.file, None)
            if one.to is not None and moved is not None:
                files[one.to] = moved
        elif one.content is None:
            del files.setdefault(one.file, bytearray())[one.offset :]
        else:
            content = files.setdefault(one.file, bytearray())
            for start, piece in _sectors(one.offset, one.content):
                if fate == "whole" or chance.random() < 0.5:
                    content.extend(bytes(max(0, start - len(content))))
                    content[start : start + len(piece)] = piece
    return files


def _sectors(offset: int, content: bytes) -> Iterator[tuple[int, bytes]]:
    """What was written, sector by sector."""
    end = offset + len(content)
    bounds = [offset, *range((offset // SECTOR + 1) * SECTOR, end, SECTOR), end]
    for start, stop in pairwise(bounds):
        yield start, content[start - offset : stop - offset]
