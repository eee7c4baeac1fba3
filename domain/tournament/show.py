"""How a round of an elimination show goes on: who is safe, who meets whom, who goes home
(/docs/tournaments#an-elimination-show)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from domain.events import HOUR, Event, Instant, later
from domain.game import Refused
from domain.tournament.competition import MatchTable, PublishedRound, StageState, pairing_of
from domain.tournament.format import winner_of
from domain.tournament.open_stages import StageFacts, needs, numbered_round, numbered_stage
from domain.tournament.stage_commands import ChooseOpponent, OpenChoice
from domain.tournament.stage_events import (
    CandidatesNamed,
    ChoiceOpened,
    ImmuneNamed,
    OpponentChosen,
    PlayerEliminated,
)
from domain.tournament.stages import DEATH, TWO, Episode, Named

Step = Literal["candidate", "choice", "opponent"]
"""What a round of a show waits for that goes by itself: lots that name the candidate, the choice of
the candidate to open, lots in place of the candidate."""


class OpenEpisode(NamedTuple):
    """A published round of a show that is not closed, with its stage."""

    number: int
    stage: StageState
    round: PublishedRound
    show: Episode

    @property
    def main(self) -> MatchTable:
        return self.round.tables[0]

    @property
    def death(self) -> MatchTable | None:
        """The table of the death match, once two are to meet."""
        return self.round.tables[DEATH - 1] if len(self.round.tables) == DEATH else None


def open_episodes(now: StageFacts) -> Iterator[OpenEpisode]:
    """The rounds of shows that are not closed."""
    for number, stage in enumerate(now.competition.stages, 1):
        for round_ in stage.rounds:
            if round_.show is not None and round_.status == "published":
                yield OpenEpisode(number, stage, round_, round_.show)


def next_step(now: StageFacts, episode: OpenEpisode, at: Instant) -> Step | None:
    """What an episode waits for at an instant besides matches and the choice of a player."""
    show = episode.show
    if show.immune is None:
        return None
    if show.candidates is None:
        return "candidate"
    if not opponents(now, episode):
        return None
    if episode.stage.settings.choice_hours == 0:
        return "opponent"
    if show.choice_until is None:
        return "choice"
    return "opponent" if at >= show.choice_until else None


def opponents(now: StageFacts, episode: OpenEpisode) -> list[int]:
    """Those among whom a sole candidate chooses; no one if there is no such candidate, or the
    choice has been made."""
    show = episode.show
    if show.chooser is None or show.opponent is not None:
        return []
    safe = {show.chooser, *(show.immune or ())}
    people = now.competition.people
    return [
        player for player in episode.main.players if player not in safe and not people[player].out
    ]


def losers(now: StageFacts, episode: OpenEpisode) -> tuple[int, ...]:
    """The losers of the main match who have not left; lots name one of them as the candidate."""
    main_match = now.results[episode.main.matches[-1]]
    players = () if main_match.result is None else main_match.result.losers
    return _still_here(now, (main_match.players[seat] for seat in players))


def _still_here(now: StageFacts, players: Iterable[int]) -> tuple[int, ...]:
    return tuple(player for player in players if not now.competition.people[player].out)


# What follows by itself.


def names(now: StageFacts, match: str, naming: Named) -> list[Event]:
    """The immune and the candidates after the main match of a round: whom its game has named, else
    its winners and its loser. Of several losers lots name one."""
    episode = next(
        (episode for episode in open_episodes(now) if match in episode.main.matches), None
    )
    if episode is None or episode.show.immune is not None:
        return []
    players, result, _ = now.results[match]
    winners = () if result is None else result.winners
    seats = winners if naming.immune is None else naming.immune
    immune = ImmuneNamed(
        episode.number, episode.round.number, tuple(players[seat] for seat in seats)
    )
    if naming.candidates is None:
        up = losers(now, episode)
        is_complete = len(up) < TWO
    else:
        up = _still_here(now, (players[seat] for seat in naming.candidates[:TWO]))
        is_complete = True
    candidates = CandidatesNamed(episode.number, episode.round.number, up)
    return [immune, candidates] if is_complete else [immune]


def loser_of(now: StageFacts, episode: OpenEpisode) -> tuple[int, int] | None:
    """The loser and the winner of the death match of an episode; None until it is decided."""
    table = episode.death
    if table is None or episode.show.eliminated is not None or not table.matches:
        return None
    if any(match not in now.results for match in table.matches):
        return None
    if needs(now, episode.number, episode.round, table) is not None:
        return None
    pairing = pairing_of(table, now.results)
    _, winner = winner_of(episode.show.plan.death.best_of, pairing)
    assert winner is not None, "lots decide where both have lost"
    (loser,) = (player for player in table.players if player != winner)
    return loser, winner


def is_over(now: StageFacts, episode: OpenEpisode) -> bool:
    """Whether no one can go home any more in an episode, or someone has."""
    if episode.show.candidates is None:
        return False
    return episode.show.eliminated is not None or (
        episode.death is None and not opponents(now, episode)
    )


# What staff decide.


def named_by_staff(now: StageFacts, number: int, players: tuple[int, ...]) -> CandidatesNamed:
    """The candidates whom a ruling names in the last round of a show, which is closed because there
    were none. Raises Refused."""
    stage = numbered_stage(now, number)
    last = stage.standing[-1] if stage.standing else None
    if last is None or last.show is None:
        raise Refused("no_such_round", "the stage has no round of a show")
    if stage.status == "closed":
        raise Refused("stage_closed")
    if last.status != "closed":
        raise Refused("round_open")
    if last.show.candidates:
        raise Refused("round_closed", "the round had candidates")
    if not 0 < len(players) <= TWO:
        raise Refused("wrong_table_size")
    if len(set(players)) < len(players):
        raise Refused("paired_twice")
    for player in players:
        _check_free(now, last.show, player)
        if player not in _still_here(now, last.tables[0].players):
            raise Refused("player_not_active", f"player {player} cannot be a candidate")
    return CandidatesNamed(number, last.number, players)


def _check_free(now: StageFacts, show: Episode, player: int) -> None:
    """Raises Refused for a player who is immune or gone."""
    if player in (show.immune or ()):
        raise Refused("immune")
    person = now.competition.people.get(player)
    if person is not None and person.status == "eliminated":
        raise Refused("eliminated")


# What lots decide.


def lots_items(now: StageFacts, number: int, round_: int, kind: str, at: Instant) -> Sequence[int]:
    """The players among whom lots choose a candidate or an opponent. Raises Refused if it has been
    decided, or lots are not to decide it yet."""
    episode = _episode(now, number, round_)
    if episode is None or next_step(now, episode, at) != kind:
        raise Refused("lots_drawn", "lots are not to decide this now")
    return losers(now, episode) if kind == "candidate" else opponents(now, episode)


def after_lots(
    now: StageFacts, number: int, round_: int, kind: str, order: Sequence[int]
) -> list[Event]:
    """What follows from the lots for a candidate or an opponent: the first of them."""
    if kind == "candidate":
        return [CandidatesNamed(number, round_, tuple(order[:1]))]
    show = numbered_round(now, number, round_).show
    assert show is not None, "there were lots for it"
    assert show.chooser is not None, "the lots were in place of a candidate"
    return [OpponentChosen(number, round_, order[0], "lots", show.chooser)]


# What a candidate decides.


def open_choice(now: StageFacts, command: OpenChoice) -> list[Event]:
    """The choice is open for as long as the stage says."""
    episode = _episode(now, command.stage, command.round)
    if (
        episode is None
        or next_step(now, episode, command.at) != "choice"
        or episode.show.chooser is None
    ):
        return []
    until = later(command.at, int(episode.stage.settings.choice_hours * HOUR))
    return [ChoiceOpened(command.stage, command.round, episode.show.chooser, until)]


def choose(now: StageFacts, command: ChooseOpponent) -> list[Event]:
    """A candidate names the opponent, among those who are neither immune nor gone."""
    show = numbered_round(now, command.stage, command.round).show
    if show is None or show.chooser is None or show.chooser != command.by:
        raise Refused("not_candidate")
    if (show.opponent, show.chosen_by) == (command.player, "player"):
        return []
    episode = _episode(now, command.stage, command.round)
    if (
        episode is None
        or next_step(now, episode, command.at) == "opponent"
        or show.opponent is not None
    ):
        raise Refused("choice_over")
    _check_free(now, show, command.player)
    if command.player not in opponents(now, episode):
        raise Refused("player_not_active", f"player {command.player} cannot be chosen")
    return [OpponentChosen(command.stage, command.round, command.player, "player", command.by)]


def _episode(now: StageFacts, number: int, round_: int) -> OpenEpisode | None:
    """An open episode by the numbers of its stage and its round. Raises Refused if there is no
    such stage."""
    numbered_stage(now, number)
    numbers = (number, round_)
    return next((e for e in open_episodes(now) if (e.number, e.round.number) == numbers), None)


def eliminated(now: StageFacts) -> Iterator[tuple[PlayerEliminated, int]]:
    """Who goes home now, each with the winner of their death match."""
    for episode in open_episodes(now):
        pair = loser_of(now, episode)
        if pair is not None:
            yield PlayerEliminated(episode.number, episode.round.number, pair[0]), pair[1]
