"""What clients do in a simulation, each step with luck of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from domain.games import GAMES
from domain.match.commands import GiveClientSeed
from domain.tournament.commands import NewTournament, PostGarnets
from projections.audience import menu
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.matches.creation import NewMatch
from tests.simulation.client_requests import AGAIN, FINAL, request_of
from tests.simulation.people_steps import PEOPLE_STEPS, PeopleStep
from tests.simulation.simulated_process import SimulatedProcess
from tests.simulation.simulated_reader import SimulatedReader
from tests.simulation.simulated_world import KnownMatch, World
from tests.simulation.simulation_history import Posted, Sent
from tests.simulation.simulation_plan import Step, StepKind
from tests.support.game_actions import refused
from tests.support.games import usual, variety
from tests.support.instance.service_instance import sends
from tests.support.tables.directing import START, close_phase, pause, resume

MOST_LOOKS = 3
"""Maximum further matches that a client looks at to find one in which it can act."""

CLOCKS: Mapping[str, Mapping[str, Any]] = {
    "twelve-chips": {"turn_seconds": 1, "tokens_to_win": 1},
    "dollar-prize": {"turn_seconds": 2},
    "liars-dice": {"turn_seconds": 5, "dice": 1},
    "grouping-bw": {"bet_seconds": 2, "group_seconds": 3},
}
"""Options with which the clocks of a game are soon over."""

OFTEN = ("twelve-chips", "liars-dice", "dollar-prize")
"""Games that are played more often than others: they are short."""

PLAYERS = tuple(f"Player {number}" for number in range(8))


class ClientStep(PeopleStep):
    """A client that does one step; `readers` are those who follow streams."""

    def __init__(self, world: World, step: Step, readers: list[SimulatedReader]) -> None:
        super().__init__(world, step)
        self.readers = readers

    async def run(self) -> None:
        """Does the step. Errors that no client should see are in the history."""
        try:
            await _STEPS[self.step.kind](self)
        except (*AGAIN, *FINAL) as error:
            self.failed(self.step.kind, error)
        except Exception as error:  # noqa: BLE001  the check of the history finds it
            self.failed("unexpected", error)

    # Steps.

    async def create(self) -> None:
        chance, world = self.chance, self.world
        game = chance.choice(OFTEN) if chance.random() < 0.8 else chance.choice(list(GAMES))
        names = usual(game)
        options = dict(chance.choice(variety(game)))
        timed = chance.random() < 0.6
        if timed:
            options |= CLOCKS.get(game, {})
        tournament = None
        if world.tournaments and chance.random() < 0.6:
            tournament, names = chance.choice(world.tournaments), PLAYERS[: len(names)]
        request = request_of(f"create {self.step.number}", {"game": game, "options": options})

        new = NewMatch(
            game,
            names,
            options,
            clock="rules" if timed else "none",
            rulings=chance.choice(("two", "two", "single")),
            tournament=None if tournament is None else str(tournament),
        )

        async def created(process: SimulatedProcess) -> UUID:
            made = await process.instance.creation.match(new, request)
            self.created("match", made.id, tournament)
            return made.id

        match_id = await self.again(created)
        match = KnownMatch(match_id, game, len(names), tournament)
        world.matches.append(match)
        if chance.random() < 0.85:
            await self.execute(match, START, MODERATOR)

    async def start(self) -> None:
        match = self.any_match()
        if match is not None:
            if self.chance.random() < 0.2:
                await self.execute(match, GiveClientSeed(0, f"seed {self.step.number}"), 0)
            await self.execute(match, START, MODERATOR)

    async def act(self) -> None:
        chance, match = self.chance, self.any_match()
        if match is None:
            return
        found = await self._chosen(match)
        for _ in range(MOST_LOOKS):
            if found is None:
                match = self.any_match() or match
                found = await self._chosen(match)
        if found is None:
            found = chance.randrange(match.seats), chance.choice(refused(match.game)), 0
        seat, action, seen = found
        key = f"key {self.step.number}" if chance.random() < 0.8 else None
        sent = sends(seat, msgspec.convert(action, GAMES[match.game].Action), key)
        self.world.add(
            Sent(self.world.now, self.step.number, match.id, seat, key, sent.sent_fields)
        )
        expected = frozenset({seen}) if chance.random() < 0.15 else None
        copies = chance.choice((1, 1, 1, 2, 3)) if key is not None else 1
        await asyncio.gather(*(self.copy(match, sent, seat, expected) for _ in range(copies)))

    async def moderate(self) -> None:
        match = self.any_match()
        if match is not None:
            ruling = f"ruling {self.step.number}"
            paused, resumed = pause(ruling), resume(ruling)
            command = self.chance.choice((paused, resumed, resumed, resumed, close_phase()))
            await self.execute(match, command, MODERATOR)

    async def read(self) -> None:
        match = self.any_match()
        if match is None:
            return
        viewer = self._viewer(match)
        seq = await self.once(partial(self.viewed, match.id, viewer, None))
        if seq and self.chance.random() < 0.5:
            # On another instance perhaps: what was seen there stays seen.
            await self.once(partial(self.viewed, match.id, viewer, self.chance.randint(0, seq)))

    async def lines(self) -> None:
        match = self.any_match()
        if match is None:
            return
        viewer, after = self._viewer(match), self.chance.randint(0, 30)

        async def read(process: SimulatedProcess) -> None:
            found, _ = await process.instance.sessions.lines(match.id, viewer, after, 50)
            for line in found:
                self.line(process, match.id, viewer, after, line)

        await self.once(read)

    async def follow(self) -> None:
        match = self.any_match()
        if match is not None:
            reader = SimulatedReader(
                self.world, self.step.number, match.id, self._viewer(match), self.chance
            )
            self.readers.append(reader)
            await reader.follow()

    async def wait(self) -> None:
        match = self.any_match()
        if match is None:
            return
        viewer = self._viewer(match)

        async def waited(process: SimulatedProcess) -> None:
            streams, sessions = process.instance.streams, process.instance.sessions
            _, projection = await sessions.projection(match.id, viewer)
            after = projection.seq
            await streams.wait_for_event(match.id, viewer, after, 5.0)
            found, _ = await sessions.lines(match.id, viewer, after, 50)
            for line in found:
                self.line(process, match.id, viewer, after, line)

        await self.once(waited)

    async def tournament(self) -> None:
        request = request_of(f"tournament {self.step.number}", {})
        command = NewTournament("Cup", PLAYERS, ("Mo",), dict.fromkeys(PLAYERS, 5))

        async def created(process: SimulatedProcess) -> UUID:
            tournament, _ = await process.instance.creation.tournament(command, request)
            self.created("tournament", tournament, None)
            return tournament

        self.world.tournaments.append(await self.again(created))

    async def post(self) -> None:
        if not self.world.tournaments:
            return
        tournament = self.chance.choice(self.world.tournaments)
        request = request_of(f"post {self.step.number}", {})
        amount = self.chance.choice((-3, -1, 1, 2))
        command = PostGarnets(self.chance.randrange(len(PLAYERS)), amount, "by hand")

        async def posted(process: SimulatedProcess) -> None:
            done = await process.instance.tournaments.execute(tournament, command, request)
            self.world.add(
                Posted(self.world.now, self.step.number, tournament, request.key, done.repeated)
            )

        await self.again(posted)
        await self.players_key(tournament)

    async def _chosen(self, match: KnownMatch) -> tuple[int, Any, int] | None:
        """A seat, an action that its menu offers or perhaps one that does not belong there, and the
        number of the view that the seat saw; None if there is no menu."""
        chance = self.chance

        async def menus(process: SimulatedProcess) -> tuple[int, list[Any], int]:
            loaded, _ = await process.instance.sessions.projection(match.id, PUBLIC_VIEWER)
            awaited = loaded.match.awaiting.seats
            seat = chance.choice(awaited) if awaited else chance.randrange(match.seats)
            _, own = await process.instance.sessions.projection(match.id, seat)
            if loaded.match.status != "running":
                return seat, [], own.seq
            offered = menu.entries(loaded.game, loaded.game.legal(loaded.match.game, seat))
            return seat, [example for entry in offered for example in entry.examples], own.seq

        seat, examples, seen = await self.once(menus)
        if not examples:
            return None
        if chance.random() < 0.1:
            examples = list(refused(match.game))
        return seat, chance.choice(examples), seen

    def _viewer(self, match: KnownMatch) -> Viewer:
        viewers: tuple[Viewer, ...] = (PUBLIC_VIEWER, MODERATOR, *range(match.seats))
        return self.chance.choice(viewers)


_STEPS: Mapping[StepKind, Callable[[ClientStep], Awaitable[None]]] = {
    "create": ClientStep.create,
    "start": ClientStep.start,
    "act": ClientStep.act,
    "moderate": ClientStep.moderate,
    "read": ClientStep.read,
    "lines": ClientStep.lines,
    "follow": ClientStep.follow,
    "wait": ClientStep.wait,
    "tournament": ClientStep.tournament,
    "post": ClientStep.post,
    **dict.fromkeys(PEOPLE_STEPS, ClientStep.people),
}
