"""`/v1/matches/{id}/rulings`: what moderators and organisers do when something went wrong, and
what seats ask for."""

from collections.abc import Sequence
from typing import Annotated

from litestar import Controller
from msgspec import UNSET
from msgspec.structs import replace

from domain.people import Actor
from domain.rulings.commands import ConsentToRuling, SecondRuling, WithdrawRuling
from domain.rulings.kinds import ASKABLE
from domain.rulings.state import MatchRulings
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.rulings.match_rulings import RulingShown
from service.application.evidence.evidence import is_open
from service.application.matches.match_sessions import UnknownPosition
from service.application.rulings.rulings import Preview, RulingAnswer
from service.http.access.guards import DIRECTORS, PARTICIPANTS, READERS, SEATED
from service.http.description.routing import answer_of, delete, examples, get, post, problems
from service.http.errors.problems import Failed
from service.http.requests.dependencies import MatchRequest, Once, Sent, TheActor, ThePage
from service.http.requests.responses import Answer, created, private, private_headers
from service.http.rulings.ruling_request import (
    CARRIED_OUT,
    PREVIEW,
    RULING_REQUEST,
    SECONDS,
    RulingId,
    TheRulingRequest,
    rule_of,
)
from service.http.rulings.ruling_schemas import (
    AnyRuling,
    NewConfirmation,
    NewRewind,
    RulingList,
    Seconding,
)

NEW_RULING = examples(
    {
        "a note": {
            "kind": "note",
            "to": "public",
            "text": "A coin that leaves the table is tossed again.",
            "severity": "clarification",
            "reason": "Both players asked.",
        },
        "a pause": {"kind": "pause", "reason": "A player feels unwell."},
        "a new player": {
            "kind": "replace_seat",
            "seat": 1,
            "name": "Zoe",
            "reason": "Ben had to leave.",
        },
    },
    component="NewRuling",
)


def giver(sent: MatchRequest, actor: Actor) -> Actor:
    """Who rules or asks: of a seat its number is recorded, not a name."""
    return Actor(None, actor.key_id, seat=sent.own) if isinstance(sent.own, int) else actor


async def look_up(sent: MatchRequest, rewind: NewRewind) -> NewRewind:
    """The rewind by the moderators' numbers. Raises UnknownPosition if it names an event that there
    is not."""
    _, public = await sent.instance.sessions.projection(sent.id, PUBLIC_VIEWER)
    if (rewind.before_public or 0) > public.seq:
        raise UnknownPosition("/before_public")
    async with sent.accounting_for_refusals(MODERATOR):
        _, every = await sent.instance.sessions.projection(sent.id, MODERATOR)
        for pointer, number in rewind.numbers():
            if number > every.seq:
                raise UnknownPosition(pointer)
    return rewind.looked_up(public.positions)


class RulingsController(Controller):
    """Rulings of a match."""

    path = "/v1/matches/{match_id:uuid}/rulings"
    tags = ("moderation",)
    dependencies = RULING_REQUEST

    @post(
        summary="Rule on a match, or ask for a ruling",
        guards=[PARTICIPANTS],
        responses={200: PREVIEW, 202: answer_of(RulingAnswer)},
        opt=problems(
            "moderator_plays own_ruling key_not_renewed no_such_ruling no_such_seat cannot_replace "
            "no_such_case not_public not_in_future too_late result_does_not_fit name_not_allowed "
            "not_live outcome_does_not_fit no_such_draw not_admissible rule_of_service "
            "history_went_back match_not_running match_not_ended not_paused no_deadline "
            "result_final has_looked case_closed proposal_open preview_needed",
            remembered=False,
        ),
    )
    async def rule(
        self,
        data: Annotated[AnyRuling, NEW_RULING],
        sent: Sent,
        judge: TheActor,
        ruling_request: TheRulingRequest,
    ) -> Answer[RulingAnswer] | Answer[Preview]:
        """Needs an organiser's key, the match's moderator's, or a seat's. 201 when the ruling is
        carried out, 202 when it waits for a second person. A `rewind`, a `result`, a `void` or a
        `replace_seat` needs the `ETag` of its preview as `If-Match`. Only an organiser rules
        `confirm` (403 `not_allowed`).

        A seat asks for a `result`, a `pause`, a `resume` or a `void`, always as with `ask_seats`,
        and neither appeals nor closes a case by that (403 `not_allowed`). It waits until all other
        seats consent, and then for a moderator who seconds it; in a match without a moderator the
        last consent carries it out. No one consents for a free seat of an open table: a player who
        waits there alone voids it at once. A seat has one open at a time.

        When someone takes over a seat, all its earlier keys and tickets end, with their open
        streams. The answer shows the new `key` once, to the person who carries the ruling out; null
        in the answer to a repeated request."""
        if isinstance(data, NewConfirmation) and not sent.organises:
            raise Failed("not_allowed")
        by, ordered = giver(sent, judge), data
        asks = by.seat is not UNSET
        if isinstance(data, NewRewind):
            if asks:
                raise Failed("not_allowed")
            ordered = await look_up(sent, data)
        command = rule_of(ordered.ruling(), data, by, data.ask_seats or asks)
        askable = isinstance(command.ruling, ASKABLE) and data.appeals is None and data.case is None
        if asks and not askable:
            raise Failed("not_allowed")
        return await ruling_request.on_match(sent, command, data)

    @get(summary="The rulings of a match", guards=[READERS])
    async def list_rulings(self, sent: Sent, page: ThePage) -> Answer[RulingList]:
        """What the key's owner may see: everyone sees public rulings, and who made them once the
        record is open, a seat its own notes and what it was asked about, a moderator all. An
        organiser sees public and pending rulings."""
        return private(RulingList(*page.of(await rulings_seen(sent))))

    @post(
        "/{ruling:str}/second",
        summary="Carry out a pending ruling",
        guards=[DIRECTORS],
        responses={200: PREVIEW},
        opt=problems(
            "moderator_plays own_ruling same_person key_not_renewed no_such_ruling cannot_replace "
            "result_does_not_fit name_not_allowed not_public not_live outcome_does_not_fit "
            "no_such_draw not_admissible not_pending match_not_running not_paused "
            "has_looked case_closed consent_missing preview_needed",
            remembered=False,
        ),
    )
    async def second_ruling(
        self,
        sent: Sent,
        ruling: RulingId,
        judge: TheActor,
        ruling_request: TheRulingRequest,
        data: Annotated[Seconding, SECONDS] = CARRIED_OUT,
    ) -> Answer[RulingAnswer] | Answer[Preview]:
        """Needs an organiser's key or the match's moderator's, of someone other than the person who
        ruled: a key with another name, which is its holder's if that person issued it (403
        `key_not_renewed`). What a seat asks for is seconded by a key with a name once all other
        seats have consented (409 `consent_missing`). It takes the `ETag` of a preview of its own as
        `If-Match`. When someone takes over a seat, the answer shows the new `key` once."""
        command = SecondRuling(ruling, judge)
        return await ruling_request.on_match(sent, command, data)

    @post(
        "/{ruling:str}/consent",
        summary="Consent to a pending ruling",
        guards=[SEATED],
        opt=problems(
            "no_such_ruling cannot_replace name_not_allowed not_public not_live "
            "outcome_does_not_fit no_such_draw not_admissible not_pending "
            "match_not_running not_paused already_consented case_closed"
        ),
    )
    async def consent_to_ruling(
        self, sent: Sent, ruling: RulingId, once: Once
    ) -> Answer[RulingAnswer]:
        """Needs the key of a seat that was asked; its list of rulings shows about what. The last
        consent carries the ruling out, unless a seat asks for it and a moderator is to second it;
        only moderators see who has consented."""
        consent = ConsentToRuling(ruling, sent.seat)
        outcome = await sent.instance.rulings.execute(sent.id, consent, once)
        return created(outcome.answer, repeated=outcome.repeated, headers=private_headers())

    @delete(
        "/{ruling:str}",
        summary="Withdraw a pending ruling",
        response_description="It is withdrawn",
        guards=[PARTICIPANTS],
        opt=problems("moderator_plays no_such_ruling not_pending"),
    )
    async def withdraw_ruling(self, sent: Sent, ruling: RulingId, actor: TheActor) -> None:
        """Needs an organiser's key, the match's moderator's, or that of the seat that asks for
        it."""
        await sent.instance.rulings.withdraw(sent.id, WithdrawRuling(ruling, giver(sent, actor)))


async def rulings_seen(sent: MatchRequest) -> list[RulingShown]:
    """The rulings of a match that the key's owner may see, which is accounted for."""
    shown_as = MODERATOR if sent.organises else sent.own
    rulings = await sent.instance.ruling_lists.list_rulings(sent.id, shown_as)
    loaded, projection = await sent.instance.sessions.cached_projection(sent.id, shown_as)
    await sent.account(shown_as, projection.seq)
    if shown_as != MODERATOR and is_open(loaded.match):
        rulings = _with_people(rulings, loaded.match.rulings)
    # An organiser may not read notes to others.
    return [ruling for ruling in rulings if ruling.to == "public" or not sent.organises]


def _with_people(rulings: Sequence[RulingShown], recorded: MatchRulings) -> list[RulingShown]:
    """These rulings of a match whose record is open, with who made the public ones."""
    people = {past.n: past.by for past in recorded.past}
    return [
        ruling if ruling.n is None else replace(ruling, by=people.get(ruling.n) or UNSET)
        for ruling in rulings
    ]
