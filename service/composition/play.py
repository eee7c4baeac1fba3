"""Play: matches and tournaments, and the commands that change them."""

from service.application.creation import Creation, NewSecrets
from service.application.decision_queue import DecisionQueue
from service.application.invitations import Invitations
from service.application.key_records import KeyRecords
from service.application.match_keys import MatchKeys
from service.application.match_service import MatchService
from service.application.match_sessions import MatchSessions
from service.application.reads import Looks
from service.application.scheduler import Scheduler
from service.application.tournament_service import TournamentService
from service.application.writer import Writer
from service.auth.key_uses import KeyUses
from service.composition.feature import Feature
from service.composition.storage import Storage
from service.composition.time import Time


class Play(Feature):
    """The parts of an instance by which matches are played."""

    sessions: MatchSessions
    matches: MatchService
    scheduler: Scheduler
    tournaments: TournamentService


def play(storage: Storage, time: Time, writer: Writer | None) -> Play:
    """Makes what plays matches; `writer` replaces the thread that commits."""
    settings, clock, announcer = storage.settings, storage.clock, storage.announcer
    sessions = MatchSessions(
        storage.store,
        storage.secret_store,
        settings.limits.match_memory,
        shared=settings.shared,
        grown=announcer.read,
        closed=storage.closed,
    )
    announcer.closed.listen(sessions.invalidate)
    queue = DecisionQueue(sessions, clock, settings.limits.seat_bytes, time.presence)
    matches = MatchService(storage.store, sessions, clock, announcer, queue, writer or Writer())
    tournaments = TournamentService(
        storage.store, matches, storage.keyring, clock, announcer.changed, shared=settings.shared
    )
    scheduler = Scheduler(clock, matches.pass_deadline, storage.instrumentation)
    return Play(sessions=sessions, matches=matches, scheduler=scheduler, tournaments=tournaments)


class Keys(Feature):
    """The parts of an instance that create matches and tournaments, and issue keys to them."""

    match_keys: MatchKeys
    key_records: KeyRecords
    invitations: Invitations
    looks: Looks
    creation: Creation


def keys(storage: Storage, play: Play) -> Keys:
    """Makes what issues keys."""
    keyring, clock, idempotency = storage.keyring, storage.clock, storage.idempotency
    uses = KeyUses(storage.properties, clock.now)
    keyring.on_used = uses.note
    match_keys = MatchKeys(
        keyring, uses, idempotency, play.matches, play.sessions, play.tournaments
    )
    invitations = Invitations(
        storage.store.keyrings, keyring, clock, idempotency, play.sessions, match_keys
    )
    looks = Looks(storage.reads, play.sessions)
    secrets = NewSecrets(keyring, storage.secret_store)
    return Keys(
        match_keys=match_keys,
        key_records=KeyRecords(keyring, storage.properties, match_keys.complete),
        invitations=invitations,
        looks=looks,
        creation=Creation(idempotency, play.matches, play.tournaments, secrets, clock, looks),
    )
