"""People: who gave an input, and which names are one person's (RULINGS §2)."""

from msgspec import Struct

from domain.seats import spoken


class Actor(Struct, frozen=True):
    """Who directs a match: the name for which their key was issued, None for a key without one,
    and the id of that key, which says nothing about the key."""

    by: str | None
    key_id: str

    @property
    def person(self) -> str:
        """What is equal for all keys of one person: the name however spelt, or else the key."""
        return f"key {self.key_id}" if self.by is None else named_person(self.by)


def named_person(name: str) -> str:
    """What is equal for all spellings of a person's name."""
    return f"name {spoken(name)}"
