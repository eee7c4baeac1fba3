"""The commands about cases that concern the match, and the codes of what cannot be done in a case
(/docs/cases)."""

from msgspec import Struct

from domain.people import Actor

NO_SUCH = {"no_such_case": "The match has no such case."}
"""A sentence for every code of Conflict about what there is not (404)."""

UNAVAILABLE = {
    "case_closed": "The case is closed.",
    "case_open": "The case is open: there is nothing to appeal against.",
    "already_appealed": "A case is appealed once, and this one was.",
    "appeal_too_late": "The time in which the case could be appealed is over.",
}
"""A sentence for every code of Conflict about the state of a case (409)."""


class OpenCase(Struct, frozen=True):
    """A case is opened, or open again because it was appealed: by a moderator or an organiser, or,
    without an `actor`, by a seat."""

    case: str
    actor: Actor | None = None


class CloseCase(Struct, frozen=True):
    """A moderator or an organiser closes a case by a note in it."""

    case: str
    actor: Actor


CaseCommand = OpenCase | CloseCase
