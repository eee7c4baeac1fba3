"""The rounds of the scrub: what it judges next, and when everything was judged last.

A round goes through the ids in their order. So what is not reached yet was judged in the round
before, or has come since then.
"""

import msgspec
from msgspec import Struct

from service.event_store.reading import FIRST

HOUR = 3_600_000_000
DAY = 24 * HOUR
"""In microseconds."""

IN_PLAY_AGE = DAY
"""Within this time every match in play is judged."""


class Round(Struct):
    """The present round, or the last one if it is `complete`: when it `began`, and the id up to
    which everything is judged. `before` is when the complete round before it began, or, if there
    was none, the first."""

    began: int
    before: int
    after: str = FIRST
    complete: bool = False

    def oldest(self, now: int) -> int:
        """For how long at most something has not been judged, in microseconds."""
        return now - (self.began if self.complete else self.before)

    def begin(self, now: int) -> None:
        """Begins the next round."""
        if self.complete:
            self.before = self.began
        self.began, self.after, self.complete = now, FIRST, False


class Rounds(Struct):
    """The rounds through the matches in play and through the whole store."""

    in_play: Round
    whole: Round

    def next(self, now: int, whole_age: int) -> Round | None:
        """The round that is to be gone on with; None if everything was judged lately enough.

        A round begins after half of the time that it has, and needs the other half at most. Matches
        in play come first.
        """
        for one, age in ((self.in_play, IN_PLAY_AGE), (self.whole, whole_age)):
            if one.complete and now - one.began >= age // 2:
                one.begin(now)
            if not one.complete:
                return one
        return None


# Made at import: decoding happens in a thread, and a type's first use must not be in a thread.
_decoder, _encoder = msgspec.json.Decoder(Rounds), msgspec.json.Encoder()


def first_rounds(now: int) -> Rounds:
    """The rounds of a store that was never judged."""
    return Rounds(Round(now, now), Round(now, now))


def encoded(rounds: Rounds) -> bytes:
    """The rounds as they are stored."""
    return _encoder.encode(rounds)


def decoded(stored: bytes | None, now: int) -> Rounds:
    """The stored rounds; the first ones if there are none that can be read."""
    try:
        return first_rounds(now) if stored is None else _decoder.decode(stored)
    except msgspec.DecodeError:
        return first_rounds(now)
