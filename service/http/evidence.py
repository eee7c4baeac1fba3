"""What proves a match: its keys, receipts, checkpoints and bundles."""

from typing import Annotated
from uuid import UUID

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from projections.disclosure import named
from service.http.access import audience, existing, known, moderating, seated
from service.http.problems import AnyRequest
from service.http.reading import nothing_more
from service.http.responses import json, json_bytes, only, raises, returns
from service.http.views import LAST, As
from service.proof.notary import Signed
from service.proof.receipts import Receipted, withheld
from service.proof.signing import PublishedKey
from service.storage.reading import from_store
from service.stores import Stores

MOST_RECEIPTS = 1_000
BUNDLE = "application/zip"
OWN = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
READING_LOG = (
    "key_missing", "key_unknown", "not_allowed", "no_such_match", "record_altered", "try_again",
)  # fmt: skip


class KeyList(Struct, frozen=True):
    """Every key with which this service has ever signed. Keep them yourself: keys that come from
    whoever is to be checked prove nothing."""

    keys: list[PublishedKey]


class ReceiptPage(Struct, frozen=True):
    """Some of a seat's receipts; `next` is the `after` of the page that follows, if any."""

    receipts: list[Receipted]
    next: int | None


class SignedCheckpoint(Struct, frozen=True):
    """How long the log of a match is, the root of its tree, and the note that is signed of it."""

    size: int
    root: bytes
    note: Annotated[str, Meta(description="A signed note: C2SP tlog-checkpoint")]


def routes(stores: Stores) -> list[HTTPRouteHandler]:
    """The routes of evidence."""

    @get(
        "/v1/keys",
        operation_id="listSigningKeys",
        summary="The public keys with which this service signs",
        tags=["evidence"],
        responses=raises("try_again"),
    )
    async def list_keys() -> KeyList:
        """Old ones too: what they have signed can be checked for ever."""
        return KeyList(await from_store(stores.some.signing.published))

    @get(
        "/v1/matches/{match_id:uuid}/receipts",
        operation_id="listReceipts",
        summary="The seat's receipts",
        tags=["evidence"],
        responses={
            **returns(200, ReceiptPage),
            **raises(
                "bad_request", "key_missing", "key_unknown", "not_allowed", "no_such_match",
                "try_again",
            ),
        },
    )  # fmt: skip
    async def list_receipts(
        request: AnyRequest,
        match_id: FromPath[UUID],
        after: Annotated[
            int, QueryParameter(ge=0, le=LAST, description="Behind this number of the seat's own")
        ] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=MOST_RECEIPTS)] = 100,
    ) -> ASGIResponse:
        """Needs a seat's key. What opens their commitments is null where the seat must not be able
        to prove what it sent: in games of bluff until the end, under a closed record always."""
        arbiter = await stores.of(match_id)
        only(request, "after", "limit")
        seat = await seated(arbiter, request, match_id)
        opened = await arbiter.open_matches.opened(match_id)
        assert opened.game is not None and opened.match is not None
        sealed = withheld(opened.game, opened.match)
        found, more = await arbiter.receipts.listed(match_id, seat, after, limit, sealed=sealed)
        return json(ReceiptPage(found, more), 200, OWN)

    @post(
        "/v1/matches/{match_id:uuid}/checkpoints",
        operation_id="signCheckpoint",
        summary="Sign how long the log is, and its root",
        tags=["evidence"],
        responses={
            **returns(201, SignedCheckpoint),
            **raises(*READING_LOG, "wrong_shape"),
        },
    )
    async def sign_checkpoint(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """Needs the moderator's key: how long a log is counts hidden events. Keep the answer, and
        nobody can change what lies before it without being found out."""
        arbiter = await stores.of(match_id)
        await moderating(arbiter, request, match_id)
        await nothing_more(request)
        return _signed(await arbiter.notary.checkpoint(match_id), 201)

    @get(
        "/v1/matches/{match_id:uuid}/checkpoint",
        operation_id="showCheckpoint",
        summary="The checkpoint of a match that is over",
        tags=["evidence"],
        responses={**returns(200, SignedCheckpoint), **raises(*READING_LOG)},
    )
    async def show_checkpoint(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """As soon as a match is over anybody may keep it; before that only its moderators."""
        arbiter = await stores.of(match_id)
        await _check_over(request, match_id)
        return _signed(await arbiter.notary.checkpoint(match_id), 200)

    @get(
        "/v1/matches/{match_id:uuid}/bundle",
        operation_id="exportMatch",
        summary="All that proves a match to a stranger",
        tags=["evidence"],
        responses={
            200: ResponseSpec(bytes, generate_examples=False, description="", media_type=BUNDLE),
            **raises("bad_request", "bad_audience", "no_such_seat", *READING_LOG),
        },
    )
    async def export(request: AnyRequest, match_id: FromPath[UUID], as_: As = None) -> ASGIResponse:
        """A `.arb` file for `arbiter verify`: `public`, `seat:N` or `moderator`, who is shown all.
        As soon as a match is over; before that its moderators alone may have it."""
        arbiter = await stores.of(match_id)
        only(request, "as")
        viewer = await audience(arbiter, request, match_id, as_)
        await _check_over(request, match_id)
        made = await arbiter.notary.bundle(match_id, viewer)
        name = f"{match_id}.{named(viewer).replace(':', '')}.arb"
        headers = {**OWN, "Content-Disposition": f'attachment; filename="{name}"'}
        return json_bytes(made, 200, headers, BUNDLE)

    async def _check_over(request: AnyRequest, match_id: UUID) -> None:
        """Raises Failed while the match is not over, unless its moderator asks."""
        over = ("ended", "void")
        arbiter = await stores.of(match_id)
        if (await known(arbiter, match_id)).status in over:
            return
        # It may have ended elsewhere.
        if (await existing(arbiter, match_id)).status not in over:
            await moderating(arbiter, request, match_id)

    return [list_keys, list_receipts, sign_checkpoint, show_checkpoint, export]


def _signed(signed: Signed, status: int) -> ASGIResponse:
    told = signed.checkpoint
    return json(SignedCheckpoint(told.size, told.root, signed.note), status, OWN)
