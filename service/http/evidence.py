"""The evidence of a match: signing keys, receipts, checkpoints and bundles."""

import asyncio
from operator import attrgetter
from typing import Annotated, Any

from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct
from msgspec.json import encode

from domain.receipts import DIRECTOR, Receiver
from projections.disclosure import PUBLIC_VIEWER, Viewer, named
from service.application.match_service import ANSWER_SECONDS
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.http.access import EVERYBODY, only, until_over
from service.http.accounting import COUNTS_ONLY, account_evidence
from service.http.authorization import actor, check_over, moderator_or_organiser
from service.http.caching import POSITION, content_tag, unless_known
from service.http.context import context
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.disconnects import unless_gone
from service.http.operation import IF_NONE_MATCH, Answer, Header, get, post
from service.http.parameters import As, PageLimit, QueryParameters, position
from service.http.problems import AnyRequest, Failed
from service.http.request_body import check_no_body
from service.http.responses import (
    json,
    json_bytes,
    private_headers,
)
from service.observability.work import EVENT_READ, RECEIPT_SIGNED, spend
from service.signing.notary import Signed
from service.signing.receipts import Receipted, withheld
from service.signing.signing_keys import PublishedKey

BUNDLE = "application/zip"


class KeyList(Struct, frozen=True):
    """Every key with which this service has ever signed. Keep copies yourself: keys that come from
    the service that is being checked prove nothing."""

    keys: list[PublishedKey]


class ReceiptPage(Struct, frozen=True):
    """Some of the receipts; `next` is the `after` of the page that follows, if any."""

    receipts: list[Receipted]
    next: int | None


class SignedCheckpoint(Struct, frozen=True):
    """The length of a match's log, the root of its tree, and the signed note of both."""

    size: int
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
    Header("ETag", "Of the note"),
    Header("Cache-Control", "For how long anybody may keep it"),
)


class ReceiptsQuery(QueryParameters, frozen=True):
    """Which receipts."""

    after: Annotated[
        int, position("Behind this number of the seat's own; of orders, behind so many")
    ] = 0
    limit: PageLimit = 100


class BundleQuery(QueryParameters, frozen=True):
    """For which audience."""

    as_: As = None


class SigningKeysController(Controller):
    """The keys that verify what this service has signed."""

    path = "/v1/keys"
    tags = ("evidence",)

    @get(
        operation_id="listSigningKeys",
        summary="The public keys with which this service signs",
        security=EVERYBODY,
    )
    async def list_keys(self, request: AnyRequest) -> KeyList:
        """Old ones too: what they have signed can be checked for ever."""
        signing = context(request).instance.signer
        return KeyList(await in_store_thread(signing.published))


class EvidenceController(Controller):
    """What proves a match to a stranger."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("evidence",)
    dependencies = MATCH_DEPENDENCIES

    @get(
        "/note",
        operation_id="showCreationNote",
        summary="The signed note of the creation",
        security=EVERYBODY,
        answer=CreationNote,
        headers=[IF_NONE_MATCH],
        answer_headers=NOTE_ANSWERED,
        query=QueryParameters,
    )
    async def show_note(self, call: NamedDependency[MatchCall]) -> ASGIResponse:
        """The same for everybody, from the creation on: whatever happens, its text never changes.
        Who compares it with the commitment to the seed that they are shown, and with each receipt,
        finds a commitment that was exchanged. A key that is rotated signs it anew."""
        begun = (await call.instance.sessions.current(call.id)).beginning
        assert begun is not None, "what is on record has begun"
        body = encode(CreationNote(call.instance.receipts.created(call.id, begun)))
        tag = content_tag(body)
        return unless_known(call.request, tag, {"ETag": tag, "Cache-Control": POSITION}, body)

    @get(
        "/receipts",
        operation_id="listReceipts",
        summary="The receipts of a seat, or for what was ordered",
        security=only("seat", "moderator", "organiser"),
        answer=ReceiptPage,
        query=ReceiptsQuery,
    )
    async def list_receipts(
        self,
        call: NamedDependency[MatchCall],
        parameters: NamedDependency[ReceiptsQuery],
        receiver: NamedDependency[Receiver],
    ) -> ASGIResponse:
        """Needs a seat's key, or that of the match's moderator or an organiser, which gets the
        receipts for what its holder has ordered. What opens their commitments is null in these, and
        where the seat must not be able to prove what it sent: in games of bluff until the end,
        under a closed record always."""
        if receiver == DIRECTOR:
            return await _ordered(call, parameters)
        loaded, projection = await call.instance.sessions.told_projection(call.id, receiver)
        receipts, more = await call.instance.receipts.listed(
            call.id, receiver, projection.own_rows(), loaded.bound, parameters.after,
            parameters.limit, sealed=withheld(loaded.game, loaded.match),
        )  # fmt: skip
        await call.account(receiver, projection.seq)
        return json(ReceiptPage(receipts, more), 200, private_headers())

    @post(
        "/checkpoints",
        operation_id="signCheckpoint",
        summary="Sign how long the log is, and its root",
        security=only("moderator"),
        answer=SignedCheckpoint,
    )
    async def sign_checkpoint(
        self, call: NamedDependency[MatchCall], moderator: NamedDependency[Viewer]
    ) -> ASGIResponse:
        """Needs the moderator's key: the length of a log counts hidden events. Keep the answer:
        nobody can then change what lies before it without being found out."""
        await check_no_body(call.request)
        spend(EVENT_READ, (await call.instance.sessions.cached(call.id)).length)
        signing = asyncio.ensure_future(call.instance.notary.checkpoint(call.id))
        await asyncio.wait({signing}, timeout=ANSWER_SECONDS)
        if not signing.done():
            # It goes on: what has been signed is on record before anybody is shown it.
            signing.add_done_callback(_ignore_result)
            raise StoreUnavailable
        signed = signing.result()
        await call.account(moderator, COUNTS_ONLY)
        return _signed(signed, 201)

    @get(
        "/checkpoint",
        operation_id="showCheckpoint",
        summary="The checkpoint of a match that is over",
        security=until_over("moderator"),
        answer=SignedCheckpoint,
        errors="record_altered",
    )
    async def show_checkpoint(self, call: NamedDependency[MatchCall]) -> ASGIResponse:
        """As soon as a match is over anybody may keep it; before that only its moderators."""
        await check_over(call.instance, call.request, call.id, attrgetter("over"))
        signed = await unless_gone(call.request, call.instance.evidence.checkpoint(call.id))
        if signed is None:
            raise Failed("try_again")
        await account_evidence(call.instance, call.request, call.id, PUBLIC_VIEWER)
        return _signed(signed, 200)

    @get(
        "/bundle",
        operation_id="exportMatch",
        summary="All that proves a match to a stranger",
        security=until_over("moderator"),
        content={BUNDLE: bytes},
        query=BundleQuery,
        answers={200: Answer(None, "The bundle")},
        errors="bad_audience record_altered no_such_seat no_such_match",
    )
    async def export(
        self, call: NamedDependency[MatchCall], viewer: NamedDependency[Viewer]
    ) -> ASGIResponse:
        """A `.arb` file for `arbiter verify`: `public`, `seat:N`, or `moderator`, which shows all.
        As soon as a match is over; before that its moderators alone may have it. If too many are
        being built, it is 503: try again after the seconds in `Retry-After`."""
        await check_over(call.instance, call.request, call.id, attrgetter("over"))
        bundle = await unless_gone(call.request, call.instance.evidence.bundle(call.id, viewer))
        if bundle is None:
            raise Failed("try_again")
        await account_evidence(call.instance, call.request, call.id, viewer)
        name = f"{call.id}.{named(viewer).replace(':', '')}.arb"
        headers = {**private_headers(), "Content-Disposition": f'attachment; filename="{name}"'}
        return json_bytes(bundle, 200, headers, BUNDLE)


async def _ordered(call: MatchCall, page: ReceiptsQuery) -> ASGIResponse:
    """The receipts for what the key's holder has ordered, and no others: an organiser is told of no
    order of somebody else."""
    instance, request = call.instance, call.request
    sender = await moderator_or_organiser(instance, request, call.id)
    await instance.sessions.current(call.id)
    loaded = await instance.sessions.told(call.id)
    orders = loaded.orders(await actor(instance, request))
    end = page.after + page.limit
    spend(RECEIPT_SIGNED, len(orders[page.after : end]))
    receipts = [
        instance.receipts.ordered(call.id, order, loaded.bound(order.index + 1))
        for order in orders[page.after : end]
    ]
    await call.account(sender, COUNTS_ONLY)
    following = end if end < len(orders) else None
    return json(ReceiptPage(receipts, following), 200, private_headers())


def _signed(signed: Signed, status: int) -> ASGIResponse:
    checkpoint = SignedCheckpoint(signed.checkpoint.size, signed.checkpoint.root, signed.note)
    return json(checkpoint, status, private_headers())


def _ignore_result(signing: "asyncio.Future[Any]") -> None:
    """Marks the error as seen: nobody waits for it any more."""
    if not signing.cancelled():
        signing.exception()
