"""The rulings that audiences see, folded once: a later look reads what came since."""

import asyncio
from collections import OrderedDict
from functools import partial
from uuid import UUID

from projections.audience.disclosure import Viewer
from projections.rulings.match_rulings import RulingShown, RulingsSeen
from service.application.matches.match_sessions import MatchSessions
from service.observability.work import EVENT_READ, spend

MOST_RULINGS, MOST_LISTS = 5_000, 200
"""Maximum rulings in memory, and lists of them; those that were looked at last are kept."""


class _Folded:
    """The list of an audience after its first `seq` events, the last of which has `checksum`, and
    so many of which are `withheld`. One at a time folds what follows."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.begin()

    def begin(self, withheld: int = 0) -> None:
        """Begins anew. A thread that still folds the old list does not change this one."""
        self.rulings, self.seq, self.checksum, self.withheld = RulingsSeen(), 0, 0, withheld


class RulingLists:
    """Reads the rulings of matches. Nothing is decided by what is in memory: a list that does not
    end where the record has the same event is read anew."""

    def __init__(self, sessions: MatchSessions) -> None:
        self._sessions = sessions
        self._lists: OrderedDict[tuple[UUID, Viewer], _Folded] = OrderedDict()

    async def list_rulings(self, match_id: UUID, viewer: Viewer) -> list[RulingShown]:
        """The rulings that an audience sees. Raises UnknownMatch."""
        return list((await self._read_list(match_id, viewer)).rulings)

    async def find(self, match_id: UUID, viewer: Viewer, ruling: str) -> RulingShown | None:
        """The ruling of this id as an audience sees it. Raises UnknownMatch."""
        rulings = await self._read_list(match_id, viewer)
        place = rulings.place(ruling)
        return None if place is None else rulings.rulings[place]

    async def _read_list(self, match_id: UUID, viewer: Viewer) -> RulingsSeen:
        """The list with everything on record when this was called. It is to be read before anyone
        else can fold it."""
        await self._sessions.cached(match_id)
        folded_list = self._use((match_id, viewer))
        async with folded_list.turn:
            try:
                return await self._follow(match_id, viewer, folded_list)
            except BaseException:
                folded_list.begin()
                raise

    async def _follow(self, match_id: UUID, viewer: Viewer, folded_list: _Folded) -> RulingsSeen:
        _, projection = await self._sessions.projection(match_id, viewer)
        seq = projection.seq
        spend(EVENT_READ, seq)
        is_beginning = (
            folded_list.seq <= seq and projection.checksum(folded_list.seq) == folded_list.checksum
        )
        if not is_beginning or folded_list.withheld != projection.withheld:
            folded_list.begin(projection.withheld)
        if folded_list.seq < seq:
            rows = projection.own_rows(folded_list.seq, seq)
            folded_list.rulings.own = projection.own
            add = partial(folded_list.rulings.add, rows.positions)
            await self._sessions.read_own(match_id, rows, add)
            folded_list.seq, folded_list.checksum = seq, rows.checksums[-1]
        return folded_list.rulings

    def _use(self, key: tuple[UUID, Viewer]) -> _Folded:
        """The list under this key, as the last one used; others make room."""
        folded_list = self._lists.setdefault(key, _Folded())
        self._lists.move_to_end(key)
        rulings = sum(len(other.rulings.rulings) for other in self._lists.values())
        while len(self._lists) > 1 and (rulings > MOST_RULINGS or len(self._lists) > MOST_LISTS):
            _, oldest = self._lists.popitem(last=False)
            rulings -= len(oldest.rulings.rulings)
        return folded_list
