"""The longest matches that the limits of seats allow, recorded as the service records them: every
seat sends what is not limited by anything else until it has used up its bytes, in the smallest
pieces; then the match is played to its end."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import msgspec

from domain.events import PUBLIC, Numbered
from domain.game import Refused
from domain.games import GAMES
from domain.games.dollar_prize.actions import EndTurn
from domain.games.grouping_bw.actions import Fold, Group
from domain.games.liars_dice import Challenge
from domain.games.together.actions import GiveTokenOfLife
from domain.games.twelve_chips.actions import Play
from domain.match.commands import Conflict
from domain.match.live import undone
from domain.match.state import Match
from domain.rulings.commands import SecondRuling
from domain.rulings.kinds import ResumeMatch, Rewind
from projections.audience import menu
from service.application.matches.creation import NewMatch
from service.application.matches.seat_limits import MOST_SUBMISSIONS, LimitReached
from service.instance import Instance
from tests.support.instance.service_instance import on_record, sends
from tests.support.tables.directing import START, close_phase
from tests.support.tables.ruling_tables import FINN, rule
from tests.support.tables.together_tables import a

REFUSED: dict[str, Any] = {
    "dollar-prize": EndTurn(),
    "grouping-bw": Fold(),
    "liars-dice": Challenge(),
    "together": GiveTokenOfLife(1),
    "twelve-chips": Play(99),
}
"""By game an action that it refuses at its beginning."""

SUBMITTED: dict[str, Callable[[int], Any]] = {
    "grouping-bw": lambda _: Group((1, 2, 3), (4, 5, 6), (7, 8, 9)),
    "together": lambda phase: a(1, at=phase),
}
"""By game a submission for its phase of this number."""

AT_ONCE = 64
"""Actions that a seat sends before it waits for their answers."""
MOST_PHASES = 100


async def longest_match(instance: Instance, game: str, *, submitted: bool = False) -> UUID:
    """A match with as many seats as the game can have, at its end. Its seats have sent what the
    rules refuse; with `submitted`, as many submissions before that as they may."""
    match = await filled_match(instance, game, submitted=submitted)
    while await _played_on(instance, match):
        pass
    return match


async def filled_match(instance: Instance, game: str, *, submitted: bool = False) -> UUID:
    """The same while it is running."""
    seats = range(GAMES[game].seats[-1])
    names = tuple(f"P{seat}" for seat in seats)
    match = await instance.creation.match(NewMatch(game, names, {}, "server", "none", "closed"))
    await instance.matches.execute(match.id, START, "moderator")
    if submitted:
        await _submit(instance, match.id, game, seats)
    await asyncio.gather(*(_fill(instance, match.id, seat, REFUSED[game]) for seat in seats))
    return match.id


async def rewound_match(instance: Instance, game: str, times: int) -> UUID:
    """The same with a move, rewound so many times to before what everyone saw first of a move;
    what came later is judged again."""
    match = await filled_match(instance, game)
    await _played_on(instance, match)
    for _ in range(times):
        await _rewind(instance, match)
        await instance.rulings.execute(match, rule("", ResumeMatch()))
    return match


async def _rewind(instance: Instance, match: UUID) -> None:
    before = await _first_move(instance, match)
    await instance.rulings.execute(match, rule("", Rewind(before, reapply="while_legal")))
    (pending,) = (await instance.sessions.current(match)).match.rulings.pending
    await instance.rulings.execute(match, SecondRuling(pending.id, FINN))


async def _first_move(instance: Instance, match: UUID) -> int:
    """The number of the first event that everyone sees of a move that counts."""
    game = (await instance.sessions.current(match)).game
    records = enumerate(on_record(instance, match), 1)
    numbered = [Numbered(number, None, record) for number, record in records]
    undone_numbers = undone(numbered, game.sealed_phase)
    counts = [(one.number, one.event) for one in numbered if one.number not in undone_numbers]
    return next(
        number
        for number, event in counts
        if event.audience == PUBLIC and isinstance(event, game.Event)
    )


async def _fill(instance: Instance, match: UUID, seat: int, action: Any) -> None:
    """The seat sends the action until nothing more of it is recorded."""
    while not await _sent(instance, match, seat, [action] * AT_ONCE):
        pass


async def _submit(instance: Instance, match: UUID, game: str, seats: Sequence[int]) -> None:
    """Every seat submits as often as it may, phase after phase, until it has used up its bytes."""
    for phase in range(1, MOST_PHASES):
        each = [SUBMITTED[game](phase)] * MOST_SUBMISSIONS
        full = await asyncio.gather(*(_sent(instance, match, seat, each) for seat in seats))
        if all(full):
            return
        try:
            await instance.matches.execute(match, close_phase(), "moderator")
        except Conflict:
            return


async def _sent(instance: Instance, match: UUID, seat: int, actions: Sequence[Any]) -> bool:
    """Sends these actions at once; returns whether one of them was too much."""
    sent = (instance.matches.execute(match, sends(seat, action), seat) for action in actions)
    answers = await asyncio.gather(*sent, return_exceptions=True)
    wrong = [answer for answer in answers if isinstance(answer, BaseException)]
    assert all(isinstance(one, LimitReached) for one in wrong), wrong[0]
    return bool(wrong)


async def _played_on(instance: Instance, match: UUID) -> bool:
    """Every seat for which the match waits does the first thing on its menu; a sealed phase ends
    when something of each counts. False when the match is over."""
    loaded = await instance.sessions.current(match)
    if loaded.match.over:
        return False
    waited_for = _waited_for(loaded.game, loaded.match)
    if not waited_for:
        await instance.matches.execute(match, close_phase(), "moderator")
    for seat in waited_for:
        loaded = await instance.sessions.current(match)
        offered = menu.answer(loaded.game, loaded.match, seat).actions
        if offered and not loaded.match.over:
            action = _first(loaded.game, loaded.match, seat, offered[0].examples)
            await instance.matches.execute(match, sends(seat, action), seat)
    return True


def _waited_for(game: Any, match: Match) -> list[int]:
    return [seat for seat in match.awaiting.seats if game.standing(match.game, seat) is None]


def _first(game: Any, match: Match, seat: int, examples: Sequence[Any]) -> Any:
    """The first of these actions that the rules accept."""
    for example in examples:
        action = msgspec.convert(example, game.Action)
        try:
            game.decide(match.game, seat, action)
        except Refused:
            continue
        return action
    raise AssertionError("the menu has what the rules accept")
