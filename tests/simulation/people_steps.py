"""What people do around matches in a simulation: rulings and cases."""

from bisect import bisect_left
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from uuid import UUID

from domain.cases.state import Speaker
from domain.game import Result
from domain.people import Actor
from domain.rulings.commands import ConsentToRuling, Rule, SecondRuling, WithdrawRuling
from domain.rulings.kinds import Extend, Note, ReplaceSeat, Rewind, RuleResult, Ruling, VoidMatch
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from service.application.cases.cases import FirstStatement
from service.application.rulings.rulings import NOBODY, RulingSender
from tests.simulation.client_requests import request_of
from tests.simulation.key_steps import PEOPLE, KeyStep
from tests.simulation.simulated_process import SimulatedProcess
from tests.simulation.simulated_world import KnownMatch
from tests.simulation.simulation_history import DoneKind
from tests.simulation.simulation_plan import StepKind

EVENTS_BACK = 12
"""Maximum public events that a rewind undoes."""


class PeopleStep(KeyStep):
    """One step of someone who directs a match, judges it, or has its keys."""

    async def people(self) -> None:
        """Does the step, with one of the latest matches; then the latest keys to it are used."""
        match = self.any_match()
        if match is not None:
            await PEOPLE_STEPS[self.step.kind](self, match)
            for key in self.world.known("shown", match.id)[-2:]:
                await self.once(partial(self.used, match.id, key))

    # Rulings.

    async def rule(self, match: KnownMatch) -> None:
        """Rules, and does something about a ruling that is known."""
        chance = self.chance
        if chance.random() < 0.5 or not self.world.known("ruled", match.id):
            await self._rule_anew(match)
        known = self.world.known("ruled", match.id)
        if not known:
            return
        ruling, actor = chance.choice(known[-2:]), chance.choice(PEOPLE)
        kinds: tuple[DoneKind, ...] = ("seconded", "consented", "withdrawn")
        kind = chance.choices(kinds, (6, 6, 1))[0]
        if kind == "seconded":
            await self._ruled(match, SecondRuling(ruling, actor), kind)
            return
        if kind == "consented":
            for seat in range(match.seats):
                consent = ConsentToRuling(ruling, seat)
                await self.copies(partial(self._ruled, match, consent, kind, f"/{seat}"))
            return

        async def withdraw(process: SimulatedProcess) -> None:
            await process.instance.rulings.withdraw(match.id, WithdrawRuling(ruling, actor))
            self.done(process, "withdrawn", match.id, ruling)

        await self.once(withdraw)

    async def _rule_anew(self, match: KnownMatch) -> None:
        chance, world = self.chance, self.world
        cases, rulings = world.known("opened", match.id), world.known("ruled", match.id)
        command = Rule(
            "",
            self._ruling(match),
            f"ruling {self.step.number}",
            chance.choice(PEOPLE),
            appeals=chance.choice(rulings) if rulings and chance.random() < 0.2 else None,
            case=chance.choice(cases) if cases and chance.random() < 0.4 else None,
            ask_seats=chance.random() < 0.4,
        )
        await self.copies(partial(self._ruled, match, command, "ruled"))

    def _ruling(self, match: KnownMatch) -> Ruling:
        chance, step = self.chance, self.step.number
        seen = self.world.records.positions(match.id, MODERATOR)
        public = self.world.records.positions(match.id, PUBLIC_VIEWER)[-EVENTS_BACK:]
        scores = tuple(int(seat == 0) for seat in range(match.seats))
        every: Mapping[Ruling, int] = {
            Note(chance.choice(("public", "sealed", "seat:0")), "heed this", "warning"): 4,
            Extend(seconds=chance.randint(1, 9)): 3,
            ReplaceSeat(chance.randrange(match.seats), f"Sub {step}"): 3,
            Rewind(bisect_left(seen, chance.choice(public)) + 1): 9,
            RuleResult(Result((0,), tuple(range(1, match.seats)), False, scores), "adjudicated"): 1,
            VoidMatch(): 1,
        }
        return chance.choices(list(every), list(every.values()))[0]

    async def _ruled(
        self,
        match: KnownMatch,
        command: Rule | SecondRuling | ConsentToRuling,
        kind: DoneKind,
        more: str = "",
    ) -> None:
        request = request_of(f"{kind} {self.step.number}{more}", command)
        sender = NOBODY
        if isinstance(command, ConsentToRuling):
            sender = RulingSender(viewer=command.seat)

        async def ruled(process: SimulatedProcess) -> None:
            execute = process.instance.rulings.execute
            answer = (await execute(match.id, command, request, sender=sender)).answer
            key = answer.key or None
            if key is not None:
                self.done(process, "shown", match.id, key)
            carried_out = answer.status == "carried_out"
            self.done(process, kind, match.id, answer.ruling, f"{carried_out}{more}")

        await self.again(ruled)

    # Cases.

    async def case(self, match: KnownMatch) -> None:
        """Opens a case, or does something in one."""
        chance, text = self.chance, f"said in {self.step.number}"
        known, seat = self.world.known("opened", match.id), chance.randrange(match.seats)
        speaker = chance.choice((Speaker("seat", seat, None, "key"), _speaker(PEOPLE[0])))
        actor, request = chance.choice(PEOPLE), request_of(text, text)
        if not known or chance.random() < 0.3:

            async def opened(process: SimulatedProcess) -> None:
                cases = process.instance.cases.of_match(match.id)
                made = await cases.open(speaker, FirstStatement(None, text), request)
                if made.id not in await cases.list_ids(MODERATOR):
                    raise LookupError(made.id)  # The check of the history finds it.
                self.done(process, "opened", match.id, str(made.id), text)

            await self.copies(partial(self.again, opened))
            return
        kinds = ("say", "say", "close", "close", "appeal", "party", "publish")
        what, case_id = chance.choice(kinds), UUID(chance.choice(known[-2:]))

        async def changed(process: SimulatedProcess) -> None:
            cases = process.instance.cases.of_match(match.id)
            changes: Mapping[str, Callable[[], Awaitable[object]]] = {
                "say": lambda: cases.say(case_id, speaker, text, None, request),
                "close": lambda: cases.close(case_id, text, actor),
                "appeal": lambda: cases.appeal(case_id, speaker, text),
                "party": lambda: cases.add_party(case_id, seat, actor),
                "publish": lambda: cases.publish(case_id, actor),
            }
            await changes[what]()
            if what not in ("party", "publish"):
                self.done(process, "said", match.id, str(case_id), text)

        await (self.copies(partial(self.again, changed)) if what == "say" else self.once(changed))


def _speaker(actor: Actor) -> Speaker:
    return Speaker("moderator", None, actor.by, actor.key_id)


PEOPLE_STEPS: Mapping[StepKind, Callable[[PeopleStep, KnownMatch], Awaitable[None]]] = {
    "rule": PeopleStep.rule,
    "case": PeopleStep.case,
    "key": PeopleStep.key,
    "invite": PeopleStep.invite,
    "hook": PeopleStep.hook,
}
