"""`/v1/tournaments/{id}/organisers` and `/moderators`: who runs a tournament, appointed and
removed, with which keys, and which matches they moderate."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, TypeVar
from uuid import UUID

from litestar.params import PathParameter
from msgspec import Meta, Struct

from domain.game import Refused
from domain.tournament.staff import (
    GiveMatch,
    NewModerator,
    NewOrganiser,
    RemoveModerator,
    RemoveOrganiser,
    TakeMatch,
)
from projections.fields import By, ShownOnce
from projections.fields import Moderator as ModeratorNumber
from service.http.access.guards import ORGANISER
from service.http.description.routing import OfTournament, delete, examples, get, post, problems
from service.http.requests.context import link_to
from service.http.requests.dependencies import Number, Once, TheTournament, TournamentRequest
from service.http.requests.qr_codes import qr_code
from service.http.requests.responses import Answer, created, private

OrganiserOfPath = Annotated[int, PathParameter(description="The number of the organiser, from 0")]
ModeratorOfPath = Annotated[int, PathParameter(description="The number of the moderator, from 0")]
AssignedMatch = Annotated[UUID, PathParameter(description="The id of the match")]
OrganiserNumber = Annotated[
    int, Meta(description="The number of an organiser who was appointed, from 0")
]
StaffLink = Annotated[
    str | None, Meta(description="What to hand to them: it leads to the page of the tournament")
]
StaffQr = Annotated[str | None, Meta(description="The link as a QR code: an SVG document")]
NEW_ORGANISER = examples({"zoe": {"name": "Zoe"}})
NEW_MODERATOR = examples({"mia": {"name": "Mia"}})
ASSIGNMENT = examples({"first": {"moderator": 0}})
NOBODY_NEW = "names_not_allowed name_taken roster_full"


class OrganiserKey(Struct, frozen=True):
    """An organiser of this tournament alone. `key` is shown once, as are the link with it and that
    link as a QR code: null in the answer to a repeated request."""

    organiser: OrganiserNumber
    name: str
    key: ShownOnce
    link: StaffLink
    qr: StaffQr


class ModeratorKey(Struct, frozen=True):
    """A moderator. `key` is shown once, as are the link with it and that link as a QR code: null in
    the answer to a repeated request."""

    moderator: ModeratorNumber
    name: str
    key: ShownOnce
    link: StaffLink
    qr: StaffQr


K = TypeVar("K", OrganiserKey, ModeratorKey)


class Organiser(Struct, frozen=True):
    """An organiser of this tournament alone."""

    organiser: OrganiserNumber
    name: str


class OrganiserList(Struct, frozen=True):
    """The `maker` of the tournament, and the organisers who were appointed."""

    maker: By
    organisers: list[Organiser]


class Assignment(Struct, frozen=True, forbid_unknown_fields=True):
    """The number of the moderator that moderates a match from now on."""

    moderator: Number


class GivenMatch(Struct, frozen=True):
    """A match and the tournament's moderator that moderates it."""

    match: str
    moderator: ModeratorNumber
    name: str


class StaffController(OfTournament):
    """The staff of tournaments."""

    @post(
        "/organisers",
        summary="Appoint one more organiser",
        guards=[ORGANISER],
        opt=problems(NOBODY_NEW),
    )
    async def appoint_organiser(
        self, tournament: TheTournament, data: Annotated[NewOrganiser, NEW_ORGANISER], once: Once
    ) -> Answer[OrganiserKey]:
        """Needs an organiser's key. The new one opens everything of this tournament and its
        matches, and no others."""
        change = await tournament.execute(data, once)
        number = last_of(data.name, (await tournament.state()).organisers)
        key = next(iter(change.keys), None)
        answer = show_key(tournament, OrganiserKey, number, data.name, key)
        return created(answer, repeated=change.repeated)

    @get("/organisers", summary="The organisers of a tournament", guards=[ORGANISER])
    async def list_organisers(self, tournament: TheTournament) -> Answer[OrganiserList]:
        """Needs an organiser's key."""
        state = await tournament.state()
        organisers = [Organiser(number, state.organisers[number]) for number in state.organising]
        maker = None if state.maker is None else state.maker.by
        return private(OrganiserList(maker, organisers))

    @delete(
        "/organisers/{organiser:int}",
        summary="Remove an organiser",
        response_description="They are removed",
        guards=[ORGANISER],
        opt=problems("no_such_organiser"),
    )
    async def remove_organiser(self, tournament: TheTournament, organiser: OrganiserOfPath) -> None:
        """Needs an organiser's key. Theirs ends, with its streams; what they did stays on
        record."""
        await tournament.execute(RemoveOrganiser(organiser))
        await tournament.instance.tournament_keys.end(tournament.id, f"o{organiser}")

    @post(
        "/organisers/{organiser:int}/key",
        summary="Give an organiser another key",
        guards=[ORGANISER],
        opt=problems("no_such_organiser"),
    )
    async def give_organiser_key(
        self, tournament: TheTournament, organiser: OrganiserOfPath, once: Once
    ) -> Answer[OrganiserKey]:
        """Needs an organiser's key. The earlier keys of an organiser who was appointed end, with
        their open streams."""
        state = await tournament.state()
        if organiser not in state.organising:
            raise Refused("no_such_organiser")
        name = state.organisers[organiser]
        show = partial(show_key, tournament, OrganiserKey, organiser, name)
        return await tournament.another_key(f"o{organiser}", name, once, show)

    @post(
        "/moderators", summary="Appoint a moderator", guards=[ORGANISER], opt=problems(NOBODY_NEW)
    )
    async def appoint_moderator(
        self, tournament: TheTournament, data: Annotated[NewModerator, NEW_MODERATOR], once: Once
    ) -> Answer[ModeratorKey]:
        """Needs an organiser's key. The moderator moderates the matches assigned to them, and
        those of stages whose `moderators` are `all`."""
        change = await tournament.execute(data, once)
        number = last_of(data.name, (await tournament.state()).moderators)
        key = next(iter(change.keys), None)
        answer = show_key(tournament, ModeratorKey, number, data.name, key)
        return created(answer, repeated=change.repeated)

    @delete(
        "/moderators/{moderator:int}",
        summary="Remove a moderator",
        response_description="They are removed",
        guards=[ORGANISER],
        opt=problems("no_such_moderator"),
    )
    async def remove_moderator(self, tournament: TheTournament, moderator: ModeratorOfPath) -> None:
        """Needs an organiser's key. Theirs ends, with its streams, and they moderate none of the
        matches any more; what they did stays on record."""
        await tournament.execute(RemoveModerator(moderator))
        await tournament.instance.tournament_keys.end(tournament.id, f"m{moderator}")

    @post(
        "/moderators/{moderator:int}/key",
        summary="Give a moderator another key",
        guards=[ORGANISER],
        opt=problems("no_such_moderator"),
    )
    async def give_moderator_key(
        self, tournament: TheTournament, moderator: ModeratorOfPath, once: Once
    ) -> Answer[ModeratorKey]:
        """Needs an organiser's key. The moderator's earlier keys end, with their open streams."""
        state = await tournament.state()
        if moderator not in state.in_office:
            raise Refused("no_such_moderator")
        name = state.moderators[moderator]
        show = partial(show_key, tournament, ModeratorKey, moderator, name)
        return await tournament.another_key(f"m{moderator}", name, once, show)

    @post(
        "/matches/{match:uuid}/moderators",
        summary="Give a match to a moderator",
        guards=[ORGANISER],
        opt=problems("moderator_plays no_such_tournament_match no_such_moderator"),
    )
    async def give_match(
        self,
        tournament: TheTournament,
        match: AssignedMatch,
        data: Annotated[Assignment, ASSIGNMENT],
    ) -> Answer[GivenMatch]:
        """Needs an organiser's key. From then on the moderator's key moderates that match."""
        command = GiveMatch(str(match), data.moderator)
        await tournament.instance.tournaments.check(tournament.id, command)
        name = (await tournament.state()).moderators[data.moderator]
        await tournament.instance.match_keys.check_person(match, "mod", name)
        change = await tournament.execute(command)
        answer = GivenMatch(str(match), data.moderator, name)
        return created(answer, repeated=change.repeated)

    @delete(
        "/matches/{match:uuid}/moderators/{moderator:int}",
        summary="Take a match from a moderator",
        response_description="They do not moderate it",
        guards=[ORGANISER],
        opt=problems("no_such_tournament_match no_such_moderator"),
    )
    async def take_match(
        self, tournament: TheTournament, match: AssignedMatch, moderator: ModeratorOfPath
    ) -> None:
        """Needs an organiser's key. What they did in it stays on record."""
        await tournament.execute(TakeMatch(str(match), moderator))


def show_key(
    tournament: TournamentRequest, kind: type[K], number: int, name: str, key: str | None
) -> K:
    """The answer with the key of a new one of the staff; without it to a repeat."""
    link = link_to(tournament.request, f"/t/{tournament.id}", key)
    return kind(number, name, key, link, qr_code(link))


def last_of(name: str, names: Sequence[str]) -> int:
    """The number of the last person of this name: earlier ones were removed."""
    return max(number for number, other in enumerate(names) if other == name)
