"""`/v1/tournaments/{id}/ledger` and `/garnets`: the garnets of the players."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Whole
from domain.tournament.commands import PostGarnets
from domain.tournament.ledger import LONGEST_REASON, Account, AccountKind
from projections.fields import Next
from projections.fields import Player as PlayerNumber
from projections.tournaments.ledger import LedgerEntry
from service.application.matches.match_sessions import UnknownPosition
from service.http.access.grants import player_by
from service.http.access.guards import ORGANISER, Requires
from service.http.description.routing import OfTournament, examples, get, post, problems
from service.http.requests.dependencies import (
    Number,
    Once,
    Page,
    PageLimit,
    TheGrant,
    TheTournament,
    position,
)
from service.http.requests.responses import Answer, private

AfterPosting = Annotated[int, position("Behind this number of a posting")]
GARNETS = examples({"prize": {"player": 0, "amount": 2, "reason": "best of the day"}})
OWNERS = Requires("organiser", "player")


class Garnets(Struct, frozen=True, forbid_unknown_fields=True):
    """Garnets for a player; a negative amount removes some."""

    player: Number
    amount: Whole
    reason: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=LONGEST_REASON,
            description="The player can read it: printable characters only",
        ),
    ]


class Balance(Struct, frozen=True):
    """The balance of an account: a player's purse, their stake in a match, or the house, where
    garnets come from and spent ones go."""

    account: AccountKind
    player: PlayerNumber | None
    match: str | None
    garnets: int


class Ledger(Struct, frozen=True):
    """The accounts that hold something and some postings, as far as the reader may see them."""

    balances: list[Balance]
    postings: list[LedgerEntry]
    next: Next


class LedgerController(OfTournament):
    """The ledger of a tournament."""

    @post(
        "/garnets",
        summary="Give a player garnets, or take some away",
        guards=[ORGANISER],
        opt=problems("no_such_player not_enough_garnets garnets_not_allowed"),
    )
    async def post_garnets(
        self, tournament: TheTournament, data: Annotated[Garnets, GARNETS], once: Once
    ) -> Answer[Garnets]:
        """Needs an organiser's key. No purse goes below zero. The posting names who made it, to the
        player and to organisers."""
        by = tournament.by.by
        command = PostGarnets(data.player, data.amount, data.reason, by)
        return await tournament.changed(command, once, lambda _: data)

    @get(
        "/ledger",
        summary="The ledger of garnets",
        guards=[OWNERS],
        opt=problems("history_went_back"),
    )
    async def show_ledger(
        self,
        tournament: TheTournament,
        grant: TheGrant,
        after: AfterPosting = 0,
        limit: PageLimit = 100,
    ) -> Answer[Ledger]:
        """Organisers see everything; players, and moderators who also play, see their own."""
        instance, page = tournament.instance, Page(after, limit)
        opened = await instance.tournaments.current(tournament.id)
        # A match shows its players' garnets to themselves and to its moderators. Here a moderator
        # sees no more than the player that they are, if they are one.
        player = player_by(grant, tournament.id, opened.state)
        # Both as of one moment: later postings are on the next page.
        posted = opened.postings_of(player)
        if after > posted:
            raise UnknownPosition
        balances = [
            Balance(account.kind, account.player, account.match, garnets)
            for account, garnets in sorted(opened.state.balances.items(), key=_in_order)
            if player is None or account.player == player
        ]
        end = min(page.end, posted)
        # Never as they are: a page without the latest would look like the end of the ledger.
        postings = await instance.lists.followed(
            lambda index: index.postings(tournament.id, player, after=after, upto=end)
        )
        return private(Ledger(balances, postings, page.next(posted)))


def _in_order(balance: tuple[Account, int]) -> tuple[int, str]:
    """The house first, then each player's purse and what they have brought into matches."""
    account = balance[0]
    return (-1 if account.player is None else account.player, account.match or "")
