"""What happens to the staff of a tournament after their appointment. The tags are the storage
format."""

from domain.events import PublicEvent, SealedEvent


class OrganiserAppointed(SealedEvent, frozen=True, tag="tournament.organiser-appointed.1"):
    """One more organiser of this tournament, and of no other."""

    organiser: int
    name: str


class OrganiserRemoved(SealedEvent, frozen=True, tag="tournament.organiser-removed.1"):
    """An organiser who was appointed is none any more."""

    organiser: int


class ModeratorRemoved(PublicEvent, frozen=True, tag="tournament.moderator-removed.1"):
    """Someone is no moderator of the tournament any more."""

    moderator: int


class MatchTaken(PublicEvent, frozen=True, tag="tournament.match-taken.1"):
    """A moderator of the tournament moderates this match no more."""

    match: str
    moderator: int


StaffEvent = OrganiserAppointed | OrganiserRemoved | ModeratorRemoved | MatchTaken
