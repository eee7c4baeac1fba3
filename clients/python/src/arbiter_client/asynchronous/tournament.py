"""A tournament, with what its key allows."""

from collections.abc import AsyncGenerator

from arbiter_client.answers import Row
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.asynchronous.rulings import Ruleable


class AsyncTournament(Ruleable):
    """A tournament, as the holder of a key sees it or runs it. It is ruled on as a match is, by
    corrections of its matches."""

    def __init__(self, calls: Calls, tournament_id: str) -> None:
        super().__init__(calls, f"/v1/tournaments/{tournament_id}")
        self.id = tournament_id

    async def view(self) -> Row:
        """Its players, moderators and matches, and the standings."""
        return await self.get("", Row)

    async def enter(self, name: str, garnets: int = 0) -> Row:
        """Enters a player, as an organiser; returns them with their key."""
        return await self._post("players", Row, {"name": name, "garnets": garnets})

    async def appoint(self, name: str) -> Row:
        """Appoints a moderator, as an organiser; returns them with their key."""
        return await self._post("moderators", Row, {"name": name})

    async def assign(self, match: str, moderator: int) -> None:
        """Gives a match to a moderator, by number, as an organiser."""
        await self._post(f"matches/{match}/moderators", object, {"moderator": moderator})

    async def post_garnets(self, player: int, amount: int, reason: str) -> None:
        """Gives garnets to a player, or takes some with a negative amount, as an organiser."""
        body = {"player": player, "amount": amount, "reason": reason}
        await self._post("garnets", object, body)

    def ledger(self) -> AsyncGenerator[Row, None]:
        """The postings that the key may see."""
        return self.rows("ledger", "postings", Row)

    async def announcement(self, number: int) -> str:
        """What everyone may know of a round before it begins, as text."""
        return (await self.get(f"rounds/{number}/announcement", bytes)).decode()
