"""Evidence for readers: bundles and checkpoints of matches and tournaments, built for each request.

How long an answer waits, and whether there are too many, depends on public facts alone for what
everyone may have: it has a queue of its own.
"""

from collections import Counter
from collections.abc import Coroutine
from typing import Any, Literal, TypeVar
from uuid import UUID

from domain.match.state import Match
from domain.proof.commitments import NO_SALT
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from service.application.matches.match_sessions import MatchSessions
from service.application.tournaments.loaded_tournament import LoadedTournament
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_PROVEN, EVENT_READ, RECEIPT_SIGNED, spend
from service.signing.notary import Notary, Signed
from service.signing.receipts import Receipted
from service.signing.signing_keys import ServiceSigner

BYTES_OF_EVENT = 512
"""By so many bytes of a tournament's bundle an event that is proven is counted."""

MOST_BUILDS = 32
"""Maximum builds of a kind that are under way or wait; further requests are answered 503."""

T = TypeVar("T")

Kind = Literal["bundle", "checkpoint", "tournament"]


class BuildsFull(Exception):
    """Too many builds wait: the request may be sent again later."""


class Evidence:
    """Makes bundles and checkpoints. The caller has checked that the reader may have them."""

    def __init__(self, sessions: MatchSessions, notary: Notary, signer: ServiceSigner) -> None:
        self._sessions = sessions
        self._notary = notary
        self._signer = signer
        self.builds: Counter[tuple[Kind, bool]] = Counter()
        """How many builds of each kind are under way or wait, public ones and others."""

    async def bundle(self, match_id: UUID, viewer: Viewer) -> bytes:
        """The bundle of a match for an audience. Raises BuildsFull, UnknownMatch, RecordAltered or
        StoreUnavailable."""
        public = await self._is_public(match_id, viewer)
        build = self._notary.bundle(match_id, viewer, public=public)
        return await self._build("bundle", build, public=public)

    async def checkpoint(self, match_id: UUID) -> Signed:
        """The checkpoint of a match; of a running one, for its moderators. Raises the same
        errors."""
        public = await self._is_public(match_id, PUBLIC_VIEWER)
        build = self._notary.checkpoint(match_id, public=public)
        return await self._build("checkpoint", build, public=public)

    async def tournament_bundle(
        self, tournament_id: UUID, loaded: LoadedTournament, viewer: Viewer
    ) -> bytes:
        """The bundle of a tournament for an audience. Raises the same errors."""
        public = viewer == PUBLIC_VIEWER and loaded.over
        build = self._notary.bundle(tournament_id, viewer, public=public)
        bundle = await self._build("tournament", build, public=public)
        spend(EVENT_PROVEN, len(bundle) // BYTES_OF_EVENT)
        return bundle

    async def tournament_checkpoint(self, tournament_id: UUID, loaded: LoadedTournament) -> Signed:
        """The checkpoint of a tournament. Raises the same errors."""
        spend(EVENT_PROVEN, loaded.length)
        build = self._notary.checkpoint(tournament_id, public=loaded.over)
        return await self._build("checkpoint", build, public=loaded.over)

    async def receipts(
        self, tournament_id: UUID, loaded: LoadedTournament, player: int, part: slice
    ) -> tuple[list[Receipted], int]:
        """Some receipts of a player of a tournament, and how many there are. Raises the same
        errors."""
        spend(EVENT_READ, loaded.length)
        log = await in_store_thread(self._notary.read, tournament_id)
        inputs = await in_store_thread(log.inputs, player)
        spend(RECEIPT_SIGNED, len(inputs[part]))
        receipts = [
            Receipted(self._signer.receipt(log.receipt(input_)), NO_SALT, log.states[input_.index])
            for input_ in inputs[part]
        ]
        return receipts, len(inputs)

    async def _is_public(self, match_id: UUID, viewer: Viewer) -> bool:
        """Whether everyone may have what is built of a match for this audience. Each event of it is
        proven: the requests that may have it may know how many there are."""
        loaded = await self._sessions.current(match_id)
        spend(EVENT_PROVEN, loaded.length)
        return loaded.match.over and (viewer == PUBLIC_VIEWER or is_open(loaded.match))

    async def _build(self, kind: Kind, build: Coroutine[Any, Any, T], *, public: bool) -> T:
        """What is built, unless too many builds wait. It is not begun if the request is given up
        before its turn."""
        queue = kind, public
        if self.builds[queue] >= MOST_BUILDS:
            build.close()
            raise BuildsFull
        self.builds[queue] += 1
        try:
            return await build
        finally:
            self.builds[queue] -= 1


def is_open(match: Match) -> bool:
    """Whether anyone may read everything: the match is over and its record is not closed."""
    return match.over and match.created.record == "opened_at_end"
