"""The state of a match of any game, folded from its events."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.cases.match_events import RecordedCases
from domain.chance.draws import Draw
from domain.events import Instant
from domain.game import Awaits, Game, Result
from domain.match.events import AwaitingChanged, MatchCreated, SeedCommitted
from domain.match.key_events import RecordedKeys
from domain.match.recorded import Recorded, nothing
from domain.rulings.state import MatchRulings

AnyGame = Game[Any, Any, Any, Any]
Status = Literal["created", "running", "paused", "ended", "void"]

AWAITING_NOBODY = AwaitingChanged()


class Epoch(Struct, frozen=True):
    """The chance of a match from its start, or from a rewind, on: what the service has committed
    itself to, what each seat has added, and the transcript once it is sealed. It has `ended` with a
    rewind: the next one begins."""

    committed: SeedCommitted
    seeds: tuple[str | None, ...]
    transcript: bytes | None = None
    revealed: bool = False
    ended: bool = False


class Match(Struct, frozen=True):
    """The state of a match. `id` is part of its chance; a match whose draws are entered by hand has
    no epoch. `asked_draw` is the id of the last sealed draw asked for; `time_left` is what remained
    of the deadline when the match was paused; `first_due` is the instant that the deadline of the
    open phase had before it was first moved, None for one that was not; `counted_from` is that
    instant of a deadline that has passed, while a draw is awaited before the next phase; `recorded`
    is what each seat's inputs have put on the record; `keys` are those on record as issued and
    ended; `rulings` says who ruled what, `cases` which cases are open; `undone` are the positions
    of undone actions with an idempotency key, each with the ruling that undid it. `protests_until`
    is the end of the protest window of a result that is provisional. `names` are all that seats
    have had, in order; `unnamed`
    are the seats that get theirs next, `ready` those of an open table that are."""

    id: str
    created: MatchCreated
    options: Any
    status: Status = "created"
    game: Any = None
    awaiting: AwaitingChanged = AWAITING_NOBODY
    asked_draw: str | None = None
    time_left: int | None = None
    first_due: Instant | None = None
    counted_from: Instant | None = None
    epoch: Epoch | None = None
    result: Result | None = None
    recorded: Recorded = Recorded((), ())
    keys: RecordedKeys = RecordedKeys()
    rulings: MatchRulings = MatchRulings()
    undone: tuple[tuple[int, str], ...] = ()
    cases: RecordedCases = ()
    protests_until: Instant | None = None
    names: tuple[tuple[int, str], ...] = ()
    unnamed: tuple[int, ...] = ()
    ready: tuple[int, ...] = ()

    @property
    def unmoved(self) -> Instant | None:
        """The instant of the deadline of the open phase as it was before anything moved it."""
        return self.awaiting.deadline if self.first_due is None else self.first_due

    @property
    def over(self) -> bool:
        """Whether the result is final, or the match is void: no one is told anything afterwards."""
        return self.status == "void" or (self.status == "ended" and self.protests_until is None)


def convert_action(game: AnyGame, fields: Mapping[str, Any]) -> Any:
    """The action as the game's type. Raises msgspec.ValidationError if it is not one."""
    check_tagged(fields)
    return msgspec.convert(fields, game.Action)


def check_tagged(fields: Mapping[str, Any]) -> None:
    """Raises msgspec.ValidationError for an action without a `type`. msgspec requires it only where
    there are several kinds; a game with one kind of action requires it, too."""
    if "type" not in fields:
        raise msgspec.ValidationError("Object missing required field `type`")


def create(game: AnyGame, match_id: str, created: MatchCreated, options: Any) -> Match:
    """A match that has just been created; `options` are those of `created`, as the game's type."""
    assert created.game == game.id
    seats = created.seats
    return Match(match_id, created, options, recorded=nothing(seats), unnamed=tuple(range(seats)))


def awaits(game: AnyGame, match: Match, state: Any) -> Awaits:
    """What the rules wait for in a state of the game. Behind a rewind the id of a draw by hand
    names the branch, so that it can be entered again; the rules know it without."""
    waits = game.awaits(state)
    branch = match.rulings.branch
    if waits.draw is None or branch == 0 or match.created.chance != "manual":
        return waits
    return replace(waits, draw=replace(waits.draw, id=f"b{branch}/{waits.draw.id}"))


def awaited_draw(game: AnyGame, match: Match) -> Draw | None:
    """The draw that the match waits for, with id and parts."""
    if match.status != "running" or match.awaiting.draw is None:
        return None
    return awaits(game, match, match.game).draw


def lacks_seed(match: Match) -> bool:
    """Whether the service has to commit itself to the seed of a new epoch: each rewind begins
    one."""
    return match.epoch is not None and match.epoch.ended and match.status == "paused"
