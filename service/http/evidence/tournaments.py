"""`/v1/tournaments/{id}/bundle`, `/checkpoint` and `/receipts`: what proves a tournament."""

from litestar import Controller
from litestar.response.base import ASGIResponse

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, named
from service.application.tournaments.tournament_service import LoadedTournament
from service.http.access.grants import found_grant, organises, player_by
from service.http.access.guards import READERS, Requires
from service.http.description.described import problems
from service.http.description.routing import get
from service.http.errors.problems import Failed
from service.http.evidence.evidence import (
    BUNDLE,
    ReceiptPage,
    SignedCheckpoint,
    signed_checkpoint,
)
from service.http.middleware.disconnects import unless_gone
from service.http.requests.dependencies import (
    ThePage,
    TheTournament,
    TournamentRequest,
    audience_called,
)
from service.http.requests.parameters import As
from service.http.requests.responses import Answer, json_bytes, private, private_headers


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
    async def export_tournament(
        self,
        tournament: TheTournament,
        as_: As = None,
    ) -> ASGIResponse:
        """A `.arb` file for `arbiter verify`, with the public bundles of its matches: `public`,
        `seat:N` for player N, or `moderator`, which shows all, to organisers. As soon as the
        tournament is closed; before that organisers alone may have it. If too many are being
        built, it is 503: try again after the seconds in `Retry-After`."""
        loaded, viewer = await _reader(tournament, as_)
        building = tournament.instance.evidence.tournament_bundle(tournament.id, loaded, viewer)
        bundle = await unless_gone(tournament.request, building)
        if bundle is None:
            raise Failed("try_again")
        name = f"{tournament.id}.{named(viewer).replace(':', '')}.arb"
        headers = {**private_headers(), "Content-Disposition": f'attachment; filename="{name}"'}
        return json_bytes(bundle, 200, headers, BUNDLE)

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
        signed = await unless_gone(tournament.request, signing)
        if signed is None:
            raise Failed("try_again")
        return signed_checkpoint(signed, 200)

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
        wanted = slice(page.after, page.end)
        signed, count = await evidence.receipts(tournament.id, loaded, player, wanted)
        return private(ReceiptPage(signed, page.next(count)))


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
    wanted = own if name is None else audience_called(name)
    if not loaded.over and own != MODERATOR:
        raise Failed("tournament_not_closed")
    if own not in (MODERATOR, wanted) and wanted != PUBLIC_VIEWER:
        raise Failed("not_allowed", needed=("organiser",))
    if isinstance(wanted, int) and wanted >= len(loaded.state.players):
        raise Failed("no_such_player")
    return loaded, wanted
