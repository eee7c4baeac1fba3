"""`/v1/tournaments/{id}/cases`: what someone says went wrong in a tournament, and not in one of its
matches; and the list of both."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated
from uuid import UUID

from litestar.di import Provide
from msgspec import Struct
from msgspec.structs import replace

from domain.cases.state import AboutTournament, Role, Said
from domain.game import Refused
from domain.match.seat_holders import holders
from domain.tournament.open_stages import numbered_round, numbered_stage
from domain.tournament.state import Tournament, standing_of
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.cases import CaseAcross, CaseReader, Told, TournamentCaseShown
from projections.fields import Next
from service.application.cases.cases import FirstStatement
from service.event_store.case_streams import StoredCase
from service.http.access.grants import found_grant, organises, player_by, sight_of
from service.http.access.guards import DIRECTORS, PARTICIPANTS, READERS
from service.http.cases.cases import participant as of_match
from service.http.cases.participants import (
    CaseId,
    CaseMade,
    CaseRoutes,
    Participant,
    TheParticipant,
    case_as,
)
from service.http.description.routing import INSTEAD, examples, get, post, problems
from service.http.requests.across import ACROSS, Listed, Rows, TheAcross
from service.http.requests.audiences import COUNTS_ONLY, account_for
from service.http.requests.dependencies import (
    Number,
    Once,
    Page,
    TheActor,
    TheTournament,
    TournamentRequest,
)
from service.http.requests.responses import Answer, private

NEW_CASE = examples(
    {
        "about a player": {"about": {"player": 0}, "says": "They have entered twice."},
        "about none": {"says": "The clocks were wrong."},
    }
)
NEW_PARTY = examples({"a player": {"player": 1}})


class NewTournamentCase(Struct, frozen=True, forbid_unknown_fields=True):
    """What went wrong, and what in the tournament that is about, if it is about something."""

    says: Said
    about: AboutTournament | None = None


class NewCasePlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A player who may read a case from now on, and speak in it."""

    player: Number


class TournamentCaseList(Struct, frozen=True):
    """Cases that the reader can read, in the order in which it could first do so: those about the
    tournament itself, then those of its matches."""

    cases: list[CaseAcross]
    next: Next


async def participant(tournament: TheTournament) -> Participant:
    """Who reads or speaks, for handlers: organisers, the moderators of the tournament who do not
    play in it, and players. To others who moderate one of its matches it is as to the public."""
    grant, instance = found_grant(tournament.request), tournament.instance
    lists: Viewer = PUBLIC_VIEWER
    role: Role | None = None
    if grant is not None and await organises(instance, grant, tournament.id):
        lists, role = MODERATOR, "organiser"
    elif grant is not None and (await sight_of(instance, grant, tournament.id)).whole:
        lists, role = MODERATOR, "moderator"
    elif grant is not None:
        player = player_by(grant, tournament.id, await tournament.state())
        lists, role = (PUBLIC_VIEWER, None) if player is None else (player, "player")
    cases = instance.cases.of_tournament(tournament.id)
    return Participant(cases, lists, role, partial(reader, tournament, lists))


async def reader(tournament: TournamentRequest, lists: Viewer) -> CaseReader:
    """What a sender is shown of cases."""
    grant, rulings = found_grant(tournament.request), (await tournament.state()).rulings
    if grant is not None:
        await account_for(tournament.instance, grant, tournament.id, lists, COUNTS_ONLY)
    return CaseReader(lists == MODERATOR, rulings.number, lambda about: {"about": about})


class TournamentCasesController(CaseRoutes):
    """Cases of a tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}/cases"
    tags = ("tournaments",)
    opt = {INSTEAD: {"_case": "_tournament_case", "a case": "a case about a tournament"}}  # noqa: RUF012
    dependencies = {**ACROSS, "participant": Provide(participant)}  # noqa: RUF012

    @post(
        summary="Open a case",
        guards=[PARTICIPANTS],
        opt=problems("no_such_stage no_such_round no_such_player too_much_said too_many_cases"),
    )
    async def open_case(
        self,
        data: Annotated[NewTournamentCase, NEW_CASE],
        tournament: TheTournament,
        participant: TheParticipant,
        actor: TheActor,
        once: Once,
    ) -> Answer[CaseMade]:
        """Needs the key of a player, of a moderator of the tournament, or of an organiser, also
        when it is closed. Organisers, moderators who do not play and the parties read a case, and
        no one else learns of it; the player who opens it is a party."""
        if data.about is not None:
            check_about(await tournament.state(), data.about)
        return await participant.open_case(FirstStatement(data.about, data.says), actor, once)

    @get(summary="The cases of a tournament that the reader can read", guards=[READERS])
    async def list_cases(
        self, participant: TheParticipant, across: TheAcross
    ) -> Answer[TournamentCaseList]:
        """Those about the tournament itself, and then those of its matches, each as its own list
        shows it. An organiser, and a moderator who does not play, read all, a player those to which
        they are a party, and everyone those that an organiser has published; of each match in the
        order in which the reader could first. A page may have less than `limit`, and another one
        follow."""

        async def list_rows(match: UUID | None, page: Page) -> Rows[CaseAcross]:
            if match is None:
                return await _list_rows(participant, page, None, (await across.state()).players)
            sent = await across.match_request(match)
            names = holders((await sent.instance.sessions.cached(match)).match)
            return await _list_rows(of_match(sent), page, str(match), names)

        return private(TournamentCaseList(*await across.rows(list_rows, directed=False)))

    @get(
        "/{case:str}",
        summary="A case about a tournament, with all that was said in it",
        guards=[READERS],
        opt=problems("no_such_case"),
    )
    async def read_case(
        self, participant: TheParticipant, case: CaseId
    ) -> Answer[TournamentCaseShown]:
        """As in a match: moderators and organisers see who speaks; others see only in which
        role."""
        return await participant.show(TournamentCaseShown, case)

    @post(
        "/{case:str}/parties",
        summary="Make a player a party to a case",
        status_code=204,
        guards=[DIRECTORS],
        opt=problems("no_such_case no_such_player case_closed"),
    )
    async def add_case_party(
        self,
        case: CaseId,
        data: Annotated[NewCasePlayer, NEW_PARTY],
        tournament: TheTournament,
        participant: TheParticipant,
        actor: TheActor,
    ) -> None:
        """Needs the key of an organiser or of a moderator who does not play. A player who is a
        party already stays one: 204 again."""
        check_about(await tournament.state(), AboutTournament(player=data.player))
        case_id = await participant.directed(case)
        await participant.cases.add_party(case_id, data.player, actor)


async def _list_rows(
    participant: Participant, page: Page, match: str | None, names: Sequence[str]
) -> Rows[CaseAcross]:
    """Some cases of a match or of a tournament, in which parties have these names."""
    reader = await participant.reader()
    across = replace(reader, about=lambda about: {"match": match, **reader.about(about)})
    rows, following = await participant.list_cases(page)
    return [_row(row, match, across, names) for row in rows], following


def _row(
    stored_case: StoredCase, match: str | None, reader: CaseReader, names: Sequence[str]
) -> Listed[CaseAcross]:
    """A case, with the parties and those of the staff of whom the reader is told."""
    records, people = stored_case.read.records, [names[party] for party in stored_case.case.parties]
    if reader.is_told_names:
        speakers = [record.event.speaker.by for record in records if isinstance(record.event, Told)]
        people += [name for name in speakers if name is not None]
    case_row = case_as(CaseAcross, stored_case, reader)
    return Listed(case_row, match, people, records[0].at, records[-1].at)


def check_about(state: Tournament, about: AboutTournament) -> None:
    """Raises Refused unless the tournament has what a case is about."""
    if about.stage is not None:
        numbered_stage(standing_of(state), about.stage)
        if about.round is not None:
            numbered_round(standing_of(state), about.stage, about.round)
    if about.player is not None and about.player >= len(state.players):
        raise Refused("no_such_player")
