"""Leaks of sealed phases, each planted in a copy of a game or of what discloses it, are found.

The worlds differ in what the other seats submit: whether, when, how often, how well.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace as game_with
from random import Random
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from domain.commands import Act
from domain.deadlines import After
from domain.events import OWN_SEAT, PUBLIC, SEALED, Record
from domain.events import Event as BaseEvent
from domain.game import Awaits, Refused
from domain.games import GAMES
from domain.games.grouping_bw.actions import NameStarter
from domain.games.grouping_bw.events import GroupsSubmitted
from domain.games.grouping_bw.options import Options as GroupingOptions
from domain.games.grouping_bw.rules import GAME as GROUPING
from domain.games.together.events import SubmissionMade
from domain.games.together.options import Options as TogetherOptions
from domain.games.together.rules import GAME as TOGETHER
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    SubmissionInvalid,
)
from domain.match_state import AnyGame
from domain.menu import NOTHING, Menu
from domain.submissions import Invalid
from projections import audience, board, boards, disclosure, lines
from projections.boards.together import BOARDS
from projections.disclosure import PUBLIC_VIEWER, Viewer
from projections.matches import list_match
from projections.submissions import remember
from projections.timestamps import rfc3339
from tests.support.instants import SECOND
from tests.support.tables.game_strategies import as_sent
from tests.support.tables.match_table import MatchTable
from tests.support.worlds import differences, received_by
from tests.support.worlds_sealed import VIEWER, sealed_worlds

MOST_TRIES = 12
MINUTE = 60 * SECOND
Planted = Callable[[pytest.MonkeyPatch], AnyGame]

STARTER = NameStarter(0)
UP_TO_GROUPING = (Act(0, STARTER, as_sent(STARTER)),)


def found(game: AnyGame) -> set[str]:
    """The differences between two worlds of the game, for seat 0 or the public."""
    rng, apart = Random(5), set[str]()
    for _ in range(MOST_TRIES):
        pair = made(game, rng)
        for viewer in (PUBLIC_VIEWER, VIEWER):
            apart.update(differences(received_by(pair[0], viewer), received_by(pair[1], viewer)))
    return apart


def made(game: AnyGame, rng: Random) -> tuple[MatchTable, MatchTable]:
    if game.id == "together":
        return sealed_worlds(game, TogetherOptions(garnets=(1,) * 5), 5, rng)
    options = GroupingOptions(variant="final-match-2", starter_chooser=0)
    return sealed_worlds(game, options, 2, rng, UP_TO_GROUPING)


@pytest.mark.parametrize("game", [TOGETHER, GROUPING], ids=lambda game: str(game.id))
def test_without_a_leak_nothing_is_found(game: AnyGame) -> None:
    assert found(game) == set()


@pytest.mark.parametrize("game", [TOGETHER, GROUPING], ids=lambda game: str(game.id))
def test_the_worlds_are_mostly_different_ones(game: AnyGame) -> None:
    rng = Random(5)
    pairs = [made(game, rng) for _ in range(MOST_TRIES)]
    assert sum(one.records != other.records for one, other in pairs) > MOST_TRIES // 2
    assert {table.match.awaiting.phase for pair in pairs for table in pair} in (
        {"round1"},
        {"set1/grouping"},
    )


def submitters(state: Any) -> tuple[int, ...]:
    """The seats whose last valid submission counts, in either game."""
    sealed = state.submissions if hasattr(state, "submissions") else state.standing
    return tuple(seat for seat, said in enumerate(sealed.standing) if said is not None)


def both(leak: Callable[[AnyGame], AnyGame]) -> list[Planted]:
    """The same leak in each of the games."""

    def planted(game: AnyGame) -> Planted:
        def plant(patch: pytest.MonkeyPatch) -> AnyGame:
            return leak(game)

        plant.__name__ = f"{leak.__name__}-{game.id}"
        return plant

    return [planted(game) for game in (TOGETHER, GROUPING)]


# Leaks in the awaited seats and draws.


def who_has_submitted_is_not_awaited(game: AnyGame) -> AnyGame:
    def awaits(state: Any) -> Awaits:
        awaited = game.awaits(state)
        missing = tuple(seat for seat in awaited.seats if seat not in submitters(state))
        return replace(awaited, seats=missing) if awaited.seats else awaited

    return game_with(game, awaits=awaits)


def a_submission_moves_the_deadline(game: AnyGame) -> AnyGame:
    """Each valid submission is a reason to wait for the others a minute more."""

    def awaits(state: Any) -> Awaits:
        awaited, count = game.awaits(state), len(submitters(state))
        if awaited.deadline is None or not count:
            return awaited
        return replace(
            awaited, deadline=replace(awaited.deadline, id=f"more{count}", wait=After(60))
        )

    return game_with(game, awaits=awaits)


class SubmissionNoted(BaseEvent, frozen=True, tag="together.submission-noted.1"):
    """Announces in public that somebody has submitted; not who, not what."""

    audience: ClassVar = PUBLIC


def that_somebody_submitted_is_public(patch: pytest.MonkeyPatch) -> AnyGame:
    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        return [*TOGETHER.decide(state, seat, action), SubmissionNoted()]

    return game_with(TOGETHER, decide=decide, Event=TOGETHER.Event | SubmissionNoted)


# Leaks in menus and codes.


def the_menu_counts_submissions(game: AnyGame) -> AnyGame:
    def legal(state: Any, seat: int) -> Menu:
        others = [other for other in submitters(state) if other != seat]
        return game.legal(state, seat) * (2 if others else 1)

    return game_with(game, legal=legal)


def the_menu_is_empty_once_another_is_in(game: AnyGame) -> AnyGame:
    def legal(state: Any, seat: int) -> Menu:
        others = [other for other in submitters(state) if other != seat]
        return NOTHING if others else game.legal(state, seat)

    return game_with(game, legal=legal)


def a_code_knows_who_is_in(game: AnyGame) -> AnyGame:
    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        try:
            return game.decide(state, seat, action)
        except Invalid:
            if [other for other in submitters(state) if other != seat]:
                raise Invalid("hurry_up") from None
            raise

    return game_with(game, decide=decide)


def an_example_is_what_another_submitted(patch: pytest.MonkeyPatch) -> AnyGame:
    def legal(state: Any, seat: int) -> Menu:
        menu = TOGETHER.legal(state, seat)
        stands = state.submissions.standing[(seat + 1) % len(state.tokens)]
        if not menu or stands is None or menu[0].type != "submit":
            return menu
        theirs = {"a": None, "b": stands.b, "round": state.round}
        return (replace(menu[0], examples=(*menu[0].examples, theirs)),)

    return game_with(TOGETHER, legal=legal)


def refused_instead_of_invalid_once_another_is_in(patch: pytest.MonkeyPatch) -> AnyGame:
    """The same code, but another status: what the seat has on record differs."""

    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        try:
            return TOGETHER.decide(state, seat, action)
        except Invalid as invalid:
            if [other for other in submitters(state) if other != seat]:
                raise Refused(invalid.code) from None
            raise

    return game_with(TOGETHER, decide=decide)


# Leaks in audiences.


def shown_to_all(patch: pytest.MonkeyPatch, kind: type[BaseEvent]) -> None:
    """Everybody reads events of this kind among their own."""
    honest = disclosure.may_see
    patch.setattr(lines, "may_see", lambda v, e: isinstance(e, kind) or honest(v, e))


def submissions_are_public(patch: pytest.MonkeyPatch) -> AnyGame:
    shown_to_all(patch, SubmissionMade)
    return TOGETHER


def groups_are_public(patch: pytest.MonkeyPatch) -> AnyGame:
    patch.setattr(GroupsSubmitted, "audience", PUBLIC)
    return GROUPING


def that_one_was_invalid_is_public(patch: pytest.MonkeyPatch) -> AnyGame:
    shown_to_all(patch, SubmissionInvalid)
    return TOGETHER


def what_was_received_is_public(patch: pytest.MonkeyPatch) -> AnyGame:
    patch.setattr(ActionReceived, "audience", PUBLIC)
    return GROUPING


def refusals_are_public(patch: pytest.MonkeyPatch) -> AnyGame:
    patch.setattr(ActionRefused, "audience", PUBLIC)
    return TOGETHER


def seats_see_each_others_events(patch: pytest.MonkeyPatch) -> AnyGame:
    honest = disclosure.may_see

    def may_see(viewer: Viewer, event: BaseEvent) -> bool:
        seat = isinstance(viewer, int) and event.audience == OWN_SEAT
        return seat or honest(viewer, event)

    patch.setattr(lines, "may_see", may_see)
    return TOGETHER


# Leaks in numbers, instants, views and lists.


def hidden_events_are_counted(patch: pytest.MonkeyPatch) -> AnyGame:
    def disclosed(viewer: Viewer, records: Any, seq: int = 0) -> Any:
        for number, record in enumerate(records, seq + 1):
            if disclosure.may_see(viewer, record.event):
                yield number, record

    patch.setattr(lines, "disclosed", disclosed)
    return TOGETHER


def every_instant_is_given_once(patch: pytest.MonkeyPatch) -> AnyGame:
    """Of a coarse clock: what comes in the same minute is a microsecond later each time."""
    honest = MatchTable.when

    def when(table: MatchTable, command: Any, at: int | None = None) -> MatchTable:
        return honest(table, command, max(table.at + 1, (at or 0) // MINUTE * MINUTE))

    patch.setattr(MatchTable, "when", when)
    return TOGETHER


def a_view_counts_hidden_events(patch: pytest.MonkeyPatch) -> AnyGame:
    """The number of a view is that of the record."""
    honest = audience.see_all

    def see_all(seen: audience.AudienceState, records: Any) -> audience.AudienceState:
        all_ = tuple(records)
        after = honest(seen, all_)
        return replace(after, seq=seen.seq + len(all_))

    patch.setattr(audience, "see_all", see_all)
    return GROUPING


def a_board_is_handed_what_is_sealed(patch: pytest.MonkeyPatch) -> AnyGame:
    """The public's board shows in its deadline that a submission came."""
    honest = disclosure.may_see

    def evolve(shown: Any, event: BaseEvent, viewer: Viewer, at: int) -> Any:
        if not honest(viewer, event):
            return replace(shown, deadline=rfc3339(at))
        return BOARDS.evolve(shown, event, viewer, at)

    patch.setattr(audience, "may_see", lambda v, e: isinstance(e, SubmissionMade) or honest(v, e))
    patch.setitem(boards.BOARDS, TOGETHER.id, board.Boards(BOARDS.View, BOARDS.initial, evolve))
    return TOGETHER


def the_list_shows_when_something_last_happened(patch: pytest.MonkeyPatch) -> AnyGame:

    def moved(match: str, row: Any, record: Record[BaseEvent]) -> Any:
        after = list_match(match, row, record)
        return None if after is None else replace(after, started_at=rfc3339(record.at))

    patch.setattr("tests.support.worlds.list_match", moved)
    return GROUPING


def keys_are_shared_by_all_seats(patch: pytest.MonkeyPatch) -> AnyGame:
    """A key used by another seat is known already."""

    def shared(answers: Any, records: Any, position: int = 0) -> None:
        every: Any = {}
        remember(every, records, position)
        for (_, key), known in sorted(every.items(), key=lambda item: item[1].position):
            answers.setdefault((VIEWER, key), known)

    patch.setattr("tests.support.worlds.remember", shared)
    return TOGETHER


def awaiting_is_announced_for_every_submission(patch: pytest.MonkeyPatch) -> AnyGame:
    """Nothing in it changes, but that it comes reveals the submission."""

    class AwaitingRepeated(AwaitingChanged, frozen=True, tag="together.awaiting-repeated.1"):
        audience: ClassVar = PUBLIC

    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        return [*TOGETHER.decide(state, seat, action), AwaitingRepeated()]

    return game_with(TOGETHER, decide=decide, Event=TOGETHER.Event | AwaitingRepeated)


def sealed_events_reach_everybody(patch: pytest.MonkeyPatch) -> AnyGame:
    """Moderators' notes on submissions, disclosed as if they were the public's."""

    class Noted(BaseEvent, frozen=True, tag="grouping-bw.noted.1"):
        audience: ClassVar = SEALED
        by: int

    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        return [Noted(seat), *GROUPING.decide(state, seat, action)]

    honest = disclosure.may_see
    patch.setattr(lines, "may_see", lambda v, e: e.audience == SEALED or honest(v, e))
    return game_with(GROUPING, decide=decide, Event=GROUPING.Event | Noted)


LEAKS: list[tuple[Planted, str]] = [
    *((plant, "views") for plant in both(who_has_submitted_is_not_awaited)),
    *((plant, "views") for plant in both(a_submission_moves_the_deadline)),
    (that_somebody_submitted_is_public, "lines"),
    *((plant, "menu") for plant in both(the_menu_counts_submissions)),
    *((plant, "menu") for plant in both(the_menu_is_empty_once_another_is_in)),
    *((plant, "codes") for plant in both(a_code_knows_who_is_in)),
    (an_example_is_what_another_submitted, "menu"),
    (refused_instead_of_invalid_once_another_is_in, "lines"),
    (submissions_are_public, "lines"),
    (groups_are_public, "lines"),
    (that_one_was_invalid_is_public, "lines"),
    (what_was_received_is_public, "lines"),
    (refusals_are_public, "lines"),
    (seats_see_each_others_events, "lines"),
    (hidden_events_are_counted, "lines"),
    (every_instant_is_given_once, "lines"),
    (a_view_counts_hidden_events, "views"),
    (a_board_is_handed_what_is_sealed, "views"),
    (the_list_shows_when_something_last_happened, "row"),
    (keys_are_shared_by_all_seats, "answers"),
    (awaiting_is_announced_for_every_submission, "lines"),
    (sealed_events_reach_everybody, "lines"),
]


@pytest.mark.parametrize(
    ("plant", "where"), LEAKS, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_leak_is_found(
    plant: Planted, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = plant(monkeypatch)
    monkeypatch.setitem(GAMES, game.id, game)
    assert where in found(game)
