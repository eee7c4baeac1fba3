"""The matches in memory: those that were used last, as far as there is room."""

from collections.abc import Iterator
from uuid import UUID

from service.door.open_match import OpenMatch


class Held:
    """The latest used matches. What each takes is estimated, and counted when it is used: all
    together take `room` bytes, but for those that are at work."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._matches: dict[UUID, OpenMatch] = {}
        self.taken = 0

    def __len__(self) -> int:
        return len(self._matches)

    def __iter__(self) -> Iterator[OpenMatch]:
        return iter(self._matches.values())

    def find(self, match_id: UUID) -> OpenMatch | None:
        """The match, if it is here; it is not used by that."""
        return self._matches.get(match_id)

    def use(self, match_id: UUID) -> OpenMatch:
        """The match, from now on the last to go; an empty place if it was not here."""
        opened = self._matches.pop(match_id, None) or OpenMatch(match_id)
        self._matches[match_id] = opened
        self.weigh(opened)
        return opened

    def weigh(self, opened: OpenMatch) -> None:
        """Counts what a match takes by now; if that is too much, others go."""
        if self._matches.get(opened.id) is not opened:
            return
        weight = opened.weight
        self.taken += weight - opened.weighed
        opened.weighed = weight
        if self.taken > self._room:
            self._make_room(opened)

    def drop(self, match_id: UUID) -> None:
        """Forgets the match. Whoever is at work on it goes on with what they have."""
        opened = self._matches.pop(match_id, None)
        if opened is not None:
            self.taken -= opened.weighed

    def _make_room(self, staying: OpenMatch) -> None:
        """Those go that were not used for longest; not those at work, nor the one that stays."""
        excess, going = self.taken - self._room, []
        for opened in self._matches.values():
            if excess <= 0:
                break
            if opened.idle and opened is not staying:
                going.append(opened.id)
                excess -= opened.weighed
        for match_id in going:
            self.drop(match_id)
