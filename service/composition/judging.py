"""Judging: rulings on matches and tournaments, and cases."""

from service.application.case_service import CaseService
from service.application.match_rulings import MatchRulingService
from service.application.ruling_lists import RulingLists
from service.application.ruling_reader import RulingReader
from service.application.succession import Succession
from service.application.tournament_rulings import (
    TournamentRulingLists,
    TournamentRulingService,
)
from service.composition.feature import Feature
from service.composition.play import Keys, Play
from service.composition.storage import Storage


class Judging(Feature):
    """The parts of an instance by which people judge."""

    cases: CaseService
    rulings: MatchRulingService
    ruling_lists: RulingLists
    corrections: TournamentRulingService
    correction_lists: TournamentRulingLists


def judging(storage: Storage, play: Play, keys: Keys) -> Judging:
    """Makes what people judge by."""
    store, clock, idempotency = storage.store, storage.clock, storage.idempotency
    cases = CaseService(store, play.matches, play.sessions, idempotency, clock)
    lists = RulingLists(play.sessions)
    reader = RulingReader(play.sessions, storage.lists, storage.secret_store, clock)
    succession = Succession(keys.match_keys, play.sessions, play.tournaments, keys.looks)
    return Judging(
        cases=cases,
        rulings=MatchRulingService(play.matches, reader, lists, cases, succession, idempotency),
        ruling_lists=lists,
        corrections=TournamentRulingService(
            play.tournaments, play.sessions, storage.lists, clock, idempotency
        ),
        correction_lists=TournamentRulingLists(play.tournaments, storage.lists),
    )
