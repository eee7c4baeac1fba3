"""Play: matches and tournaments, the commands that change them, and what people judge and prove."""

from functools import partial

from service.application.cases.case_service import CaseService
from service.application.evidence.evidence import Evidence
from service.application.evidence.reads import Looks
from service.application.keys.invitations import Invitations
from service.application.keys.match_keys import MatchKeys
from service.application.keys.tables import OpenTables
from service.application.keys.tournament_keys import TournamentKeys
from service.application.matches.commits import Commits
from service.application.matches.creation import Creation
from service.application.matches.decision_queue import DecisionQueue
from service.application.matches.match_service import MatchService
from service.application.matches.match_sessions import MatchSessions
from service.application.matches.writer import Writer
from service.application.rulings.match_rulings import MatchRulingService, Succession
from service.application.rulings.ruling_lists import RulingLists
from service.application.rulings.tournament_rulings import TournamentRulingService
from service.application.scheduling.scheduler import Scheduler
from service.application.tournaments.absences import Absences
from service.application.tournaments.names import WithheldNames
from service.application.tournaments.rounds import RoundService
from service.application.tournaments.tournament_service import TournamentService
from service.application.tournaments.withdrawal import Withdrawal
from service.auth.key_uses import KeyUses
from service.auth.keyring import KeyReference
from service.composition.storage import Storage
from service.event_store.store_threads import in_store_thread
from service.notices.web_push import PushKey
from service.signing.notary import Notary
from service.signing.receipts import Receipts
from service.signing.signing_keys import ServiceSigner


class PlayParts(Storage):
    """The parts of an instance by which matches are played, judged and proven."""

    def make_matches(self, writer: Writer) -> None:
        """Makes what plays matches; `writer` commits."""
        settings, store, clock = self.settings, self.store, self.clock
        announcer, shared = self.announcer, settings.shared
        self.sessions = sessions = MatchSessions(
            store,
            self.secret_store,
            settings.limits.match_memory,
            shared=shared,
            grown=announcer.records_read,
            closed=self.closed,
        )
        announcer.closed.listen(sessions.invalidate)
        queue = DecisionQueue(sessions, clock, settings.limits.seat_bytes, self.presence)
        self.matches = MatchService(sessions, clock, announcer, queue, Commits(store, writer))
        self.tournaments = TournamentService(
            store, self.matches, self.keyring, clock, announcer, shared=shared
        )
        holders = partial(self.keyring.rename, store.recorder.replace_states)
        places = holders, self.reads.rename, self.index.rename, self.notices.rename
        self.withheld_names = WithheldNames(store, sessions, self.tournaments, self.keyring, places)
        self.scheduler = Scheduler(clock, self.matches.pass_deadline, self.instrumentation)

    def make_keys(self) -> None:
        """Makes what issues keys."""
        keyring, clock, idempotency = self.keyring, self.clock, self.idempotency
        matches, sessions, tournaments = self.matches, self.sessions, self.tournaments
        uses = KeyUses(self.properties, clock.now)
        keyring.on_used = uses.note
        self.match_keys = MatchKeys(keyring, uses, idempotency, matches, sessions, tournaments)
        self.tournament_keys = TournamentKeys(keyring, idempotency, clock)
        self.invitations = Invitations(
            self.store.keyrings, keyring, idempotency, sessions, self.match_keys, clock
        )
        self.looks = Looks(self.reads, sessions)
        self.creation = Creation(
            idempotency, matches, tournaments, keyring, self.secret_store, self.looks
        )
        self.tables = OpenTables(
            self.creation, self.invitations, keyring, matches, self.index,
            self.settings.limits.open_tables,
        )  # fmt: skip
        self.absences = Absences(tournaments, matches)
        self.rounds = RoundService(tournaments, matches, self.creation, self.absences)
        self.withdrawal = Withdrawal(tournaments, matches)

    def make_judges(self) -> None:
        """Makes what people judge by."""
        idempotency = self.idempotency
        matches, sessions, tournaments = self.matches, self.sessions, self.tournaments
        self.cases = CaseService(self.store, matches, tournaments, idempotency)
        self.ruling_lists = RulingLists(sessions)
        succession = Succession(self.match_keys, tournaments, self.looks)
        self.rulings = MatchRulingService(
            matches, self.ruling_lists, self.cases, succession, idempotency
        )
        self.tournament_rulings = TournamentRulingService(
            tournaments, sessions, self.cases, idempotency
        )

    def make_proof(self) -> None:
        """Makes what signs."""
        self.signer = signer = ServiceSigner(self.settings.key_folder, self.settings.signing.name)
        self.receipts = Receipts(signer, self.store, self.closed)
        self.notary = Notary(
            self.store,
            self.secret_store,
            self.matches.commits.append,
            signer,
            self.clock,
            self.closed,
        )
        self.evidence = Evidence(self.sessions, self.notary, signer)

    def push_key(self) -> PushKey:
        """The key for what browsers are sent. Blocks."""
        return PushKey(self.signer.ticket_secret(), self.settings.server.public_url)

    async def key_lasts(self, key: KeyReference) -> bool:
        """Whether the key by which someone asked for notices has not ended. Raises
        StoreUnavailable."""
        if key.key_hash in self.keyring.cached(key.slot, key.ring):
            return True
        return key.key_hash in await in_store_thread(self.keyring.read, key.slot, key.ring)
