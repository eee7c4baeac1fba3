"""Numbers of events as people type and read them: `p6` is the public's event 6, which everyone can
cite; `8` is the event 8 of one reader."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

_PUBLIC = re.compile(r"p([1-9][0-9]{0,8})")


def public_number(text: str) -> int | None:
    """The number in the public's count that was typed as `p6`; None if it was none."""
    parts = _PUBLIC.fullmatch(text)
    return None if parts is None else int(parts[1])


def cited(seq: int, public_seq: int | None) -> str:
    """An event by its number in the public's count, if it has one, then in a reader's own."""
    return str(seq) if public_seq is None else f"p{public_seq} ({seq})"


class Numbering(Struct, frozen=True):
    """How the events of a reader are named: by the numbers in the public's count of those that are
    public. If the `reader_is_public`, its own numbers are these."""

    public: Mapping[int, int] = {}
    reader_is_public: bool = False

    def brief(self, seq: int) -> str:
        """One number of an event: the public's, or the reader's own."""
        public = None if self.reader_is_public else self.public.get(seq)
        return str(seq) if public is None else f"p{public}"

    def cited(self, seq: int) -> str:
        """Every number of an event that this reader can use."""
        return cited(seq, None if self.reader_is_public else self.public.get(seq))


def numbering(numbers: Iterable[tuple[int, int | None]]) -> Numbering:
    """The numbering of a reader whose events have these numbers, its own and the public's."""
    every = list(numbers)
    public = {seq: public_seq for seq, public_seq in every if public_seq is not None}
    return Numbering(public, all(seq == public_seq for seq, public_seq in every))
