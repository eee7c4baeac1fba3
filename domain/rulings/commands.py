"""The commands of rulings, and the codes of those that cannot be executed
(/docs/rulings#the-kinds)."""

from typing import Any

from msgspec import Struct

from domain.chance.draws import Part
from domain.events import Event, Instant, SeatEvent
from domain.match.events import ActionReceived
from domain.names import GOOD_NAME
from domain.people import Actor
from domain.rulings.kinds import AnyRuling

FORBIDDEN = {
    "moderator_plays": "A player does not rule in their own match, and a person who has ruled in "
    "a match takes no seat in it.",
    "own_ruling": "An appeal is decided by someone who neither made nor seconded the ruling, with "
    "a key that has a name.",
    "same_person": "A ruling is seconded by someone other than the person who made it, with a key "
    "in another name.",
    "key_not_renewed": "The key was issued by the person whose ruling this is about, who may "
    "still have it. Make it yours first: `POST /v1/keys/renew` with it, and rule with the new "
    "one.",
}
"""A sentence for every code of Conflict about who may not rule (403)."""

UNKNOWN = {
    "no_such_ruling": "There is no such ruling.",
    "no_such_seat": "The match has no such seat.",
    "no_such_case": "The match has no such case.",
}
"""A sentence for every code of Conflict about what there is not (404)."""

UNAVAILABLE = {
    "not_pending": "The ruling is not pending: it was carried out or withdrawn, it has expired, "
    "or the match is over.",
    "already_consented": "The seat has consented to this ruling before, or asks for it.",
    "consent_missing": "A seat asks for the ruling, and another one has not consented yet.",
    "proposal_open": "The seat asks for a ruling already, which is pending.",
    "no_deadline": "No deadline is in force, or none was when the match was paused; while it is "
    "paused a deadline can only be extended by seconds.",
    "match_not_ended": "The match has not ended: there is no result to confirm.",
    "result_final": "The match is over and its result is final.",
}
"""A sentence for every code of Conflict about the state of the match (409)."""

UNFIT = {
    "not_in_future": "The new deadline would not be later than now and than the one in force.",
    "too_late": "The new deadline would be later than the latest instant there is, in June 2255.",
    "cannot_replace": "A match can be replaced only by another one that is not void and has a "
    "player of this one; in a tournament once, by one with the same players that replaces no "
    "other.",
    "not_public": "A ruling cannot be about an event that some of its audience may not see.",
    "not_live": "The event has been undone, is the start of the match or comes before it, or is "
    "not an action that could be struck or admitted there.",
    "outcome_does_not_fit": "The outcome does not answer the parts of the draw, one by one.",
    "no_such_draw": "The match does not wait for this draw there, or its chance is not by hand.",
    "rule_of_service": "Only the service names that rule, for the forfeits that a stage leaves to "
    "it; at an open table nothing is ruled but what its seats ask for.",
    "not_admissible": "The rules do not let this action count there, or what follows from it "
    "would be visible to everyone.",
    "result_does_not_fit": "A result has a score for each seat, names each winner and loser once, "
    "and has no losers if it is shared.",
    "name_not_allowed": f"{GOOD_NAME} No other seat of the match has or had it, however it is "
    "written.",
}
"""A sentence for every code of Conflict about a ruling that does not fit the match (422)."""


class Input(Struct, frozen=True):
    """An input after the point where the match goes on, which the rewind undoes.

    `head` is the position of its first event, `of` that of `event`, which has its content: another
    one if the input was reapplied. `counted` is False for one that was refused or found invalid;
    `parts` are those of the draw that it answers.
    """

    head: int
    of: int
    event: Event
    counted: bool = True
    parts: tuple[Part, ...] = ()


class Past(Struct, frozen=True):
    """What a rewind looks back on, in a record of `length` events.

    `start` is the position of the first event of the batch that is named, `at` its instant; both
    are 0 where none is. `base` is the match (`match_state.Match`) as the rewind leaves it: folded
    from what is live without what is undone and struck. `inputs` are those that it undoes, `undone`
    the positions of all that it undoes. `alone`: nothing but refusals came after the batch, it told
    no seat anything alone, and it is no ruling that took two people or the seats' consent. `struck`
    and `admitted` are the actions that it names, by position and in order. `fault` is the code of
    why there is no such rewind; then nothing else holds.
    """

    length: int
    start: int = 0
    at: Instant = 0
    base: Any = None
    inputs: tuple[Input, ...] = ()
    undone: tuple[int, ...] = ()
    alone: bool = False
    struck: tuple[tuple[int, SeatEvent], ...] = ()
    admitted: tuple[tuple[int, ActionReceived], ...] = ()
    fault: str | None = None


class Rule(Struct, frozen=True):
    """A moderator or an organiser rules, or a seat asks for a ruling.

    `id` is random and was never used before. `reason` is a text, `rule` a rule of the game or of
    the event, `appeals` the id of a ruling carried out in this match, `case` that of the case that
    it closes. If it needs a second person it is pending afterwards; with `ask_seats` every seat is
    told, and their consent will do instead. What a seat asks for is one of `ASKABLE`, always with
    `ask_seats`, and is pending. `past` is what a rewind looks back on; it follows from
    the record.
    """

    id: str
    ruling: AnyRuling
    reason: str
    actor: Actor
    rule: str | None = None
    appeals: str | None = None
    case: str | None = None
    ask_seats: bool = False
    past: Past | None = None


class SecondRuling(Struct, frozen=True):
    """Another person carries out a pending ruling; of a rewind with its `past`."""

    id: str
    actor: Actor
    past: Past | None = None


class WithdrawRuling(Struct, frozen=True):
    """A moderator or an organiser gives up a pending ruling, or the seat that asks for it."""

    id: str
    actor: Actor


class LapseRuling(Struct, frozen=True):
    """The instant has come at which a pending ruling is given up (`rulings.due_lapse`)."""

    id: str


class ConsentToRuling(Struct, frozen=True):
    """A seat that was asked consents to a pending ruling; the last consent carries it out, of a
    rewind with its `past`."""

    id: str
    seat: int
    past: Past | None = None


RulingCommand = Rule | SecondRuling | WithdrawRuling | LapseRuling | ConsentToRuling
DirectedRuling = Rule | SecondRuling | WithdrawRuling
"""Those after the first event of which `match.directed.1` says who gave them."""
LooksBack = Rule | SecondRuling | ConsentToRuling
"""Those that may rewind, and then come with what they look back on."""
