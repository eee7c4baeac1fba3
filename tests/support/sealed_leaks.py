"""Whether a leak of a sealed phase is found: worlds that differ in what other seats submit."""

from random import Random

from domain.games.grouping_bw.actions import NameStarter
from domain.games.grouping_bw.options import Options as GroupingOptions
from domain.games.together.options import Options as TogetherOptions
from domain.match.commands import Act
from domain.match.state import AnyGame
from projections.audience.disclosure import PUBLIC_VIEWER
from tests.support.instants import SECOND
from tests.support.tables.game_strategies import as_sent
from tests.support.tables.match_table import MatchTable
from tests.support.worlds import differences, received_by
from tests.support.worlds_sealed import VIEWER, sealed_worlds

MOST_TRIES = 12
MINUTE = 60 * SECOND

STARTER = NameStarter(0)
UP_TO_GROUPING = (Act(0, STARTER, as_sent(STARTER)),)


def found(game: AnyGame) -> set[str]:
    """The differences between two worlds of the game, for seat 0 or the public."""
    rng, apart = Random(5), set[str]()
    for _ in range(MOST_TRIES):
        pair = made(game, rng)
        for viewer in (PUBLIC_VIEWER, VIEWER):
            apart.update(differences(received_by(pair[0], viewer), received_by(pair[1], viewer)))
    return apart


def made(game: AnyGame, rng: Random) -> tuple[MatchTable, MatchTable]:
    if game.id == "together":
        return sealed_worlds(game, TogetherOptions(garnets=(1,) * 5), 5, rng)
    options = GroupingOptions(variant="final-match-2", starter_chooser=0)
    return sealed_worlds(game, options, 2, rng, UP_TO_GROUPING)
