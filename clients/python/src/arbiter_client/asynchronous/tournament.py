"""A tournament, with what its key allows."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import Any

from arbiter_client.answers import Row
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.asynchronous.rulings import Ruleable
from arbiter_client.directing import Draft
from arbiter_client.requests import Request, condition, decoded, encoded, once, only, table_of


class AsyncTournament(Ruleable):
    """A tournament, as the holder of a key sees it or runs it. It is ruled on as a match is, by
    corrections of its matches."""

    _party = "player"

    def __init__(self, calls: Calls, tournament_id: str) -> None:
        super().__init__(calls, f"/v1/tournaments/{tournament_id}")
        self.id = tournament_id

    async def view(self) -> Row:
        """Its players, moderators and matches, and the standings."""
        return await self.get("", Row)

    async def enter(
        self,
        name: str,
        garnets: int = 0,
        *,
        rating: int | None = None,
        seed: int | None = None,
        team: str | None = None,
        external_id: str | None = None,
    ) -> Row:
        """Enters a player, as an organiser; returns them with their key."""
        facts = only(rating=rating, seed=seed, team=team, external_id=external_id)
        return await self._post("players", Row, {"name": name, "garnets": garnets, **facts})

    async def enter_all(self, players: bytes | Iterable[Mapping[str, Any]]) -> list[Row]:
        """Enters many players or none, as an organiser: a CSV, or rows with what `enter` takes.
        Returns them with their keys."""
        body = players if isinstance(players, bytes) else table_of(players)
        headers = {"Content-Type": "text/csv"} | once()
        made = await self._post("players", dict[str, list[Row]], body, headers)
        return made["players"]

    async def roster(self) -> list[Row]:
        """The players with the organiser's own ids, as an organiser."""
        return (await self.get("players", dict[str, list[Row]]))["players"]

    async def open_registration(
        self, limit: int | None = None, closes: str | None = None, *, waiting_list: bool = False
    ) -> str:
        """Opens a link by which players enter themselves, as an organiser."""
        body = {**only(limit=limit, closes=closes), "waiting_list": waiting_list}
        return str((await self._post("registration", Row, body))["link"])

    async def close_registration(self) -> None:
        """Closes the registration, as an organiser."""
        await self._delete("registration")

    async def register(self, name: str, token: str, key: str) -> Row:
        """Enters a name by the token behind `#register-` of a link; returns the player with their
        key, or how many are `waiting`. Sent again with the same idempotency `key`, which is 16
        characters or more, it moves up from the waiting list."""
        body = {"name": name, "token": token}
        return await self._post("registration/entries", Row, body, once(key))

    async def appoint(self, name: str) -> Row:
        """Appoints a moderator, as an organiser; returns them with their key."""
        return await self._post("moderators", Row, {"name": name})

    async def appoint_organiser(self, name: str) -> Row:
        """Appoints one more organiser of this tournament alone; returns them with their key."""
        return await self._post("organisers", Row, {"name": name})

    async def organisers(self) -> Row:
        """Who made it, and the organisers who were appointed, as an organiser."""
        return await self.get("organisers", Row)

    async def new_key(self, who: str, number: int) -> Row:
        """Another key, in place of those that one of the `players`, `moderators` or `organisers`
        has, who is returned with it, as an organiser."""
        return await self._post(f"{who}/{number}/key", Row)

    async def invite(self, player: int) -> Row:
        """A link by which a player gets their key, as an organiser; `accept` takes it."""
        return await self._post(f"players/{player}/invitation", Row)

    async def remove(self, who: str, number: int) -> None:
        """Removes one of the `moderators` or `organisers`, as an organiser."""
        await self._delete(f"{who}/{number}")

    async def take(self, match: str, moderator: int) -> None:
        """Takes a match from a moderator, by number, as an organiser."""
        await self._delete(f"matches/{match}/moderators/{moderator}")

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

    def reads(self, /, **filters: Any) -> AsyncGenerator[Row, None]:
        """The looks at its matches, for staff; filters are those of `cases`."""
        return self.rows("reads", "reads", Row, **filters)

    def keys(self, /, **filters: Any) -> AsyncGenerator[Row, None]:
        """Its valid keys and those of its matches, for staff; filters are those of `cases`."""
        return self.rows("keys", "keys", Row, **filters)

    async def announcement(self, number: int) -> str:
        """What everyone may know of a round before it begins, as text."""
        return (await self.get(f"rounds/{number}/announcement", bytes)).decode()

    async def export(self, form: str = "json", stage: int | None = None) -> bytes:
        """What everyone may see of it as `json`, or of a stage as `csv` or `trf`."""
        return await self.get("export", bytes, form=form, stage=stage)

    # Players.

    async def withdraw_player(self, player: int, reason: str) -> Row:
        """The player, by number, leaves from the next round on."""
        return await self._post(f"players/{player}/withdrawal", Row, {"reason": reason})

    async def return_player(self, player: int) -> None:
        """The player is back from the next round on."""
        await self._delete(f"players/{player}/withdrawal")

    async def rename_player(self, player: int, name: str, reason: str) -> Row:
        """The player has another name from now on, as an organiser."""
        return await self._post(f"players/{player}/name", Row, {"name": name, "reason": reason})

    async def withhold_name(self, player: int) -> None:
        """Every name that the player has had is shown no more, as an organiser."""
        await self._delete(f"players/{player}/name")

    async def ask_bye(self, player: int, round: int, stage: int | None = None) -> Row:  # noqa: A002  its name in the API
        """The player sits out a round that is not published yet."""
        body = {"round": round, **only(stage=stage)}
        return await self._post(f"players/{player}/byes", Row, body)

    async def open_check_in(self, closes: str) -> Row:
        """Opens the check-in until an instant, as an organiser."""
        return await self._post("check-in", Row, {"closes": closes})

    async def check_in(self, player: int) -> Row:
        """The player is there."""
        return await self._post(f"players/{player}/check-in", Row)

    async def give_seed(self, seed: str) -> Row:
        """Adds to the next draw of lots, as a player."""
        return await self._post("client-seeds", Row, {"seed": seed})

    # Stages and rounds.

    async def add_stage(self, settings: Row) -> Row:
        """Adds a stage, as an organiser; the documentation on tournaments has all settings."""
        return await self._post("stages", Row, settings)

    async def stages(self) -> list[Row]:
        """Its stages, in order."""
        return list((await self.get("stages", dict[str, list[Row]]))["stages"])

    async def draft(self, /, stage: int, **wanted: Any) -> Draft:
        """The next round of a stage as it would be published now, as an organiser: as its format
        pairs it, or by hand with `pairings`, `byes` and `reason`. Waits until it is drafted."""
        body = encoded({**wanted, "preview": True})
        while True:
            sent = Request("POST", self._address(f"stages/{stage}/rounds"), {}, once(), body)
            answer = await self._calls.answer(sent)
            if answer.status != 202:
                return decoded(answer, Draft)
            await self._calls.transport.pause(float(answer.headers.get("retry-after", 1)))

    async def publish(self, /, stage: int, draft: Draft | str, **wanted: Any) -> Row:
        """Publishes the next round as it was drafted from the same wishes, or else raises Stale."""
        headers = condition(draft) | once()
        return await self._post(f"stages/{stage}/rounds", Row, wanted, headers)

    async def draw_lots(self, stage: int) -> Row:
        """Draws the order of lots of a stage, once, as an organiser."""
        return await self._post(f"stages/{stage}/lots", Row)

    async def round(self, stage: int, number: int) -> Row:
        """A published round: who meets whom, why, and the results that count."""
        return await self.get(f"stages/{stage}/rounds/{number}", Row)

    async def withdraw_round(self, stage: int, number: int, reason: str) -> None:
        """Withdraws a round of which no match has started, as an organiser."""
        await self._delete(f"stages/{stage}/rounds/{number}", {"reason": reason})

    async def absences(self, stage: int, number: int) -> list[Row]:
        """The matches of a round that are not over by its end, and who has done nothing in them,
        as an organiser or a moderator."""
        found = await self.get(f"stages/{stage}/rounds/{number}/absences", dict[str, list[Row]])
        return list(found["absences"])

    async def forfeit(self, stage: int, number: int, absence: Row, reason: str) -> Row:
        """Rules a forfeit for one of these absences."""
        body = {"match": absence["match"], "absent": absence["absent"], "reason": reason}
        return await self._post(f"stages/{stage}/rounds/{number}/forfeits", Row, body)

    async def give_time(
        self, stage: int, number: int, ends: str, reason: str, tables: list[int] | None = None
    ) -> Row:
        """A round, or these tables of it, may last until a later instant, as an organiser."""
        body = {"ends": ends, "reason": reason, **only(tables=tables)}
        return await self._post(f"stages/{stage}/rounds/{number}/time", Row, body)

    async def standings(
        self, stage: int | None = None, after: int | None = None, explain: int | None = None
    ) -> Row:
        """The standings of a stage, or as they stood after a round; of one player explained."""
        return await self.get("standings", Row, stage=stage, after=after, explain=explain)

    async def bracket(self, stage: int) -> list[Row]:
        """The matches of an elimination."""
        return list((await self.get(f"stages/{stage}/bracket", dict[str, list[Row]]))["slots"])

    async def close_stage(self, stage: int) -> Row:
        """Fixes the places of a stage, as an organiser."""
        return await self._post(f"stages/{stage}/close", Row)

    async def close_tournament(self) -> Row:
        """Ends it, as an organiser; returns the champions."""
        return await self._post("close", Row)
