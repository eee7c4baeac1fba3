"""Standings, pages and ledgers of tournaments in the index equal a plain fold of the record,
whichever instance follows the log, in whatever steps."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from uuid import UUID

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from domain.events import Event, Record
from domain.game import Refused, Result
from domain.match.commands import Conflict
from domain.match.events import MatchCreated, MatchEnded, MatchStarted, SeatNamed
from domain.rulings.events import MatchVoided
from domain.rulings.life import PENDING
from domain.tournament.commands import (
    AddMatch,
    Command,
    NewPlayer,
    NewTournament,
    PostGarnets,
    SettleMatch,
)
from domain.tournament.decide import decide
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchSettled,
    PlayerNamed,
    TournamentCreated,
)
from domain.tournament.fold import fold
from domain.tournament.staff import GiveMatch, NewModerator
from domain.tournament.state import NOTHING_YET, KeyedRequest, Tournament
from projections.audience.results import CorrectedResult, show_result
from projections.tournaments.ledger import LedgerEntry, entry_of
from projections.tournaments.standings import Standing, standings
from service.event_store.database import select_from
from service.event_store.stream_ids import time_ordered
from service.read_models import follower
from service.read_models.index import Index
from tests.support.instance.index_log import BLIND, Log, contents, entered
from tests.support.instants import NOON
from tests.support.tables.correction_tables import MO, correct, facts, second


def standings_of(events: Sequence[Event]) -> list[Standing]:
    """The standings of the tournament."""
    players = [e.name for e in events if isinstance(e, PlayerNamed)]
    matches: dict[str, tuple[tuple[int, ...], Result | None]] = {}
    for event in events:
        match event:
            case MatchAdded(match, _, seats):
                matches[match] = seats, None
            case MatchSettled(match, result) | MatchCorrected(match, result):
                matches[match] = matches[match][0], result
    rows = [_standing(n, name, list(matches.values())) for n, name in enumerate(players)]
    return sorted(rows, key=lambda row: (-row.won, -row.shared, row.name))


def _standing(
    player: int, name: str, matches: Sequence[tuple[tuple[int, ...], Result | None]]
) -> Standing:
    outcomes = []
    for players, result in matches:
        if result is not None and player in players:
            seat = players.index(player)
            won = "shared" if result.shared else "won"
            outcomes.append(
                won if seat in result.winners else "lost" if seat in result.losers else ""
            )
    counts = [outcomes.count(outcome) for outcome in ("won", "shared", "lost")]
    return Standing(player, name, len(outcomes), *counts)


def postings(records: Iterable[Record[Event]], player: int | None) -> list[LedgerEntry]:
    """The postings of a player, or of everyone, as their ledger counts them."""
    every = [
        (record.at, record.event) for record in records if isinstance(record.event, GarnetsPosted)
    ]
    own = [(at, event) for at, event in every if player in (None, event.seat)]
    return [
        entry_of(seq, at, event, _reversed(event, [of_all for _, of_all in every], player))
        for seq, (at, event) in enumerate(own, 1)
    ]


def _reversed(
    event: GarnetsPosted, every: Sequence[GarnetsPosted], player: int | None
) -> int | None:
    """The number of the posting that another one reverses: it is named by that of its player."""
    if event.reverses is UNSET or player is not None:
        return None if event.reverses is UNSET else event.reverses
    places = [n for n, posted in enumerate(every, 1) if posted.seat == event.seat]
    return places[event.reverses - 1]


EXAMPLES = {"service.event_store.sqlite": 15, "service.event_store.postgres": 6}

RESULTS = [
    Result((0,), (1,), False, (3, 1)),
    Result((1,), (0,), False, (0, 1)),
    Result((0, 1), (), True, (2, 2)),
    Result((1,), (), False, (0, 1)),
    None,
]


class Cup:
    """A tournament on record, as the tournament service would write it."""

    def __init__(self, log: Log, *players: str) -> None:
        self.log = log
        self.id = time_ordered(NOON // 1000 + len(log.lengths))
        self.state = NOTHING_YET
        self.statuses: dict[str, str] = {}
        self.enter(NewTournament("Cup", players, (), dict.fromkeys(players, 3)))

    def enter(self, command: Command) -> None:
        """Records the events of a command; none if it is refused."""
        try:
            events = decide(self.state, command, KeyedRequest(str(len(self.statuses)), b""))
        except (Conflict, Refused):
            return
        self.log.put(self.id, *events)
        self.state = fold(self.state, events)

    def add(self, seats: tuple[str, str], garnets: tuple[int, int]) -> None:
        match_id = time_ordered(NOON // 1000 + len(self.log.lengths))
        self.enter(AddMatch(str(match_id), "twelve-chips", seats, garnets))
        if str(match_id) in self.state.matches:
            created = MatchCreated("twelve-chips", 1, {}, 2, tournament=str(self.id))
            named = [SeatNamed(seat, name, BLIND) for seat, name in enumerate(seats)]
            self.log.put(match_id, created, *named, MatchStarted())
            self.statuses[str(match_id)] = "running"

    def settle(self, match: str, result: Result | None) -> None:
        if self.statuses[match] == "running":
            end = MatchVoided(None) if result is None else MatchEnded(result)
            self.log.put(UUID(match), end)
            self.statuses[match] = "over"
        self.enter(SettleMatch(match, result))

    def correct(self, match: str, result: Result | None) -> None:
        """A correction by two people, refused while the match is not settled."""
        ruling, about = f"{len(self.state.rulings.past)}", facts()
        self.enter(correct(ruling, match, result, about=about))
        self.enter(second(ruling, MO, about))

    def check(self, index: Index) -> None:
        """Checks that the index, at the end of the log, equals the fold of the record."""
        records = self.log.store.read(self.id)
        wanted = standings_of([r.event for r in records])
        assert standings(self.state) == wanted
        for player in (None, *range(len(wanted) + 1)):
            expected = postings(records, player)
            assert index.postings(self.id, player, after=0, upto=2**53) == expected
            assert index.postings(self.id, player, after=1, upto=3) == expected[1:3]
        for match, listed in index.scheduled(self.state.matches).items():
            row, added = listed.row, self.state.matches[match]
            counts = row.result if row.corrected is None else row.corrected.result
            assert not added.settled or show_result(counts, UNSET) == show_result(
                added.result, UNSET
            )
            assert row.corrected is None or added.corrected


def commands(state: Tournament, cup: Cup) -> st.SearchStrategy[Callable[[], None]]:
    """The commands that may come next."""
    pairs = st.permutations(state.players).map(lambda names: (names[0], names[1]))
    matches = st.sampled_from(list(state.matches) or ["none"])
    names, few = st.sampled_from(["Di", "Ed", "Fy", "Gus"]), st.integers(0, 2)
    entered = [
        st.builds(NewPlayer, names, few),
        st.builds(NewModerator, names),
        st.builds(GiveMatch, matches, few),
        st.builds(PostGarnets, st.integers(0, 3), st.integers(-3, 3), st.just("x")),
    ]
    added = st.tuples(pairs, st.tuples(few, few))
    wishes = [st.builds(lambda c: lambda: cup.enter(c), one) for one in entered]
    wishes.append(st.builds(lambda one: lambda: cup.add(*one), added))
    if state.matches:
        over = st.tuples(matches, st.sampled_from(RESULTS))
        wishes.append(st.builds(lambda one: lambda: cup.settle(*one), over))
        wishes.append(st.builds(lambda one: lambda: cup.correct(*one), over))
    return st.one_of(wishes)


def test_whichever_instance_follows_the_index_is_the_plain_fold(log: Log) -> None:
    # Recorded events stay between examples, so that shrinking would find nothing.
    phases, examples = (Phase.reuse, Phase.generate), EXAMPLES[log.env["PERSISTENCE_MODULE"]]

    @settings(max_examples=examples, deadline=None, phases=phases)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        with closing(log.new_index()) as other, pytest.MonkeyPatch.context() as patch:
            play(log, other, data, patch)

    check()


def play(log: Log, other: Index, data: st.DataObject, patch: pytest.MonkeyPatch) -> None:
    """Two tournaments. The two instances follow in turn, and one rebuilds."""
    cups = [Cup(log, "Ann", "Ben"), Cup(log, "Ben", "Cy")]
    steps = [log.index.follow, other.follow] * 3 + [other.rebuild] + [None] * 7
    for _ in range(data.draw(st.integers(0, 20), "how much happens")):
        cup = data.draw(st.sampled_from(cups))
        data.draw(commands(cup.state, cup))()
        patch.setattr(follower, "PAGE", data.draw(st.sampled_from([3, 10, 1_000])))
        step = data.draw(st.sampled_from(steps))
        if step is not None:
            step()
    log.index.follow()
    for cup in cups:
        cup.check(other)
    followed = contents(other)
    patch.setattr(follower, "PAGE", 100)
    log.index.rebuild()
    assert contents(log.index) == followed


def test_a_row_shows_how_a_match_counts_until_that_is_its_own_result(log: Log) -> None:
    cup = Cup(log, "Ann", "Ben")
    cup.add(("Ann", "Ben"), (0, 0))
    (match,) = cup.state.matches
    cup.settle(match, RESULTS[0])
    corrected = []
    for result in (RESULTS[1], None, RESULTS[0], RESULTS[2]):
        cup.correct(match, result)
        log.index.follow()
        (row,) = log.index.page().matches
        assert row.result == show_result(RESULTS[0], UNSET)
        corrected.append(row.corrected)
    first, out, last = (CorrectedResult(result) for result in (RESULTS[1], None, RESULTS[2]))
    assert corrected == [first, out, None, last]
    log.index.rebuild()
    assert log.index.page().matches == [row]


def test_a_reversal_names_the_posting_in_the_numbers_of_its_reader(log: Log) -> None:
    cup = Cup(log, "Ann", "Ben")
    cup.add(("Ann", "Ben"), (2, 1))
    (match,) = cup.state.matches
    cup.settle(match, RESULTS[0])
    cup.correct(match, None)
    log.index.follow()
    cup.check(log.index)
    every = log.index.postings(cup.id, None, after=0, upto=99)
    assert [posted.reverses for posted in every][-4:] == [5, 6, None, None]
    assert log.index.postings(cup.id, 1, after=0, upto=99)[-2].reverses == 3


def test_a_ruling_lapses_while_it_is_pending(log: Log) -> None:
    cup = Cup(log, "Ann", "Ben")
    cup.add(("Ann", "Ben"), (0, 0))
    (match,) = cup.state.matches
    cup.settle(match, None)
    cup.enter(correct("r", match, None))
    log.index.follow()
    assert log.index.due_tournaments(NOON + PENDING - 1) == []
    assert log.index.due_tournaments(NOON + PENDING) == [cup.id]
    cup.enter(second("r", MO, facts()))
    log.index.follow()
    assert log.index.due_tournaments(NOON + PENDING) == []


def test_an_unknown_tournament_has_no_ledger(log: Log) -> None:
    match_id = log.match(tournament=str(time_ordered(0)))
    log.index.follow()
    assert log.index.postings(match_id, None, after=0, upto=9) == []


def test_a_snapshot_is_of_one_moment(log: Log) -> None:
    cup = Cup(log, "Ann")
    log.index.follow()
    question = ("SELECT name FROM arbiter1_called WHERE tournament = ?", (str(cup.id),))
    with closing(Log(log.env)) as other, log.index._db.snapshot() as cursor:
        first = select_from(cursor, *question)
        cup.enter(NewPlayer("Ben"))
        other.index.follow()
        again = select_from(cursor, *question)
    assert sorted(first) == sorted(again) == [("ann",), ("cup",)]
    assert sorted(log.index._db.select(*question)) == [("ann",), ("ben",), ("cup",)]


def test_more_tournaments_and_players_than_fit_a_statement(log: Log) -> None:
    cups = [time_ordered(NOON // 1000 + n) for n in range(300)]
    for n, cup in enumerate(cups):
        prize = GarnetsPosted(0, "house", "player", n + 1, "a prize")
        log.put(cup, TournamentCreated("Cup"), *entered("Ann"), prize, prize)
        log.put(cup, GarnetsPosted(n, "house", "player", 1, "another"))
    log.index.follow()
    for n, cup in enumerate(cups):
        seqs = [(p.seq, p.amount) for p in log.index.postings(cup, None, after=0, upto=9)]
        assert seqs == [(1, n + 1), (2, n + 1), (3, 1)]
