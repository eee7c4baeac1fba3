"""What is on record of the keys to a match: which were issued and ended while it was played
(/docs/api#people-and-keys). The tags are the storage format.

The keys with which a match is created are not on record. A key is named by its id, which says
nothing about the key itself.
"""

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.events import SealedEvent, SeatEvent


class SeatKeyIssued(SeatEvent, frozen=True, tag="match.key-issued.1"):
    """One more key opens the seat. `renews` is the key that its holder has ended by it."""

    key_id: str
    renews: str | UnsetType = UNSET


class SeatKeyEnded(SeatEvent, frozen=True, tag="match.key-ended.1"):
    """A key of the seat opens nothing any more."""

    key_id: str


class ModeratorKeyIssued(SealedEvent, frozen=True, tag="match.moderator-key-issued.1"):
    """One more moderator: `name` is the person for whom the key was issued, None for a key
    without a name. `renews` is the key that its holder has ended by it."""

    key_id: str
    name: str | None
    renews: str | UnsetType = UNSET


class ModeratorKeyEnded(SealedEvent, frozen=True, tag="match.moderator-key-ended.1"):
    """A moderator's key opens nothing any more."""

    key_id: str


KeyEvent = SeatKeyIssued | SeatKeyEnded | ModeratorKeyIssued | ModeratorKeyEnded
ENDED = (SeatKeyEnded, ModeratorKeyEnded)


class RecordedKeys(Struct, frozen=True, array_like=True):
    """The ids of the keys that are on record as issued, and as ended; and the names for which
    moderators' keys were issued."""

    issued: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    moderators: tuple[str, ...] = ()

    def after(self, event: KeyEvent) -> "RecordedKeys":
        """The same with the key of one more event."""
        if isinstance(event, ENDED):
            return replace(self, ended=(*self.ended, event.key_id))
        name = event.name if isinstance(event, ModeratorKeyIssued) else None
        moderators = self.moderators if name is None else (*self.moderators, name)
        ended = self.ended if isinstance(event.renews, UnsetType) else (*self.ended, event.renews)
        return RecordedKeys((*self.issued, event.key_id), ended, moderators)
