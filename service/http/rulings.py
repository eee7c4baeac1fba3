"""`/v1/matches/{id}/rulings`: what moderators and organisers do when something went wrong."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, delete, get, post
from litestar.di import NamedDependency, Provide
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse
from msgspec.structs import replace

from domain.people import Actor
from domain.ruling_commands import ConsentToRuling, Rule, SecondRuling, WithdrawRuling
from projections.disclosure import MODERATOR, Viewer
from projections.rulings import RulingShown
from service.application.rulings import Preview, RulingAnswer
from service.http.access import READERS, only
from service.http.accounting import account
from service.http.authentication import optional_grant
from service.http.authorization import moderator_or_organiser, viewer_of_grant
from service.http.context import context
from service.http.dependencies import MATCH_DEPENDENCIES
from service.http.etags import etag, expected_numbers
from service.http.idempotency_header import IDEMPOTENCY_KEY, idempotency_key, request_of
from service.http.match_lookup import cached_match
from service.http.operation import Body, Header, declares
from service.http.parameters import MatchId
from service.http.problems import AnyRequest, Failed
from service.http.request_body import body_of, check_no_body, decoded, header, parsed
from service.http.responses import (
    UNREADABLE_RECORD,
    created,
    json,
    private_headers,
    raises,
    returns,
)
from service.http.ruling_schemas import AnyRuling, NewResult, NewVoid, RulingList, Seconding
from service.instance import Instance

RulingId = Annotated[str, PathParameter(description="The id of the ruling")]

READING = (
    "key_unknown", "no_such_match", "try_again", UNREADABLE_RECORD,
)  # fmt: skip
FOLLOWING = (
    "wrong_shape", "key_missing", "key_unknown", "not_allowed", "no_such_match", "no_such_ruling",
    "not_pending", "result_final", "record_altered", "try_again",
)  # fmt: skip
SECONDING = (
    *FOLLOWING, "not_json", "too_large", "moderator_plays", "own_ruling", "same_person", "stale",
    "preview_needed", "match_not_running", "result_does_not_fit", "bad_idempotency_key",
    "idempotency_key_reused", "request_in_flight",
)  # fmt: skip
RULING = (
    "not_json", "wrong_shape", "key_missing", "key_unknown", "not_allowed", "no_such_match",
    "no_such_ruling", "no_such_seat", "moderator_plays", "own_ruling", "match_not_running",
    "not_paused", "no_deadline", "result_final", "stale", "preview_needed", "not_public",
    "not_in_future", "result_does_not_fit", "too_large", "record_altered", "bad_idempotency_key",
    "idempotency_key_reused", "request_in_flight", "try_again",
)  # fmt: skip

PREVIEWED = (NewResult, NewVoid)
"""The kinds that are carried out only as they were previewed."""

NEW_RULING = Body(
    AnyRuling,
    {
        "a note": {
            "kind": "note",
            "to": "public",
            "text": "A coin that leaves the table is tossed again.",
            "severity": "clarification",
            "reason": "Both players asked.",
        },
        "a pause": {"kind": "pause", "reason": "A player feels unwell."},
    },
    component="NewRuling",
)
SECONDS = Body(Seconding, {"carried out": {}, "a preview": {"preview": True}}, required=False)
IF_MATCH = Header("If-Match", "The `ETag` of a preview: nothing may have happened since")
PREVIEW = ResponseSpec(Preview, generate_examples=False, description="A preview, with an `ETag`")

_new_ruling = msgspec.json.Decoder(AnyRuling)
_seconding = msgspec.json.Decoder(Seconding)
_canonical = msgspec.json.Encoder(order="deterministic")


class RulingsController(Controller):
    """Rulings of a match."""

    path = "/v1/matches/{match_id:uuid}/rulings"
    tags = ("moderation",)
    dependencies = MATCH_DEPENDENCIES

    @post(
        operation_id="rule",
        summary="Rule on a match",
        security=only("organiser", "moderator"),
        responses={
            200: PREVIEW,
            **returns(201, RulingAnswer),
            **returns(202, RulingAnswer),
            **raises(*RULING),
        },
        operation_class=declares(NEW_RULING, headers=[IDEMPOTENCY_KEY, IF_MATCH], repeatable=True),
        dependencies={"sender": Provide(moderator_or_organiser)},
    )
    async def rule(
        self,
        request: AnyRequest,
        match_id: MatchId,
        instance: NamedDependency[Instance],
        sender: NamedDependency[Viewer],  # noqa: ARG002  nobody else may
        actor: NamedDependency[Actor],
    ) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's. 201 when the ruling is carried out,
        202 when it waits for a second person. A `result` or a `void` needs the `ETag` of its
        preview as `If-Match`."""
        key = idempotency_key(request)
        new = await decoded(request, _new_ruling)
        await cached_match(instance, match_id)
        await _check_replacement(request, new)
        command = Rule(
            "", new.ruling(), new.reason, actor, new.rule, new.appeals, new.case, new.ask_seats
        )
        mark = _mark(replace(new, preview=False))
        if new.preview:
            seq, preview = await instance.rulings.preview(match_id, command)
            await account(instance, request, match_id, MODERATOR, seq)
            return _preview(seq, preview, mark, instance.edition)
        expected = _expected(request, mark, instance.edition, needed=isinstance(new, PREVIEWED))
        ruled = await instance.rulings.rule(match_id, command, request_of(key, new), expected)
        return _answered(ruled.answer, repeated=ruled.repeated)

    @get(
        operation_id="listRulings",
        summary="The rulings of a match",
        security=READERS,
        responses={**returns(200, RulingList), **raises(*READING)},
    )
    async def list_rulings(
        self, request: AnyRequest, match_id: MatchId, instance: NamedDependency[Instance]
    ) -> ASGIResponse:
        """What the key's owner may see: everybody sees public rulings, a seat its own notes and
        what it was asked about, a moderator all. An organiser sees public and pending rulings."""
        grant = await optional_grant(instance, request)
        organises = grant is not None and grant.role == "organiser"
        viewer = await viewer_of_grant(instance, grant, match_id, None)
        shown_as = MODERATOR if organises else viewer
        listed = await instance.rulings.listed(match_id, shown_as)
        _, projection = await instance.sessions.cached_projection(match_id, shown_as)
        await account(instance, request, match_id, shown_as, projection.seq)
        shown = _of_organiser(listed) if organises else listed
        return json(RulingList(shown), 200, private_headers())

    @post(
        "/{ruling:str}/second",
        operation_id="secondRuling",
        summary="Carry out a pending ruling",
        security=only("organiser", "moderator"),
        responses={200: PREVIEW, **returns(201, RulingAnswer), **raises(*SECONDING)},
        operation_class=declares(SECONDS, headers=[IDEMPOTENCY_KEY, IF_MATCH], repeatable=True),
        dependencies={"sender": Provide(moderator_or_organiser)},
    )
    async def second(
        self,
        request: AnyRequest,
        match_id: MatchId,
        ruling: RulingId,
        instance: NamedDependency[Instance],
        sender: NamedDependency[Viewer],  # noqa: ARG002  nobody else may
        actor: NamedDependency[Actor],
    ) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's, of another person than the one who
        ruled. It takes the `ETag` of a preview of its own as `If-Match`."""
        key = idempotency_key(request)
        body = (await body_of(request)).strip()
        sent = parsed(body, _seconding) if body else Seconding()
        await cached_match(instance, match_id)
        command = SecondRuling(ruling, actor)
        mark = _mark(["second", ruling])
        if sent.preview:
            seq, preview = await instance.rulings.preview(match_id, command)
            await account(instance, request, match_id, MODERATOR, seq)
            return _preview(seq, preview, mark, instance.edition)
        expected = _expected(request, mark, instance.edition, needed=True)
        once = request_of(key, sent)
        ruled = await instance.rulings.second(match_id, command, once, expected)
        return _answered(ruled.answer, repeated=ruled.repeated)

    @post(
        "/{ruling:str}/consent",
        operation_id="consentToRuling",
        summary="Consent to a pending ruling",
        security=only("seat"),
        responses={**returns(201, RulingAnswer), **raises(*FOLLOWING, "already_consented")},
    )
    async def consent(
        self,
        request: AnyRequest,
        match_id: MatchId,
        ruling: RulingId,
        instance: NamedDependency[Instance],
        seat: NamedDependency[int],
    ) -> ASGIResponse:
        """Needs the key of a seat that was asked. The last consent carries the ruling out; only
        moderators see who has consented."""
        await check_no_body(request)
        await cached_match(instance, match_id)
        ruled = await instance.rulings.consent(match_id, ConsentToRuling(ruling, seat))
        return json(ruled.answer, 201, private_headers())

    @delete(
        "/{ruling:str}",
        operation_id="withdrawRuling",
        summary="Give up a pending ruling",
        status_code=204,
        security=only("organiser", "moderator"),
        responses={
            204: ResponseSpec(None, description="It is withdrawn"),
            **raises(*FOLLOWING, "moderator_plays"),
        },
        dependencies={"sender": Provide(moderator_or_organiser)},
    )
    async def withdraw(
        self,
        request: AnyRequest,
        match_id: MatchId,
        ruling: RulingId,
        instance: NamedDependency[Instance],
        sender: NamedDependency[Viewer],  # noqa: ARG002  nobody else may
        actor: NamedDependency[Actor],
    ) -> None:
        """Needs an organiser's key or the match's moderator's."""
        await check_no_body(request)
        await cached_match(instance, match_id)
        command = WithdrawRuling(ruling, actor)
        await instance.rulings.withdraw(match_id, command)


async def _check_replacement(request: AnyRequest, new: AnyRuling) -> None:
    """Raises UnknownMatch if the match that is played instead does not exist."""
    if isinstance(new, NewVoid) and new.replaced_by is not None:
        other = UUID(new.replaced_by)
        await cached_match(await context(request).router.instance_for(other), other)


def _of_organiser(listed: Sequence[RulingShown]) -> list[RulingShown]:
    """The rulings that are or would be public: an organiser is no reader of notes to others."""
    return [shown for shown in listed if shown.to == "public"]


def _mark(sent: object) -> str:
    """What the previews of different rulings differ by."""
    return sha256(_canonical.encode([type(sent).__name__, sent])).hexdigest()[:16]


def _preview(seq: int, preview: Preview, mark: str, edition: str) -> ASGIResponse:
    return json(preview, 200, private_headers(etag(_named(mark), seq, edition)))


def _expected(
    request: AnyRequest, mark: str, edition: str, *, needed: bool
) -> frozenset[int] | None:
    """The numbers of events of the match at which this ruling was previewed; None for any. Raises
    Failed if a preview is needed and the request names none."""
    expected = expected_numbers(header(request, b"if-match"), _named(mark), edition)
    if needed and expected is None:
        raise Failed("preview_needed")
    return expected


def _named(mark: str) -> str:
    """The beginning of the tag of a preview."""
    return f"ruling-{mark}"


def _answered(answer: RulingAnswer, *, repeated: bool) -> ASGIResponse:
    if answer.status == "pending" and not repeated:
        return json(answer, 202, private_headers())
    return created(answer, repeated=repeated, headers=private_headers())
