"""`/v1/tournaments/{id}/ledger`: garnets, shown to organisers and to the player they belong to."""

from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency

from domain.ledger import Account
from projections.ledger import Posted
from projections.timestamps import rfc3339
from service.application.tournament_service import TournamentService
from service.auth.grants import Grant
from service.http.grants import player_by
from service.http.guards import Requires
from service.http.parameters import Page, PageLimit, TournamentId, position
from service.http.responses import Answer, private
from service.http.tournament_schemas import Balance, Ledger, LedgerEntry
from service.read_models.lists import Lists

AfterPosting = Annotated[int, position("Behind this number of a posting")]
OWNERS = Requires("organiser", "player")


class LedgerController(Controller):
    """The ledger of a tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}/ledger"
    tags = ("tournaments",)

    @get(
        operation_id="showLedger",
        summary="The ledger of garnets",
        guards=[OWNERS],
    )
    async def show_ledger(
        self,
        tournament_id: TournamentId,
        grant: NamedDependency[Grant],
        tournaments: NamedDependency[TournamentService],
        lists: NamedDependency[Lists],
        after: AfterPosting = 0,
        limit: PageLimit = 100,
    ) -> Answer[Ledger]:
        """Organisers see everything; players, and moderators who also play, see their own."""
        opened, page = await tournaments.current(tournament_id), Page(after, limit)
        # A match shows its players' garnets to themselves and to its moderators. Here a moderator
        # sees no more than the player that they are, if they are one.
        player = player_by(grant, tournament_id, opened.state)
        assert player is not None or grant.role == "organiser", "the route's guard needs either"
        # Both as of one moment: later postings are on the next page.
        posted = opened.postings_of(player)
        balances = [
            Balance(account.kind, account.player, account.match, garnets)
            for account, garnets in sorted(opened.state.balances.items(), key=_in_order)
            if player is None or account.player == player
        ]
        end = min(page.end, posted)
        # Never as they are: a page without the latest would look like the end of the ledger.
        postings = await lists.followed(
            lambda index: index.postings(tournament_id, player, after=after, upto=end)
        )
        return private(Ledger(balances, list(map(_entry, postings)), page.next(posted)))


def _entry(posted: Posted) -> LedgerEntry:
    event = posted.event
    return LedgerEntry(
        seq=posted.seq,
        at=rfc3339(posted.at),
        player=event.seat,
        debit=event.debit,
        credit=event.credit,
        amount=event.amount,
        reason=event.reason,
        match=event.match,
        reverses=posted.reverses,
    )


def _in_order(balance: tuple[Account, int]) -> tuple[int, str]:
    """The house first, then each player's purse and what they have brought into matches."""
    account = balance[0]
    return (-1 if account.player is None else account.player, account.match or "")
