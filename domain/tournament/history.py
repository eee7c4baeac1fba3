"""The public record of a stage as its format reads it, and the draft of a round that follows.

Whatever a draft depends on is in a `History`: the hash of its canonical JSON is published with the
round, so anyone can compute the pairings again.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.game import Refused, Result
from domain.tournament.stages import EpisodePlan, Stage

ByeKind = Literal["bye", "bye_asked", "absent"]
Presence = Literal["here", "asked", "absent", "out"]
Because = Literal[
    "same_points",
    "floated_down",
    "floated_up",
    "not_met",
    "met_before",
    "colour",
    "berger",
    "bracket",
    "lots",
    "tables",
    "odd_number",
    "asked",
    "not_checked_in",
    "opponent_withdrawn",
]


class Entrant(Struct, frozen=True):
    """A player of a stage, by the number in the roster: can be paired in the next round (`here`),
    has asked not to be, has not checked in (`absent`), or has left the tournament (`out`). What an
    `annulled` player did in the stage counts for no one."""

    player: int
    rating: int | None = None
    seed: int | None = None
    presence: Presence = "here"
    annulled: bool = False


class PlayedMatch(Struct, frozen=True):
    """A match of a pairing: its result by places in the pairing's `players`, None while it is open.
    A match that counts for nothing is `void`, one that was decided by an absence a `forfeit`."""

    result: Result | None = None
    void: bool = False
    forfeit: bool = False

    @property
    def open(self) -> bool:
        """Whether nothing is known of it yet."""
        return self.result is None and not self.void


class Pairing(Struct, frozen=True):
    """The players who meet at a table, in the order of their seats, and why; once the round is
    published, their matches so far. `lots` is who goes on where lots decide it, `basis` are the
    matches as they stood when the next round was published, or the stage closed: they decide who
    has gone on, and corrections since do not."""

    table: int
    players: tuple[int, ...]
    because: tuple[Because, ...] = ()
    matches: tuple[PlayedMatch, ...] = ()
    lots: int | None = None
    basis: tuple[PlayedMatch, ...] | None = None

    @property
    def deciding(self) -> tuple[PlayedMatch, ...]:
        """The matches that decide who goes on."""
        return self.matches if self.basis is None else self.basis


class Bye(Struct, frozen=True):
    """A player without a table in a round, and why (`because`)."""

    player: int
    kind: ByeKind
    because: tuple[Because, ...]


class PastRound(Struct, frozen=True):
    """A published round that stands."""

    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()


class Draft(Struct, frozen=True):
    """A round that could be published: who meets whom, who does not, and by which method."""

    method: str
    version: str
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()


class History(Struct, frozen=True):
    """What the next round and all places follow from: the settings, the entrants in order of
    entry, the rounds so far, the stage's order of lots once it is drawn, and the points that
    penalties take, by player number. Entrants who come from places stand in the order of these. The
    next round of a show has its `show`, and its own lots for the seats (`seat_lots`) once they are
    drawn."""

    stage: Stage
    entrants: tuple[Entrant, ...]
    rounds: tuple[PastRound, ...] = ()
    lots: tuple[int, ...] | None = None
    penalties: Mapping[str, int] = {}
    show: EpisodePlan | UnsetType = UNSET
    seat_lots: tuple[int, ...] | UnsetType = UNSET

    @property
    def players(self) -> tuple[int, ...]:
        """The entrants' numbers, in order of entry."""
        return tuple(entrant.player for entrant in self.entrants)

    @property
    def next_round(self) -> int:
        """The number of the round that would be drafted now."""
        return len(self.rounds) + 1


def inputs_of(history: History) -> str:
    """The SHA-256 of the canonical JSON of a history, in hexadecimal."""
    return sha256(msgspec.json.encode(history, order="sorted")).hexdigest()


def present(history: History) -> Sequence[Entrant]:
    """The entrants who can be paired in the next round, in order of entry."""
    return [entrant for entrant in history.entrants if entrant.presence == "here"]


def byes_beforehand(history: History) -> tuple[Bye, ...]:
    """The byes of the next round that do not depend on its pairings."""
    return tuple(
        Bye(entrant.player, "bye_asked", ("asked",))
        if entrant.presence == "asked"
        else Bye(entrant.player, "absent", ("not_checked_in",))
        for entrant in history.entrants
        if entrant.presence in ("asked", "absent")
    )


def order_by_lots(history: History) -> Mapping[int, int]:
    """The place of each entrant in the stage's order of lots, from 0; whoever entered after it was
    drawn stands behind it. Raises Refused if it is not drawn yet."""
    if history.lots is None:
        raise Refused("lots_not_drawn")
    late = [player for player in history.players if player not in history.lots]
    return {player: place for place, player in enumerate((*history.lots, *late))}


def seeded(history: History) -> Sequence[Entrant]:
    """The entrants, the best seed first. Those without a rating or a seed stand behind all who have
    one, equal ones in order of entry. Raises Refused if lots are needed and not drawn."""
    entrants = history.entrants
    match history.stage.seeding:
        case "rating":
            return sorted(
                entrants, key=lambda entrant: (entrant.rating is None, -(entrant.rating or 0))
            )
        case "seed":
            return sorted(entrants, key=lambda entrant: (entrant.seed is None, entrant.seed or 0))
        case "lots":
            place = order_by_lots(history)
            return sorted(entrants, key=lambda entrant: place[entrant.player])
        case "entry":
            return entrants
