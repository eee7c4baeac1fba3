"""How much one seat may put on the record of a match.

What counts is on the record itself (`domain.match.recorded`), so every instance comes to the same
answer. It depends on what this seat has sent, on what it saw follow from that, and on what
everyone sees: on the phase and its deadline. What would follow from the input itself is not known
to the seat yet, so it counts from the next input on; the refusal of an input counts at once.
"""

from collections.abc import Sequence

import msgspec

from domain.cases import state as cases
from domain.events import OWN_SEAT, Event
from domain.match import recorded
from domain.match.commands import Act, GiveClientSeed
from domain.match.deadlines import SECOND
from domain.match.events import ActionReceived, ActionRefused, ClientSeedGiven, SubmissionInvalid
from domain.match.state import AnyGame, Match
from projections.audience.submissions import turned_down

MOST_SUBMISSIONS = 200
"""Maximum submissions of a seat in a phase, valid or not."""

ALWAYS_ACCEPTED = 4096
"""Bytes of an action that is awaited and legal, up to which it is accepted in any case: a match
whose seat has used up its bytes must go on."""

NO_DEADLINE_SECONDS = 60
"""`Retry-After` where a phase ends when a moderator closes it."""
FULL_SECONDS = 3600
"""`Retry-After` where no waiting helps before the match is over."""

CODES = {
    "too_many_submissions": f"{MOST_SUBMISSIONS} submissions in a phase are the most: wait for "
    "the next one.",
    "too_much_recorded": "You have put as much on the record of this match as one seat may; only "
    "what the match waits for is still accepted.",
    "too_many_cases": f"{cases.MOST_OPEN} open cases of a match are the most for one seat, and of "
    "a tournament for one player.",
    "too_much_said": "You have said as much in these cases as one seat, or one player, may.",
}
"""A sentence for every code of `LimitReached`."""


class LimitReached(Exception):
    """The seat has sent too much, and nothing is recorded; `wait` is in seconds."""

    def __init__(self, code: str, wait: int) -> None:
        super().__init__(code)
        self.code = code
        self.wait = wait


def check_limits(
    game: AnyGame,
    match: Match,
    command: Act | GiveClientSeed,
    events: Sequence[Event],
    at: int,
    seat_bytes: int,
) -> None:
    """Raises LimitReached unless the seat may record its input, received at `at`, of which `events`
    follow. `match` is as before it; `seat_bytes` is the maximum of the actions and client seeds of
    a seat in a match of two, with what followed from them and the seat sees."""
    seat, had = command.seat, match.recorded
    code, is_refusal = turned_down(events[:2])
    full = match.awaiting.phase is not None and had.submissions[seat] >= MOST_SUBMISSIONS
    # What everyone sees first moves the match on, and is not limited.
    is_sealed = len(events) > 1 and events[1].audience == OWN_SEAT
    if full and not is_refusal and is_sealed:
        raise LimitReached("too_many_submissions", _seconds_left(match, at))
    size = sum(recorded.size(event) for event in events if isinstance(event, _OF_SEAT))
    most = share(seat_bytes, match.created.seats)
    if had.sizes[seat] + size > most and not _must_go_on(game, match, command, code):
        raise LimitReached("too_much_recorded", FULL_SECONDS)


_OF_SEAT = (ActionReceived, ActionRefused, SubmissionInvalid, ClientSeedGiven)


def share(seat_bytes: int, seats: int) -> int:
    """The maximum of one seat of so many. However many they are, together they have what two have:
    a match as long as they can make it is still read from the store in a moment."""
    return 2 * seat_bytes // seats


def _must_go_on(
    game: AnyGame, match: Match, command: Act | GiveClientSeed, code: str | None
) -> bool:
    """Whether the match waits for this action, which counts and is small. It does not wait for
    another submission of a seat of which one counts."""
    if not isinstance(command, Act) or code is not None:
        return False
    small = len(msgspec.msgpack.encode(command.sent_fields)) <= ALWAYS_ACCEPTED
    waited_for = command.seat in match.awaiting.seats
    return small and waited_for and game.standing(match.game, command.seat) is None


def _seconds_left(match: Match, at: int) -> int:
    """The whole seconds, rounded up, until the phase ends by itself."""
    due = match.awaiting.deadline
    return NO_DEADLINE_SECONDS if due is None else max(1, -((at - due) // SECOND))
