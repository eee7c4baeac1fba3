"""Every game as a match, played by hypothesis from the menu, with everything else tried next to.

A machine starts a match with any options, draws, acts, waits, pauses and breaks the rules; when
hypothesis stops, random play finishes the match.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from domain.encoding import encode
from domain.games import GAMES
from domain.match.commands import PassDeadline
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    DrawSettled,
    SealedDrawSettled,
    SubmissionInvalid,
)
from domain.match.state import AnyGame
from tests.support.effort import times
from tests.support.games import SUPPORT
from tests.support.instants import SECOND
from tests.support.tables.directing import PAUSE, START, close_phase, enter_draw
from tests.support.tables.game_strategies import (
    among,
    as_sent,
    choices,
    covering,
    covers,
    judgement,
    matches,
    menu,
    outcome,
    received,
    step,
    universe,
)
from tests.support.tables.match_table import MatchTable, judged_again, replayed, seated

MOST_INPUTS = 3_000
"""Maximum inputs of a match of any game with the options tried here."""

EVERYBODY = 4
"""Maximum number of seats at which all seats try everything at each step, which takes long."""

SOME = 2
"""Number of seats that do so at a larger table."""


def trying(table: MatchTable) -> Sequence[int]:
    """The seats that try everything: all at a small table, at a large one others at each step."""
    if len(table.seats) <= EVERYBODY:
        return table.seats
    return Random(len(table.records)).sample(table.seats, SOME)


class Judged:
    """The answers of the rules in one state of a game. They depend on the state alone, so nothing
    is judged there twice, however often a match reaches it."""

    def __init__(self, table: MatchTable) -> None:
        self.state = table.match.game
        self.choices = choices(table)
        self._codes: dict[int, list[str | None]] = {}
        menus = {seat: menu(table, seat) for seat in table.seats}
        for act in self.choices:
            assert judgement(table, act.seat, act.action) is None, act
            assert covers(menus[act.seat], as_sent(act.action)) is not None, act

    def refusable(self, table: MatchTable, seat: int) -> list[Any]:
        """Every action of the universe that the rules refuse the seat."""
        every = zip(universe(table.game), self.codes(table, seat), strict=True)
        return [action for action, code in every if code is not None]

    def codes(self, table: MatchTable, seat: int) -> list[str | None]:
        """The result of each action of the universe, which the menu must predict."""
        if seat not in self._codes:
            self._codes[seat] = codes = []
            for action, covered in covering(table.game, menu(table, seat)):
                codes.append(code := judgement(table, seat, action))
                if covered is None or covered.exact:
                    assert (code is None) == (covered is not None), (seat, action, code)
            assert {code for code in codes if code is not None} <= set(table.game.codes)
        return self._codes[seat]


def check_record(table: MatchTable) -> None:
    """The record gives the state, and its inputs alone give the record, byte for byte."""
    assert replayed(table.game, table.records) == table.match
    again = judged_again(table.game, table.records, table.hidden)
    assert again.match == table.match
    assert list(map(encode, again.records)) == list(map(encode, table.records))


def check_draws(table: MatchTable) -> None:
    """No draw has the id of an earlier one."""
    drawn = [e.id for e in table.events if isinstance(e, DrawSettled | SealedDrawSettled)]
    assert len(set(drawn)) == len(drawn)


class Play(RuleBasedStateMachine):
    """One match of `game`, from its creation on."""

    game: ClassVar[AnyGame]
    known: Judged | None = None

    @initialize(data=st.data())
    def create(self, data: st.DataObject) -> None:
        self.table = data.draw(matches(self.game))
        self.table.conflicts(PAUSE, "match_not_running")
        self.table.when(START)

    def judged(self) -> Judged:
        """The present answers of the rules; a refusal or a pause does not change them."""
        if self.known is None or self.known.state is not self.table.match.game:
            self.known = Judged(self.table)
        return self.known

    def _is(self, status: str) -> bool:
        return self.table.match.status == status

    @precondition(lambda self: self._is("running") and self.table.draw is None)
    @rule(data=st.data(), seconds=st.integers(0, 3))
    def do_what_is_offered(self, data: st.DataObject, seconds: int) -> None:
        """The seat's view is not outdated: a deadline that is due passes first."""
        at = self.table.at + seconds * SECOND
        if self.table.due is not None and at >= self.table.due:
            self.table.when(PassDeadline(), self.table.due)
            return
        act = data.draw(among(self.judged().choices))
        self.table.when(act, at)
        assert self.table.code is None
        assert self.table.new_events[0] == ActionReceived(act.seat, act.sent_fields)

    @precondition(lambda self: self._is("running"))
    @rule(data=st.data())
    def do_what_is_not_offered(self, data: st.DataObject) -> None:
        """A refusal is on the record, private to its seat, and changes nothing. A game may
        allow the seat everything."""
        seat = data.draw(st.sampled_from(self.table.seats))
        refusable = self.judged().refusable(self.table, seat)
        if not refusable:
            return
        before = self.table.match
        self.table.act(seat, data.draw(among(refusable)))
        heard, refused = self.table.new_events
        assert isinstance(heard, ActionReceived)
        assert isinstance(refused, ActionRefused | SubmissionInvalid)
        assert heard.seat == refused.seat == seat
        assert replace(self.table.match, recorded=before.recorded) == before

    @precondition(lambda self: self._is("running") and self.table.draw is not None)
    @rule(rng=st.randoms(use_true_random=False))
    def draw(self, rng: Random) -> None:
        asked = self.table.draw
        assert asked is not None and self.table.match.created.chance == "manual"
        before = self.table.match
        after = self.table.when(enter_draw(asked.id, ("edge",))).match
        assert replace(after, recorded=before.recorded, rulings=before.rulings) == before
        self.table.when(enter_draw(asked.id, outcome(asked, rng)))

    @precondition(lambda self: self._is("running"))
    @rule()
    def end_the_phase(self) -> None:
        if self.table.match.awaiting.phase is None:
            self.table.conflicts(close_phase(), "nothing_to_close")
        elif self.table.due is None:
            self.table.when(close_phase())
        else:
            self.table.when(PassDeadline(), self.table.due)

    @precondition(lambda self: self._is("running"))
    @rule(seconds=st.integers(0, 5))
    def pause(self, seconds: int) -> None:
        """The remaining time of a deadline is the same afterwards."""
        due, at = self.table.due, self.table.at
        left = None if due is None else due - at
        self.table.pause()
        assert self.table.due is None
        self.table.resume(at + seconds * SECOND)
        assert self.table.due == (None if left is None else self.table.at + left)

    @precondition(lambda self: self._is("ended"))
    @rule()
    def find_it_over(self) -> None:
        """Neither a menu nor a command after the end."""
        assert choices(self.table) == []
        self.table.conflicts(close_phase(), "match_not_running")
        self.table.conflicts(PAUSE, "result_final")

    @invariant()
    def holds(self) -> None:
        if self.table.match.status == "running":
            for seat in trying(self.table):
                self.judged().codes(self.table, seat)
            SUPPORT[self.game.id].conserved(self.table)
        assert replayed(self.game, self.table.records) == self.table.match

    def teardown(self) -> None:
        if hasattr(self, "table"):
            rng = Random(len(self.table.records))
            for _ in range(MOST_INPUTS):
                if self.table.match.status == "ended":
                    break
                step(self.table, rng)
            assert self.table.match.status == "ended"
            SUPPORT[self.game.id].conserved(self.table)
            check_record(self.table)
            check_draws(self.table)


def machine(game: AnyGame) -> type[RuleBasedStateMachine]:
    """The machine that plays this game; hypothesis wants a class for it."""
    return type("Play", (Play,), {"game": game})


EXAMPLES = times("matches of a machine")
SHORT = settings(
    max_examples=EXAMPLES,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
EVERY_GAME = pytest.mark.parametrize("name", GAMES)


@EVERY_GAME
def test_every_match_meets_the_contract_of_a_game(name: str) -> None:
    """The menu is what is accepted, refusals change nothing, totals are conserved, the record
    replays and is judged again to the same bytes, and the match ends."""
    run_state_machine_as_test(machine(GAMES[name]), settings=SHORT)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 20) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@st.composite
def malformed(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Possible requests: an action with its fields changed, dropped, added or renamed."""
    sent = as_sent(draw(among(universe(GAMES[name]))))
    names = draw(st.lists(st.sampled_from([*sent, "chip", "coin", "coins", "seat", "x"])))
    for field in names:
        if draw(st.booleans()):
            sent.pop(field, None)
        else:
            sent[field] = draw(JSON)
    return sent


@EVERY_GAME
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_actions_outside_the_menu_are_refused_or_not_understood(
    name: str, data: st.DataObject
) -> None:
    game = GAMES[name]
    rng = Random(data.draw(st.integers(0, 2**32)))
    table = seated(game, game.seats[-1]).when(START)
    for _ in range(rng.randrange(12)):
        if table.match.status == "running":
            step(table, rng)
    for _ in range(20):
        sent, seat = data.draw(malformed(name)), data.draw(st.sampled_from(table.seats))
        covered = covers(menu(table, seat), sent) if isinstance(sent.get("type"), str) else None
        try:
            action = received(game, sent)
        except msgspec.ValidationError:
            assert covered is None
            continue
        accepted = judgement(table, seat, action) is None
        assert accepted == (covered is not None) or not (covered is None or covered.exact)
