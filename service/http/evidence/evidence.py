"""The evidence of a match and of a tournament: receipts, checkpoints and bundles."""

import asyncio
from bisect import bisect_right
from operator import attrgetter
from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct
from msgspec.json import encode

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience
from projections.fields import Next
from service.application.matches.commits import ANSWER_SECONDS
from service.application.tournaments.loaded_tournament import LoadedTournament
from service.event_store.errors import StoreUnavailable
from service.http.access.grants import found_grant, organises, player_by
from service.http.access.guards import (
    EVERYBODY,
    MODERATES,
    ONCE_IT_IS_OVER,
    PARTICIPANTS,
    READERS,
    Requires,
)
from service.http.description.routing import get, post, problems
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware.caching import POSITION, content_tag, unless_known
from service.http.middleware.disconnects import unless_gone
from service.http.requests.audiences import COUNTS_ONLY, audience_called, holder_of
from service.http.requests.dependencies import (
    As,
    MatchId,
    Sent,
    TheGrant,
    TheInstance,
    ThePage,
    TheTournament,
    TheViewer,
    TournamentRequest,
)
from service.http.requests.request_body import JSON
from service.http.requests.responses import (
    Answer,
    answer_header,
    json_bytes,
    private,
    private_headers,
)
from service.observability.work import EVENT_READ, spend
from service.signing.notary import Signed
from service.signing.receipts import Receipted, withheld

BUNDLE = "application/zip"


class ReceiptPage(Struct, frozen=True):
    """Some of the receipts."""

    receipts: list[Receipted]
    next: Next


class SignedCheckpoint(Struct, frozen=True):
    """The length of a log, the root of its tree, and the signed note of both."""

    size: Annotated[int, Meta(description="How many leaves the log has")]
    root: bytes
    note: Annotated[str, Meta(description="A signed note: C2SP tlog-checkpoint")]


class CreationNote(Struct, frozen=True):
    """How the record of a match begins, signed."""

    note: Annotated[
        str,
        Meta(
            description="The `note` that the creation was answered with: a signed note with the "
            "hashes of the creation and of the first commitment to the seed"
        ),
    ]


NOTE_ANSWERED = (
    answer_header("ETag", "Of the note"),
    answer_header("Cache-Control", "For how long anybody may keep it"),
)


class EvidenceController(Controller):
    """What proves a match to a stranger."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("evidence",)

    @get(
        "/note",
        summary="The signed note of the creation",
        guards=[EVERYBODY],
        response_headers=NOTE_ANSWERED,
        opt=problems(content={JSON: CreationNote}, conditional=True),
    )
    async def show_creation_note(
        self, request: AnyRequest, match_id: MatchId, instance: TheInstance
    ) -> ASGIResponse:
        """The same for everyone, from the creation on: whatever happens, its text never changes.
        Anyone who compares it with the commitment to the seed that they are shown, and with each
        receipt, notices if that was exchanged. A key that is rotated signs it anew."""
        beginning = (await instance.sessions.current(match_id)).beginning
        assert beginning is not None, "what is on record has begun"
        body = encode(CreationNote(instance.receipts.created(match_id, beginning)))
        tag = content_tag(body)
        return unless_known(request, tag, {"ETag": tag, "Cache-Control": POSITION}, body)

    @get(
        "/receipts",
        summary="The receipts of a seat, or for what was ordered",
        guards=[PARTICIPANTS],
    )
    async def list_receipts(
        self, sent: Sent, grant: TheGrant, page: ThePage
    ) -> Answer[ReceiptPage]:
        """Needs a seat's key, or that of the match's moderator or an organiser, which gets the
        receipts for what its holder has ordered. What opens their commitments is null in these, and
        where the seat must not be able to prove what it sent: in games of bluff until the end,
        under a closed record always."""
        instance, own = sent.instance, sent.own
        loaded, projection = await instance.sessions.projection(sent.id, own, receipts=True)
        seat = isinstance(own, int)
        noted = loaded.noted(own if seat else holder_of(grant).person)
        # A seat counts its own events, who orders their orders.
        start = bisect_right(noted, page.after, key=attrgetter("count")) if seat else page.after
        inputs = noted[start : start + page.limit]
        more = start + page.limit < len(noted)
        following = (inputs[-1].count if seat else page.end) if more else None
        opened = None
        if seat and not withheld(loaded.game, loaded.match):
            opened = projection.own_rows()
        receipts = await instance.receipts.list_receipts(
            sent.id, inputs, loaded.secrets.log_key, opened
        )
        await sent.account(own, projection.seq if seat else COUNTS_ONLY)
        return private(ReceiptPage(receipts, following))

    @post("/checkpoints", summary="Sign how long the log is, and its root", guards=[MODERATES])
    async def sign_checkpoint(self, sent: Sent) -> Answer[SignedCheckpoint]:
        """Needs the moderator's key: the length of a log counts hidden events. Keep the answer:
        no one can then change what lies before it without being found out."""
        spend(EVENT_READ, (await sent.instance.sessions.cached(sent.id)).length)
        # It goes on: what has been signed is on record before anyone is shown it.
        signing = asyncio.shield(sent.instance.notary.checkpoint(sent.id))
        try:
            checkpoint = await asyncio.wait_for(signing, ANSWER_SECONDS)
        except TimeoutError:
            raise StoreUnavailable from None
        await sent.account(sent.own, COUNTS_ONLY)
        return signed_checkpoint(checkpoint, 201)

    @get("/checkpoint", summary="The checkpoint of a match that is over", guards=[ONCE_IT_IS_OVER])
    async def show_checkpoint(self, sent: Sent) -> Answer[SignedCheckpoint]:
        """As soon as a match is over anyone may keep it; before that only its moderators."""
        checkpoint = await unless_gone(sent.request, sent.instance.evidence.checkpoint(sent.id))
        answer = signed_checkpoint(checkpoint, 200)
        await sent.account_evidence(PUBLIC_VIEWER)
        return answer

    @get(
        "/bundle",
        summary="All that proves a match to a stranger",
        response_description="The bundle",
        guards=[ONCE_IT_IS_OVER],
        opt=problems(content={BUNDLE: bytes}),
    )
    async def export_match(self, sent: Sent, viewer: TheViewer) -> ASGIResponse:
        """A `.arb` file for `arbiter verify`: `public`, `seat:N`, or `moderator`, which shows all.
        As soon as a match is over; before that its moderators alone may have it. If too many are
        being built, the answer is 503: try again after the seconds in `Retry-After`."""
        bundle = await unless_gone(sent.request, sent.instance.evidence.bundle(sent.id, viewer))
        answer = _bundle_answer(sent.id, viewer, bundle)
        await sent.account_evidence(viewer)
        return answer


def signed_checkpoint(signed_log: Signed | None, status: int) -> Answer[SignedCheckpoint]:
    """A checkpoint as it is sent. Raises Failed without one."""
    if signed_log is None:
        raise Failed("try_again")
    checkpoint = SignedCheckpoint(
        signed_log.checkpoint.size, signed_log.checkpoint.root, signed_log.note
    )
    return Answer(checkpoint, status, private_headers())


def _bundle_answer(subject: UUID, viewer: Viewer, bundle: bytes | None) -> ASGIResponse:
    """A bundle as it is sent. Raises Failed without one."""
    if bundle is None:
        raise Failed("try_again")
    name = f"{subject}.{name_audience(viewer).replace(':', '')}.arb"
    headers = {**private_headers(), "Content-Disposition": f'attachment; filename="{name}"'}
    return json_bytes(bundle, 200, headers, BUNDLE)


class TournamentEvidenceController(Controller):
    """What proves a tournament to a stranger."""

    path = "/v1/tournaments/{tournament_id:uuid}"
    tags = ("evidence",)

    @get(
        "/bundle",
        summary="All that proves a tournament to a stranger",
        response_description="The bundle",
        guards=[READERS],
        opt=problems(
            "bad_audience not_allowed no_such_player tournament_not_closed record_altered",
            content={BUNDLE: bytes},
        ),
    )
    async def export_tournament(self, tournament: TheTournament, as_: As = None) -> ASGIResponse:
        """A `.arb` file for `arbiter verify`, with the public bundles of its matches: `public`,
        `seat:N` for player N, or `moderator`, which shows all, to organisers. As soon as the
        tournament is closed; before that organisers alone may have it. If too many are being built,
        the answer is 503: try again after the seconds in `Retry-After`."""
        loaded, viewer = await _reader(tournament, as_)
        building = tournament.instance.evidence.tournament_bundle(tournament.id, loaded, viewer)
        bundle = await unless_gone(tournament.request, building)
        return _bundle_answer(tournament.id, viewer, bundle)

    @get(
        "/checkpoint",
        summary="The checkpoint of a tournament that is closed",
        guards=[READERS],
        opt=problems("tournament_not_closed record_altered"),
    )
    async def show_tournament_checkpoint(
        self, tournament: TheTournament
    ) -> Answer[SignedCheckpoint]:
        """Of its log up to the last public event. As soon as the tournament is closed anyone may
        keep it; before that organisers alone: the length of a log counts hidden events."""
        loaded, _ = await _reader(tournament, None)
        signing = tournament.instance.evidence.tournament_checkpoint(tournament.id, loaded)
        checkpoint = await unless_gone(tournament.request, signing)
        return signed_checkpoint(checkpoint, 200)

    @get(
        "/receipts",
        summary="The receipts of a player of a tournament",
        guards=[Requires("player")],
        opt=problems("record_altered"),
    )
    async def list_player_receipts(
        self, tournament: TheTournament, page: ThePage
    ) -> Answer[ReceiptPage]:
        """Needs a player's key. A receipt for each public event that names the player and follows
        from a request: the entry, a check-in, a bye, what was added to the lots, a withdrawal.
        Keep them: none of these, and nothing that the player had been told by then, can be changed
        without being found out."""
        evidence, player = tournament.instance.evidence, await tournament.player()
        loaded = await tournament.instance.tournaments.current(tournament.id)
        part = slice(page.after, page.end)
        receipts, count = await evidence.receipts(tournament.id, loaded, player, part)
        return private(ReceiptPage(receipts, page.next(count)))


async def _reader(
    tournament: TournamentRequest, name: str | None
) -> tuple[LoadedTournament, Viewer]:
    """A tournament, and the audience as which evidence of it is asked for: the one that is named,
    or else the key's own: its organisers see all of it, its players what is theirs. Raises
    Failed."""
    loaded = await tournament.instance.tournaments.current(tournament.id)
    own: Viewer = PUBLIC_VIEWER
    if (grant := found_grant(tournament.request)) is not None:
        player = player_by(grant, tournament.id, loaded.state)
        own = PUBLIC_VIEWER if player is None else player
        if await organises(tournament.instance, grant, tournament.id):
            own = MODERATOR
    audience_ = own if name is None else audience_called(name)
    if not loaded.over and own != MODERATOR:
        raise Failed("tournament_not_closed")
    if own not in (MODERATOR, audience_) and audience_ != PUBLIC_VIEWER:
        raise Failed("not_allowed")
    if isinstance(audience_, int) and audience_ >= len(loaded.state.players):
        raise Failed("no_such_player")
    return loaded, audience_
