"""Well-formed, signed bundles of impossible matches: unknown seats, times and rules, and commands
that the service would have refused."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.commands import Command, GiveClientSeed
from domain.match.events import (
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
)
from domain.match.fold import fold
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.matches.chance import commit_next
from service.cli.simulating.simulation import SimulatedMatch
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.projections.evidence.log_leaves import lines
from tests.support.evidence.forged_bundles import (
    AUDIENCES,
    SHORT,
    apart,
    found,
    resigned,
    rewritten,
    short_log,
)
from tests.support.evidence.signed_bundles import bundled, log_of
from tests.support.tables.directing import PAUSE, RESUME, START
from tests.support.tables.forged_records import index_of, instead, with_consequences, with_input

EVERY_GAME = pytest.mark.parametrize("game", SHORT)


# Unknown seats, times and rules.


@EVERY_GAME
def test_a_bundle_for_an_unknown_seat_fails(game: str) -> None:
    assert found(resigned(apart(game, PUBLIC_VIEWER), audience=99)) == "openings"


@EVERY_GAME
@pytest.mark.parametrize("seat", [-1, 99, 2**40])
def test_a_private_event_for_an_unknown_seat_fails(game: str, seat: int) -> None:
    log = short_log(game)
    refused = ActionRefused(seat, "x")
    forged = with_consequences(log.records, index_of(log.records, MatchEnded), refused)
    assert found(rewritten(log, forged)) == "openings"


@EVERY_GAME
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("seat", [-1, 99, 2**32, -(2**63)])
def test_a_client_seed_of_an_unknown_seat_fails(game: str, audience: Viewer, seat: int) -> None:
    log = short_log(game)
    given = ClientSeedGiven(seat, "dice")
    records = with_input(log.records, index_of(log.records, MatchStarted), given)
    parts = {**apart(game, audience), **lines(log_of(records), audience)}
    assert found(resigned(parts)) == "openings"


@EVERY_GAME
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("fields", [{"game": "nim"}, {"rules_version": 999}], ids=str)
def test_unknown_rules_fail(game: str, audience: Viewer, fields: dict[str, Any]) -> None:
    assert found(resigned(apart(game, audience), **fields)) == "openings"
    first = short_log(game).records[0]
    unknown = log_of([replace(first, event=replace(first.event, chance="manual", **fields))])
    assert found(bundled(unknown, audience)) == "rules"


def test_a_kind_of_record_that_the_game_does_not_allow_fails() -> None:
    """Who voted for whom in Together We Survive is never opened."""
    log = short_log("together")
    opened = replace(log.created, record="opened_at_end")
    assert found(rewritten(log, instead(log.records, 0, opened))) == "rules"


# Impossible public events.

AFTER = (
    MatchResumed(),
    MatchPaused(),
    AwaitingChanged((0,)),
    short_log("twelve-chips").records[-2].event,
)


@pytest.mark.parametrize("event", AFTER, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
def test_after_the_end_the_only_public_event_is_the_revealed_seed(
    audience: Viewer, event: Event
) -> None:
    log = short_log("twelve-chips")
    assert isinstance(AFTER[-1], MatchEnded)
    forged = with_input(log.records, len(log.records), event)
    said = found(rewritten(log, forged, audience))
    assert said == ("rules" if audience == MODERATOR else "result")


# Commands that the service would have refused.


class Played(SimulatedMatch):
    """A match that accepts commands that the service would have refused."""

    def __init__(self, game: str = "dollar-prize") -> None:
        luck, options = SHORT[game]
        super().__init__(GAMES[game], GAMES[game].seats[0], options, luck)

    def accepting(self, *commands: Command) -> "Played":
        for command in commands:
            self.take(command, self.at)
        return self

    def ended(self) -> str:
        """The verifier's verdict on the match, played to its end."""
        while self.match.status == "running":
            self.step()
        return found(bundled(log_of(self.records)))


def test_a_match_with_accepted_commands_passes() -> None:
    assert Played().accepting(GiveClientSeed(0, "x" * 64), START, PAUSE, RESUME).ended() == ""


@pytest.mark.parametrize("seed", ["x" * 65, "\N{EM DASH}" * 22])
def test_a_client_seed_of_more_than_64_bytes_fails(seed: str) -> None:
    table = Played()
    given = Record[Event](table.at, 0, ClientSeedGiven(0, seed))
    table.match = fold(table.game, table.match, [given.event])
    table.records.append(given)
    assert table.accepting(START).ended() == "rules"


def test_a_new_seed_in_the_middle_of_a_match_without_a_rewind_fails() -> None:
    """A cheater who dislikes the coming draws would pause, and continue with better ones: the
    seats, whose seeds were to prevent that, have added nothing to the new epoch."""
    table = Played().accepting(GiveClientSeed(0, "dice"), GiveClientSeed(1, "bones"), START)
    for _ in range(20):
        table.step()
    (stored,) = table.match_secrets.seeds
    better = SeedStored(1, bytes(32), stored.salts)
    table.match_secrets = MatchSecrets(b"", (stored, better))
    table.accepting(PAUSE, commit_next(table.match, better), RESUME)
    assert table.ended() in ("chance", "rules")
