"""What people do in a simulation with the keys to matches: keys, invitations and webhooks."""

import asyncio
from functools import partial
from uuid import UUID

from domain.people import Actor
from service.auth.keyring import decode_rows, hash_key, keys_of, parse_key
from service.event_store.recorder import KEYRINGS
from service.event_store.store_threads import in_store_thread
from service.http.access.grants import known_grant
from service.notices.registrations import Webhook
from tests.simulation.client_requests import Client, request_of
from tests.simulation.simulated_process import SimulatedProcess
from tests.simulation.simulated_world import KnownMatch
from tests.simulation.simulation_history import Done

PEOPLE = tuple(Actor(name, f"key of {name}") for name in ("Mo", "Mia", "Max"))

REPLACED_PLAYERS = 2
"""How many players of a tournament get other keys."""

INVITED_SECONDS = 3_600, 3_600, 2


class KeyStep(Client):
    """One step of someone who gives, takes and uses the keys to a match."""

    @property
    def actor(self) -> Actor:
        """Who it is, where a request may be sent twice."""
        return PEOPLE[self.step.number % len(PEOPLE)]

    async def key(self, match: KnownMatch) -> None:
        """Issues a key, renews or ends one, or uses it."""
        chance = self.chance
        known = self.world.known("shown", match.id)
        what = chance.choice(("renew", "end", "use", "use", "use")) if known else "issue"
        if what == "issue" or chance.random() < 0.2:
            slot = chance.choice(("mod", f"s{chance.randrange(match.seats)}"))
            await self.copies(partial(self._issued, match, slot))
            return
        key = chance.choice(known[-3:])
        if what == "use":
            await self.once(partial(self.used, match.id, key))
            return
        self.world.add(Done(self.world.now, self.step.number, "", "ending", match.id, key))
        await self.copies(partial(self._renewed if what == "renew" else self._ended, match, key))

    async def _issued(self, match: KnownMatch, slot: str, *, used: bool = True) -> str | None:
        """The key that is issued, which other steps use; None if it was shown before."""
        name, request = f"Helper {self.step.number}", request_of(f"issue {self.step.number}", slot)

        async def issued(process: SimulatedProcess) -> str | None:
            keys = process.instance.match_keys
            made = await keys.issue(match.id, slot, name, self.actor, request)
            self.done(process, "issued", match.id, made.id, str(self.world.on_record(match.id)))
            if made.key is not None and used:
                self.done(process, "shown", match.id, made.key)
            return made.key

        return await self.again(issued)

    async def _renewed(self, match: KnownMatch, key: str) -> None:
        async def renewed(process: SimulatedProcess) -> None:
            new = await process.instance.match_keys.renew(key, f"renew {self.step.number}")
            if new is not None:
                self.done(process, "shown", match.id, new, "renewed")
                await self._has_ended(match, key, process)

        await self.again(renewed)

    async def _ended(self, match: KnownMatch, key: str) -> None:
        key_id = self._id_of(match, key)

        async def ended(process: SimulatedProcess) -> None:
            await process.instance.match_keys.end(match.id, key_id, self.actor)

        name = f"end {self.step.number}"
        await self.remembered(name, ended, partial(self._has_ended, match, key))

    async def _has_ended(self, match: KnownMatch, key: str, process: SimulatedProcess) -> None:
        """It is acknowledged; from now on the key opens nothing there."""
        more = f"{self._id_of(match, key)} {self.world.on_record(match.id)}"
        self.done(process, "ended", match.id, key, more)
        await asyncio.sleep(0.001)
        await self.used(match.id, key, process)

    def _id_of(self, match: KnownMatch, key: str) -> str:
        rows = self.world.store.table(KEYRINGS).select_events(match.id)
        return next(each.id for each in keys_of(decode_rows(rows)) if each.hash == hash_key(key))

    async def used(self, ring: UUID, key: str, process: SimulatedProcess) -> None:
        """Uses a key, which an instance keeps in memory from then on."""
        begun = self.world.now
        if await known_grant(process.instance.keyring, key) is not None:
            self.done(process, "used", ring, key, str(begun))

    async def players_key(self, tournament: UUID) -> None:
        """Lets a player of a tournament use their key, and then replaces it."""
        slot, step = f"p{self.step.number % REPLACED_PLAYERS}", self.step.number
        keys = self.world.known("shown", tournament)
        old = [key for key in keys if (parse_key(key) or ("",))[0] == slot]
        for key in old[-1:]:
            self.world.add(Done(self.world.now, step, "", "ending", tournament, key))
            await self.once(partial(self.used, tournament, key))
        request = request_of(f"key of {slot} in {step}", slot)

        async def replaced(process: SimulatedProcess) -> None:
            reissue = process.instance.tournament_keys.reissue
            made = await reissue(tournament, slot, "", self.actor, request)
            if made.key is not None:
                self.done(process, "shown", tournament, made.key)
            for key in old[-1:]:
                self.done(process, "ended", tournament, key)
                await asyncio.sleep(0.001)
                await self.used(tournament, key, process)

        await self.copies(partial(self.again, replaced))

    async def invite(self, match: KnownMatch) -> None:
        """Makes an invitation, takes one back, or accepts one, as two people do at once."""
        chance, step = self.chance, self.step.number
        known = self.world.known("invited", match.id)
        if not known or chance.random() < 0.4:
            seat, seconds = chance.randrange(match.seats), chance.choice(INVITED_SECONDS)
            request = request_of(f"invite {step}", seat)

            async def invited(process: SimulatedProcess) -> None:
                make = process.instance.invitations.make
                made = await make(match.id, seat, seconds, self.actor, request)
                if made.token is not None:
                    self.done(process, "invited", match.id, f"{made.made.id} {made.token}")

            await self.again(invited)
            return
        name, token = chance.choice(known[-2:]).split()
        if chance.random() < 0.3:

            async def revoked(process: SimulatedProcess) -> None:
                await process.instance.invitations.revoke(match.id, name, self.actor)

            async def acknowledged(process: SimulatedProcess) -> None:
                self.done(process, "taken back", match.id, name)

            await self.remembered(f"take back {step}", revoked, acknowledged)
            return

        async def accepted(request: str, process: SimulatedProcess) -> None:
            given = await process.instance.invitations.accept(match.id, token, request)
            self.done(process, "accepted", match.id, name, given.key)
            self.done(process, "shown", match.id, given.key)

        both = (f"accept {step} {n}" for n in range(chance.choice((1, 2))))
        await self.together(*(partial(self.again, partial(accepted, one)) for one in both))

    async def hook(self, match: KnownMatch) -> None:
        """Registers a webhook for a match, with a moderator's key."""
        step = self.step.number
        secret, salt = self.chance.randbytes(32), self.chance.randbytes(32)
        key = await self._issued(match, "mod", used=False)
        if key is None or parse_key(key) is None:
            return

        async def registered(process: SimulatedProcess) -> None:
            webhook = Webhook(
                f"hook {step}", "https://hooks.example", secret, salt,
                ("started", "awaiting", "ended", "ruling", "reminder"), str(match.id), None, None,
                60, process.instance.keyring.reference(key), process.clock.now(),
            )  # fmt: skip
            await in_store_thread(process.instance.webhooks.add, webhook)
            stored = await in_store_thread(process.instance.webhooks.find, webhook.id)
            if stored is not None:
                known = f"{stored.since} {self.world.on_record(match.id)}"
                self.done(process, "hooked", match.id, webhook.id, known)

        await self.again(registered)
