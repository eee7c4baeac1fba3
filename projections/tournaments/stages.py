"""What everyone sees of the stages of a tournament: their settings and rounds."""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from domain.game import Result
from domain.tournament.competition import (
    Competition,
    MatchTable,
    PublishedRound,
    Results,
    entrants_of,
    history_of,
    pairing_of,
    stage_of,
)
from domain.tournament.format import group_numbers
from domain.tournament.formats import FORMATS
from domain.tournament.history import Because, Bye, Draft, History, Pairing, PlayedMatch
from domain.tournament.stage_events import ByHand
from domain.tournament.stages import EpisodePlan, Stage
from domain.tournament.state import Tournament, in_place_of
from projections.audience.matches import MatchRow
from projections.fields import Player, Timestamp, rfc3339
from projections.tournaments.shows import ShownShow, show_episode, show_plan

PairingStatus = Literal["waiting", "running", "provisional", "final"]


class ShownStage(Stage, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A stage: its settings, with the numbers of its players as `entrants` once they are known; how
    far it is, how many rounds are `published` and stand, and the players in order of place once it
    is closed."""

    stage: int
    status: Literal["planned", "open", "closed"]
    published: int
    places: tuple[Player, ...] | None


class ShownPairing(Struct, frozen=True):
    """Who meets whom at a table, in the order of the seats of their first match, and why
    (`because`). `result` counts its seats so; with several matches its scores are the matches won.
    `refused` is the code with which its next match cannot be created yet; only organisers see it,
    for it may tell what a purse holds. `group` is there where the stage has groups, from 1;
    `forfeit`: the result was decided by an absence; `ruled`: a ruling has given it, for an absence
    or otherwise, or has corrected it; `ends` is there if it may last longer than its round."""

    table: int
    players: tuple[Player, ...]
    matches: tuple[str, ...]
    status: PairingStatus
    result: Result | None
    because: tuple[Because, ...]
    refused: str | None = None
    group: int | None = None
    forfeit: bool = False
    ruled: bool = False
    ends: Timestamp | None = None


class ShownRound(Struct, frozen=True):
    """A round of a `stage`, or the draft of one. `inputs` is the hash of what it was computed from
    by a version of its method, `created` how many of its matches there are. `show` is there for a
    round of a show alone."""

    stage: int
    round: int
    status: Literal["draft", "published", "closed", "withdrawn"]
    method: str
    version: str
    inputs: str
    by_hand: ByHand | None
    starts: Timestamp | None
    ends: Timestamp | None
    created: int
    pairings: tuple[ShownPairing, ...]
    byes: tuple[Bye, ...]
    show: ShownShow | None = None


def show_stage(competition: Competition, number: int) -> ShownStage:
    """A stage."""
    stage = stage_of(competition, number)
    settings = asdict(stage.settings)
    if stage.status != "planned":
        settings["entrants"] = tuple(entrants_of(competition, stage))
    return ShownStage(
        **settings,
        stage=number,
        status=stage.status,
        published=len(stage.standing),
        places=stage.places if stage.status == "closed" else None,
    )


def show_draft(
    stage: int,
    number: int,
    draft: Draft,
    inputs: str,
    by_hand: ByHand | None,
    show: EpisodePlan | UnsetType = UNSET,
) -> ShownRound:
    """A round as it would be published."""
    return ShownRound(
        stage=stage,
        round=number,
        status="draft",
        method=draft.method,
        version=draft.version,
        inputs=inputs,
        by_hand=by_hand,
        starts=None,
        ends=None,
        created=0,
        pairings=tuple(
            ShownPairing(pairing.table, pairing.players, (), "waiting", None, pairing.because)
            for pairing in draft.pairings
        ),
        byes=draft.byes,
        show=None if show is UNSET else show_plan(show),
    )


def show_round(
    state: Tournament,
    stage: int,
    number: int,
    rows: Mapping[str, MatchRow] = {},
    refusals: Mapping[int, str] = {},
) -> ShownRound:
    """A published round; `rows` are those of its matches, `refusals` the codes of the tables whose
    matches cannot be created."""
    competition, results = state.competition, state.results
    round_ = with_rematches(state, stage_of(competition, stage).rounds[number - 1])
    answer = ShownRound(
        stage=stage,
        round=number,
        status=round_.status,
        method=round_.method,
        version=round_.version,
        inputs=round_.inputs,
        by_hand=round_.by_hand,
        starts=rfc3339(round_.starts),
        ends=None if round_.ends is None else rfc3339(round_.ends),
        created=sum(len(table.matches) for table in round_.tables),
        pairings=tuple(
            replace(
                _pairing(table, round_, results, rows),
                refused=refusals.get(table.table),
                ruled=any(_is_ruled(state, match, rows) for match in table.matches),
            )
            for table in round_.paired
        ),
        byes=round_.byes,
        show=show_episode(round_, results),
    )
    return with_groups(answer, history_of(competition, stage, {}))


def with_rematches(state: Tournament, round_: PublishedRound) -> PublishedRound:
    """A round with the matches that count at its tables: where one was replaced, its rematch."""

    def at(table: MatchTable) -> MatchTable:
        matches = tuple(in_place_of(state.matches, match) for match in table.matches)
        return replace(table, matches=matches)

    return replace(round_, tables=tuple(map(at, round_.tables)))


def with_groups(round_: ShownRound, history: History) -> ShownRound:
    """A round of this stage with the group of each pairing, where there are groups."""
    numbers = group_numbers(FORMATS[history.stage.format], history)
    if not numbers:
        return round_
    pairings = (
        replace(pairing, group=numbers.get(pairing.players[0])) for pairing in round_.pairings
    )
    return replace(round_, pairings=tuple(pairings))


def _pairing(
    table: MatchTable, round_: PublishedRound, results: Results, rows: Mapping[str, MatchRow]
) -> ShownPairing:
    pairing = pairing_of(table, results)
    because: tuple[Because, ...] = table.because
    if table.lots is not None:
        because = (*because, "lots")
    return ShownPairing(
        table.table,
        table.players,
        table.matches,
        _status(table, round_, results, rows),
        _result(pairing),
        because,
        forfeit=bool(pairing.matches) and pairing.matches[-1].forfeit,
        ends=None if table.ends is None else rfc3339(table.ends),
    )


def _is_ruled(state: Tournament, match: str, rows: Mapping[str, MatchRow]) -> bool:
    """Whether a ruling in the match, or on how it counts here, has given its result."""
    added = state.matches[match]
    return added.forfeit or added.corrected or (match in rows and rows[match].ruled)


def _status(
    table: MatchTable, round_: PublishedRound, results: Results, rows: Mapping[str, MatchRow]
) -> PairingStatus:
    if round_.status != "published":
        return "final"
    last = table.matches[-1] if table.matches else None
    if last in results:
        return "running" if len(table.matches) > 1 else "final"
    row = None if last is None else rows.get(last)
    status = "created" if row is None else row.status
    by_status: dict[str, PairingStatus] = {
        "created": "waiting",
        "running": "running",
        "paused": "running",
    }
    return by_status.get(status, "provisional")


def _result(pairing: Pairing) -> Result | None:
    """The result of a pairing: that of its match, or how many matches each has won."""
    if pairing.lots is not None or any(match.open for match in pairing.matches):
        return None
    if len(pairing.matches) == 1:
        return pairing.matches[0].result
    if all(match.result is None for match in pairing.matches):
        return None
    wins = count_wins(pairing.matches, len(pairing.players))
    winners = tuple(seat for seat, count in enumerate(wins) if count == max(wins))
    losers = tuple(seat for seat in range(len(wins)) if seat not in winners)
    return Result(winners, losers, len(winners) > 1, wins)


def count_wins(matches: Sequence[PlayedMatch], seats: int) -> tuple[int, ...]:
    """How many of the matches each seat has won alone."""
    winner_lists = [
        match.result.winners for match in matches if match.result and not match.result.shared
    ]
    return tuple(sum(seat in winners for winners in winner_lists) for seat in range(seats))
