"""The reading of a match as one audience, by one key."""

from collections.abc import Callable
from uuid import UUID

from msgspec import Struct

from projections.disclosure import PUBLIC_VIEWER, Viewer, named
from service.application.evidence import is_open
from service.application.match_sessions import MatchSessions
from service.application.read_account import ReadAccount
from service.event_store.reads import Read

SEAT = "seat"


class KeyReader(Struct, frozen=True):
    """Who reads by a key: its random id, what it is for (`organiser`, `moderator` or `seat`), and
    the name of its person, None for a key without one."""

    key_id: str
    role: str
    name: str | None


class KeyReading:
    """Accounts for what a key is handed of a match. `now` is the time in microseconds."""

    def __init__(
        self,
        account: ReadAccount,
        sessions: MatchSessions,
        now: Callable[[], int],
        reader: KeyReader,
        match_id: UUID,
        viewer: Viewer,
    ) -> None:
        self._account = account
        self._sessions = sessions
        self._now = now
        self._reader = reader
        self._match_id = match_id
        self._viewer = viewer
        self._seq = 0
        self._noted_at: int | None = None

    @property
    def hidden(self) -> bool:
        """Whether the reader is handed what is hidden but for their role. A seat sees its own, and
        what everybody may read; a match that is not in memory counts as hidden."""
        if self._reader.role == SEAT or self._viewer == PUBLIC_VIEWER:
            return False
        loaded = self._sessions.loaded(self._match_id)
        return loaded is None or not is_open(loaded.match)

    async def add(self, seq: int) -> None:
        """Accounts for what is handed out up to the audience's number `seq`; before that is done,
        if it is hidden. Raises StoreUnavailable: then it must not be handed out."""
        await self._account.add(self._read(seq, hidden=self.hidden))

    def note(self, seq: int) -> None:
        """Accounts for what is not hidden, line by line: at little cost, as one read from the first
        line to when the account is next written."""
        # A repeated answer may have an earlier view than the lines before it.
        self._seq = max(self._seq, seq)
        if self._noted_at is None:
            self._noted_at = self._now()
            self._account.note_later(self._taken)

    def _taken(self) -> Read:
        """What was noted since it was last taken."""
        first, self._noted_at = self._noted_at, None
        return self._read(self._seq, first, hidden=False)

    def _read(self, seq: int, first: int | None = None, *, hidden: bool) -> Read:
        reader, now = self._reader, self._now()
        return Read(
            str(self._match_id),
            reader.key_id,
            named(self._viewer),
            hidden,
            reader.role,
            reader.name,
            seq,
            now if first is None else first,
            now,
        )
