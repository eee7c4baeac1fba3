"""Between two steps of a request another instance does something: what comes of both is what one
after the other would have given, and both instances know the same."""

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

import pytest

from service.composition.leading import Leading, unsettled, unsigned
from tests.contract.requests.changing_requests import REQUESTS, Sent, request
from tests.contract.requests.outcomes import End, Outcome, difference, end, recorded, said
from tests.contract.requests.request_scenes import Scene
from tests.contract.requests.rivals import KEY_ENDED, LATER, THE_SAME, Meeting
from tests.contract.requests.test_idempotency_everywhere import SAYS_SO
from tests.support.effort import times
from tests.support.http.tournament_client import LiveCup
from tests.support.instants import NOON
from tests.support.servers.instance_settings import KIND
from tests.support.servers.live_server import Answer, Client, Live, LiveMatch, Setup, serving
from tests.support.servers.steps import WRITE, Steps, noticing, noting_steps
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(KIND != "sqlite", reason="steps are those of the embedded store")

BEFORE, AFTER = -1, None
"""When the other instance does something: before the request or after it, not before a step."""

PATIENCE = 0.03, 0.3, 2.0
"""Seconds in which nothing more must follow: at first, and when something was not as it should."""

YEAR = 366 * 24 * 3_600 * 1_000_000

WAITS = "request_in_flight"
"""The code after which a client sends the same again."""

LAST_USE = re.compile(rb'"last_used":("[^"]*"|null)')
"""What each instance puts down now and then."""

BY_EITHER = {
    ("closePhase", "another's"), ("drawLots", "another's"), ("forfeitMatch", "another's"),
    ("recoverSeat", "another's"), ("playAgain", "another's"),
    ("secondRulingOnTournament", "another's"),
}  # fmt: skip
"""What one of two who do it at once may be refused, or answered as the other."""


class Following:
    """The leader lock of an instance that never leads."""

    last_seen = -inf

    async def acquire(self) -> None:
        await asyncio.Event().wait()

    async def lost(self) -> None:
        await asyncio.Event().wait()

    async def release(self) -> None:
        return


class Two(NamedTuple):
    """Two instances on one store; the first leads, and what is sent to it is interrupted."""

    live: Live
    rival: Live
    clocks: tuple[VirtualClock, VirtualClock]

    def pass_time(self) -> None:
        """A year passes."""
        instant = self.clocks[0].now() + YEAR
        for live, clock in zip((self.live, self.rival), self.clocks, strict=True):
            live.run(partial(clock.move_to, instant))

    @property
    def quiet(self) -> bool:
        """Whether what follows by itself is done."""
        index = self.live.instance.index
        return not unsettled(index) and not unsigned(index)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    folder, clocks = tmp_path_factory.mktemp("two"), (VirtualClock(NOON), VirtualClock(NOON))
    with (
        noting_steps(),
        serving(folder, clocks[0], Setup(within=noticing), shared=True) as live,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(Leading, "_lock", lambda _: Following())
        with serving(folder, clocks[1], shared=True) as rival:
            yield Two(live, rival, clocks)


class Met(NamedTuple):
    """A request in a scene, what another instance did meanwhile, and what came of it."""

    two: Two
    name: str
    scene: Scene
    steps: Steps
    answers: Sequence[Answer]
    since: End

    @property
    def outcome(self) -> Outcome:
        return Outcome(tuple(map(said, self.answers)), recorded(self.two.live, self.since))

    def settled(self, patience: float) -> Outcome:
        """The outcome, when nothing more has followed for some seconds."""
        while True:
            before = self.outcome
            time.sleep(patience)
            if self.two.quiet and self.outcome == before:
                return before

    def differences(self, expected: Sequence[Outcome]) -> str:
        """How the outcome is unlike these."""
        outcome = self.outcome
        shown = "\n".join(difference(one, outcome) for one in expected)
        return f"{outcome.statuses}\n{shown}"

    def is_known(self) -> None:
        """Returns when both instances say the same of it."""

        def apart() -> list[str]:
            one, other = (known(live, self.scene.of) for live in self.two[:2])
            return [what for what in one if one[what] != other[what]]

        wait_until(lambda: not apart(), 5.0, apart)


def known(live: Live, of: LiveMatch | LiveCup | None) -> dict[str, tuple[int, bytes]]:
    """What an instance says of a match or a tournament to some of its readers."""
    anyone, organiser = live.anyone, live.organiser
    if of is None:
        return {}
    read: list[tuple[Client, str]] = [(organiser, "rulings"), (organiser, "cases")]
    if isinstance(of, LiveMatch):
        path, keys = f"/v1/matches/{of.id}", (of.keys[0], of.moderator_key)
        readers = anyone, *map(live.bearing, keys)
        read += [(reader, what) for reader in readers for what in ("view", "events")]
        read += [(organiser, "keys"), (organiser, "invitations")]
    else:
        path = of.path
        read += [(reader, what) for reader in (anyone, organiser) for what in ("", "events")]
    answers = {
        f"{what} {reader.key}": reader.get(f"{path}/{what}".rstrip("/")) for reader, what in read
    }
    return {
        what: (answer.status_code, LAST_USE.sub(b"", answer.content))
        for what, answer in answers.items()
    }


def meeting(two: Two, name: str) -> Meeting:
    scene = REQUESTS[name].setting(two.live)
    asked = request(two.live, name, scene)
    return Meeting(two.rival, scene, asked, name, two.pass_time)


def meet(two: Two, name: str, what: str, at: int | None) -> Met:
    """Sends a request, and has another instance do something before its step number `at`."""
    met = meeting(two, name)
    asked, do = met.asked, met.doings()[what]
    wait_until(lambda: two.quiet)
    since, done = end(two.live), list[list[Answer]]()
    steps = Steps(two.live.instance.store, asked.key, at, lambda: done.append(do()))
    if at == BEFORE:
        done.append(do())
    with steps.counted():
        answer = asked.send(two.live)
    answer = at_last(answer, two.live, asked)
    if not done:
        done.append(do())
    [meanwhile] = done
    if what == THE_SAME:
        # Once more in the end, when its answer is known.
        meanwhile = [at_last(meanwhile[0], two.rival, asked), asked.send(two.live)]
    return Met(two, name, met.scene, steps, [answer, *meanwhile], since)


def at_last(answer: Answer, live: Live, asked: Sent) -> Answer:
    """The answer in the end: a client that is told to wait sends the same again."""
    if answer.status_code == 409 and answer.json()["code"] == WAITS:
        return asked.send(live, Client(live.http, asked.by.key))
    return answer


def fits(met: Met, expected: Sequence[Outcome], what: str, *, bodies: bool) -> bool:
    """Whether what has come of it is one of these."""
    # What was previewed before the other was done is not done, whatever else would forbid it.
    stale = met.answers[0].status_code == 412

    def seen(outcome: Outcome) -> Any:
        """What must be the same. Who does the same twice is shown a secret once."""
        if what == THE_SAME:
            return outcome.recorded[:-1]
        if what in (KEY_ENDED, LATER):
            # An instance learns within a second that a key has ended; time passes everywhere.
            return outcome.statuses[stale:]
        return outcome if bodies and not stale else (outcome.statuses[stale:], outcome.recorded)

    outcome = met.outcome
    *first, last = outcome.answers
    done = [said[0] < 300 or said[1] == SAYS_SO.get(met.name) for said in first]
    if what == THE_SAME and not (all(done) and last[0] < 300):
        return False
    if any(said[0] >= 500 for said in outcome.answers):
        return False
    return seen(outcome) in map(seen, expected)


def interrupt(two: Two, name: str, what: str, *, every: bool = False) -> None:
    """Has another instance do something before each write of a request, or before `every` step. A
    busy machine is given more time."""
    for patience in PATIENCE:
        try:
            interrupted(two, name, what, patience, every=every)
        except AssertionError:
            if patience == PATIENCE[-1]:
                raise
        else:
            return


def interrupted(two: Two, name: str, what: str, patience: float, *, every: bool) -> None:
    after = meet(two, name, what, AFTER)
    expected, names = [after.settled(patience)], after.steps.names
    if what != THE_SAME:
        expected.append(meet(two, name, what, BEFORE).settled(patience))
    writes = [number for number, step in enumerate(names) if step == WRITE]
    # The first and the last note the request and its answer, which no other request reads.
    some = writes if what == THE_SAME else writes[1:-1] or writes
    for at in range(1, len(names)) if every else some:
        met = meet(two, name, what, at)
        try:
            bodies = at <= max(writes, default=0)
            is_right = partial(fits, met, expected, what, bodies=bodies)
            wait_until(is_right, patience * 10)
            if every or at == some[-1]:
                met.is_known()
        except AssertionError as error:
            error.add_note(f"{what} before step {at} of {names}: {met.differences(expected)}")
            raise


def doings_of(two: Two, name: str) -> list[str]:
    """What another instance may do while a request is answered."""
    return [what for what in meeting(two, name).doings() if (name, what) not in BY_EITHER]


@pytest.mark.parametrize("name", REQUESTS)
def test_the_same_before_a_write(two: Two, name: str) -> None:
    if THE_SAME in doings_of(two, name):
        interrupt(two, name, THE_SAME)


@pytest.mark.slow(because="it does whatever else may be done, in the long form before every step")
@pytest.mark.parametrize("name", REQUESTS)
def test_something_else_before_a_step(two: Two, name: str) -> None:
    for what in doings_of(two, name):
        interrupt(two, name, what, every=bool(times("every step")))
