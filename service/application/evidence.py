"""Evidence for readers: bundles and checkpoints of matches, built once for all who want the same.

What is kept in memory, and found there, depends on public facts alone: only what everybody may have
is kept, and only requests for such things move it out of the way. What a moderator or a seat alone
may have is built for each request; requests at the same time share a build.
"""

from functools import partial
from typing import NamedTuple
from uuid import UUID

from domain.log_events import CheckpointSigned
from domain.match_state import Match
from domain.notes import VerifierKey
from projections.disclosure import PUBLIC_VIEWER, Viewer
from service.application.match_sessions import MatchSessions
from service.application.shared_builds import SharedBuilds, Wanted
from service.event_store.store_threads import in_store_thread
from service.signing.notary import Notary, Signed
from service.signing.signing_keys import ServiceSigner

KEPT_BYTES = 64 * 1024 * 1024
"""Maximum bytes of bundles in memory; a larger bundle is built for each request."""

KEPT_CHECKPOINTS = 4_096

MOST_QUEUED = 32
"""Maximum builds that wait for their turn; further requests are answered 503."""

OVER = ("ended", "void")


class _Version(NamedTuple):
    """What a bundle of a match that is over depends on: all its audience's events, the public
    checkpoint, and the keys that sign it."""

    seq: int
    signed: CheckpointSigned
    keys: tuple[VerifierKey, ...]


class Evidence:
    """Bundles and checkpoints for whoever may have them, which the caller has checked."""

    def __init__(self, sessions: MatchSessions, notary: Notary, signer: ServiceSigner) -> None:
        self._sessions = sessions
        self._notary = notary
        self._signer = signer
        self._bundles: SharedBuilds[bytes] = SharedBuilds(MOST_QUEUED, KEPT_BYTES, len)
        self._checkpoints: SharedBuilds[Signed] = SharedBuilds(
            MOST_QUEUED, KEPT_CHECKPOINTS, lambda _: 1
        )

    @property
    def queued_bundles(self) -> int:
        """The number of bundles that wait to be built."""
        return self._bundles.queued

    async def bundle(self, match_id: UUID, viewer: Viewer) -> bytes:
        """The bundle of a match for an audience. Raises BuildsFull, UnknownMatch, RecordAltered or
        StoreUnavailable."""
        match = (await self._sessions.cached(match_id)).match
        public = viewer == PUBLIC_VIEWER or is_open(match)
        wanted = await self._wanted(match_id, viewer, public=public)
        return await self._bundles.result(wanted, partial(self._notary.bundle, match_id, viewer))

    async def checkpoint(self, match_id: UUID) -> Signed:
        """The checkpoint of a match that is over. Raises the same errors."""
        wanted = await self._wanted(match_id, PUBLIC_VIEWER, public=True)
        build = partial(self._notary.public_checkpoint, match_id)
        return await self._checkpoints.result(wanted, build)

    def stop(self) -> None:
        """Cancels every build."""
        self._bundles.stop()
        self._checkpoints.stop()

    async def _wanted(self, match_id: UUID, viewer: Viewer, *, public: bool) -> Wanted:
        """While a match is running, or the log of one that is over is not signed yet, nothing is
        kept: hidden events may come, and change what a bundle is."""
        loaded, projection = await self._sessions.projection(match_id, viewer)
        if loaded.match.status not in OVER:
            return Wanted((match_id, viewer), None, kept=False)
        signed = await in_store_thread(self._notary.last, match_id)
        if signed is None or not signed.over:
            return Wanted((match_id, viewer), None, kept=False)
        version = _Version(projection.state.seq, signed, self._signer.current)
        return Wanted((match_id, viewer), version, kept=public)


def is_open(match: Match) -> bool:
    """Whether anyone may read everything: the match is over and its record is not closed."""
    return match.status == "ended" and match.created.record == "opened_at_end"
