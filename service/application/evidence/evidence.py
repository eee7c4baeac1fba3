"""Evidence for readers: bundles and checkpoints of matches and tournaments, each built once for all
requests.

Whether an answer comes from memory, how long it waits, and whether the queue is full depend on
public facts alone for what everyone may have: only that is kept, and it has a queue of its own.
What a moderator or a seat alone may have is built for each request; requests at the same time share
a build.
"""

from functools import partial
from uuid import UUID

from domain.match.state import Match
from domain.proof.commitments import NO_SALT
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from service.application.evidence.shared_builds import SharedBuilds, WantedBuild
from service.application.matches.match_sessions import MatchSessions
from service.application.tournaments.tournament_service import LoadedTournament
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_PROVEN, EVENT_READ, RECEIPT_SIGNED, spend
from service.signing.notary import Notary, Signed
from service.signing.receipts import Receipted
from service.signing.signing_keys import ServiceSigner

KEPT_BYTES = 64 * 1024 * 1024
"""Maximum bytes of bundles in memory; a larger bundle is built for each request."""

KEPT_CHECKPOINTS = 4_096

BYTES_OF_EVENT = 512
"""By so many bytes of a tournament's bundle an event that is proven is counted."""

MOST_QUEUED = 32
"""Maximum builds that wait for their turn; further requests are answered 503."""


class Evidence:
    """Makes bundles and checkpoints. The caller has checked that the reader may have them."""

    def __init__(self, sessions: MatchSessions, notary: Notary, signer: ServiceSigner) -> None:
        self._sessions = sessions
        self._notary = notary
        self._signer = signer
        self._public_bundles = SharedBuilds[bytes](MOST_QUEUED, KEPT_BYTES, len)
        self._other_bundles = SharedBuilds[bytes](MOST_QUEUED, 0, len)
        self._tournaments = {
            public: SharedBuilds[bytes](MOST_QUEUED, KEPT_BYTES if public else 0, len)
            for public in (False, True)
        }
        self._checkpoints = SharedBuilds[Signed](MOST_QUEUED, KEPT_CHECKPOINTS, lambda _: 1)

    async def bundle(self, match_id: UUID, viewer: Viewer) -> bytes:
        """The bundle of a match for an audience. Raises BuildsFull, UnknownMatch, RecordAltered or
        StoreUnavailable."""
        wanted = await self._wanted(match_id, viewer, EVENT_PROVEN)
        builds = self._public_bundles if wanted.public else self._other_bundles
        build = partial(self._notary.bundle, match_id, viewer, public=wanted.public)
        return await builds.result(wanted, build)

    async def checkpoint(self, match_id: UUID) -> Signed:
        """The checkpoint of a match; of a running one, for its moderators. Raises the same
        errors."""
        wanted = await self._wanted(match_id, PUBLIC_VIEWER, EVENT_READ)
        if not wanted.public:
            return await self._notary.checkpoint(match_id)
        build = partial(self._notary.checkpoint, match_id, public=True)
        return await self._checkpoints.result(wanted, build)

    async def tournament_bundle(
        self, tournament_id: UUID, loaded: LoadedTournament, viewer: Viewer
    ) -> bytes:
        """The bundle of a tournament for an audience. Raises the same errors."""
        public = viewer == PUBLIC_VIEWER and loaded.over
        # All that it depends on: the log up to the last public event, the names in it that are
        # withheld, and the keys that sign it.
        lines, keys = loaded.public, self._signer.current
        version = (lines.seq, lines.withheld, keys) if public else None
        wanted = WantedBuild((tournament_id, viewer), version, public)
        build = partial(self._notary.bundle, tournament_id, viewer, public=public)
        bundle = await self._tournaments[public].result(wanted, build)
        spend(EVENT_PROVEN, len(bundle) // BYTES_OF_EVENT)
        return bundle

    async def tournament_checkpoint(self, tournament_id: UUID, loaded: LoadedTournament) -> Signed:
        """The checkpoint of a tournament. Raises the same errors."""
        spend(EVENT_READ, loaded.length)
        if not loaded.over:
            return await self._notary.checkpoint(tournament_id)
        version = loaded.public.seq, self._signer.current
        wanted = WantedBuild((tournament_id, PUBLIC_VIEWER), version, public=True)
        build = partial(self._notary.checkpoint, tournament_id, public=True)
        return await self._checkpoints.result(wanted, build)

    async def receipts(
        self, tournament_id: UUID, loaded: LoadedTournament, player: int, wanted: slice
    ) -> tuple[list[Receipted], int]:
        """Some receipts of a player of a tournament, and how many there are. Raises the same
        errors."""
        spend(EVENT_READ, loaded.length)
        log = await in_store_thread(self._notary.read, tournament_id)
        inputs = await in_store_thread(log.inputs, player)
        spend(RECEIPT_SIGNED, len(inputs[wanted]))
        signed = [
            Receipted(self._signer.receipt(log.receipt(one)), NO_SALT, log.states[one.index])
            for one in inputs[wanted]
        ]
        return signed, len(inputs)

    def stop(self) -> None:
        """Cancels every build."""
        for builds in (self._public_bundles, self._other_bundles, *self._tournaments.values()):
            builds.stop()
        self._checkpoints.stop()

    async def _wanted(self, match_id: UUID, viewer: Viewer, price: int) -> WantedBuild:
        """What is to be built, which costs this price an event, in memory or not: the requests that
        may have it may know how many there are.

        While a match is running, or the log of one that is over is not signed yet, what is built
        has no version: hidden events may come and change it."""
        loaded, projection = await self._sessions.projection(match_id, viewer)
        spend(price, loaded.length)
        over = loaded.match.over
        public = over and (viewer == PUBLIC_VIEWER or is_open(loaded.match))
        signed = await in_store_thread(self._notary.last, match_id) if over else None
        if signed is None or not signed.over:
            return WantedBuild((match_id, viewer), None, public)
        # All that it depends on: its audience's events and the names in them that are withheld, the
        # checkpoint, and the keys that sign it.
        version = projection.state.seq, projection.withheld, signed, self._signer.current
        return WantedBuild((match_id, viewer), version, public)


def is_open(match: Match) -> bool:
    """Whether anyone may read everything: the match is over and its record is not closed."""
    return match.over and match.created.record == "opened_at_end"
