"""Together We Survive, Together We Prosper: what each submission, vote and deadline leads to."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from domain.chance.draws import Draw, Outcome, Shuffle, orders
from domain.events import PUBLIC
from domain.game import OVER, Awaits, Game, Refused, Result
from domain.games.together import counting, ending
from domain.games.together.actions import BALLOTS, Action, Ballot, GiveTokenOfLife, Submit, Vote
from domain.games.together.events import (
    BallotOpened,
    CandidateDrawn,
    CandidatesNamed,
    Event,
    GarnetsAwarded,
    Note,
    PoolsFormed,
    RoundBegan,
    SubmissionMade,
    TokenOfLifeGiven,
    TokensOfLifeLapsed,
    VoteCast,
)
from domain.games.together.groups import GROUPS, Group, Seats, per_group
from domain.games.together.options import (
    MOST_SEATS,
    Options,
    check,
    complete,
    garnets_of,
    grouped,
    most_tokens,
)
from domain.games.together.state import INVARIANTS, State, evolve, initial
from domain.games.together.submitting import flaw, past, submit_offer, superseded
from domain.match.deadlines import Deadline, TimeOfDay
from domain.match.submissions import Invalid
from domain.menu import NOTHING, Menu, Offer, OneOf
from domain.registry import text_beside

CODES = {
    "options_not_allowed": "An option of the match is outside its limits.",
    "game_over": "The game is over.",
    "wrong_phase": "This kind of action does not belong to the present phase of the match.",
    "late": "The round or ballot it is for has ended; it does not count.",
    "no_such_round": "There is no such round yet, or never was one.",
    "no_such_ballot": "There is no such ballot yet.",
    "no_votes": "A list of type A votes has at least one; leave it out to send none.",
    "not_on_stage": "Type A votes are for players of group A who are on stage.",
    "not_enough_tokens": "Each type A vote costs a token, and you hold fewer.",
    "not_three_votes": "A submission of type B has exactly three votes.",
    "not_in_group_b": "Type B votes are for players of group B.",
    "self_vote": "Type B votes for oneself are not allowed in this match.",
    "repeated_vote": "In this match the three type B votes are for three players.",
    "garnet_not_offered": "Both types in one submission cost a garnet; say so with pay_garnet.",
    "no_garnet": "Both types in one submission cost a garnet, and you hold none.",
    "not_a_giver": "You have no second token of life to give away.",
    "no_such_seat": "There is no such seat.",
    "holds_one": "This player holds a token of life already.",
    "not_a_voter": "You have no vote in what is being decided.",
    "not_a_candidate": "This player is not up for your group's vote.",
}

LIVES_GIVEN_IN = "token_of_life"
"""The one phase that is not sealed."""


def open_(options: Options, seats: int) -> Sequence[Event]:
    return (RoundBegan(1),)


# What the match waits for.


def awaits(state: State) -> Awaits:
    """Everyone during a round and all voters during a vote, whether or not they have submitted."""
    match state.phase:
        case "submission":
            return Awaits(tuple(state.seats), deadline=_deadline(state))
        case "token_of_life":
            return Awaits(ending.givers(state), deadline=_deadline(state))
        case "vote":
            return Awaits(_voting(state), deadline=_deadline(state))
        case "draw":
            return Awaits(draw=_draw(state))
    return OVER


def _deadline(state: State) -> Deadline:
    options = state.options
    name, hours = LIVES_GIVEN_IN, options.vote_hours
    if state.phase == "submission":
        name = f"round{state.round}"
        hours = options.first_round_hours if state.round == 1 else options.round_hours
    elif state.phase == "vote":
        name = f"vote{state.ballot}"
    return Deadline(name, TimeOfDay(hours, options.deadline_utc))


def _voting(state: State) -> Seats:
    """The voters of the groups with an open ballot."""
    voting = [ending.voters(state, group) for group in GROUPS if ending.undecided(state, group)]
    return tuple(sorted(seat for voters in voting for seat in voters))


def _draw(state: State) -> Draw:
    group = _to_draw(state)[0]
    return Draw(f"ec/{group}", (Shuffle(state.pools.of(group)),), PUBLIC)


def _to_draw(state: State) -> list[Group]:
    """The groups whose candidate chance picks: still tied after the votes, or without a voter."""
    return [
        group
        for group in GROUPS
        if ending.undecided(state, group)
        and (state.ballot == BALLOTS or not ending.voters(state, group))
    ]


# What a seat may do.


def legal(state: State, seat: int) -> Menu:
    if state.phase == "submission":
        return (submit_offer(state, seat),)
    if state.phase == "token_of_life" and seat in ending.givers(state):
        return (Offer("give_token_of_life", {"to": OneOf(ending.without_a_token(state))}),)
    if state.phase == "vote" and seat in _voting(state):
        up = OneOf(_own_pool(state, seat))
        return (Offer("vote", {"ballot": OneOf((state.ballot,)), "for": up}),)
    return NOTHING


def standing(state: State, seat: int) -> Submit | Vote | None:
    """What counts of the seat in the open round or ballot."""
    if state.phase == "submission":
        submission = state.submissions.standing[seat]
        if submission is not None:
            return Submit(
                a=submission.a, b=submission.b, pay_garnet=submission.pay_garnet, round=state.round
            )
    elif state.phase == "vote":
        candidate = state.votes.standing[seat]
        if candidate is not None:
            return Vote(cast(Ballot, state.ballot), candidate)
    return None


def _own_pool(state: State, seat: int) -> Seats:
    return state.pools.a if seat in state.members.a else state.pools.b


def decide(state: State, seat: int, action: Action) -> Sequence[Event]:
    """What follows from the action; raises Refused or Invalid with one of `CODES`."""
    if state.phase == "over":
        raise Refused("game_over")
    return _ANSWERS[type(action)](state, seat, action)


def _submit(state: State, seat: int, action: Submit) -> Sequence[Event]:
    """A submission for a round that is over is late, whatever the phase is now."""
    if past(state, action.round):
        raise Invalid("late")
    if state.phase != "submission":
        raise Refused("wrong_phase")
    code = flaw(state, seat, action)
    if code is not None:
        raise Invalid(code)
    drops = superseded(state, seat, action)
    return (SubmissionMade(seat, action.a, action.b, action.pay_garnet, drops),)


def _give(state: State, seat: int, action: GiveTokenOfLife) -> Sequence[Event]:
    """Once all have given, the candidates are chosen."""
    if state.phase != "token_of_life":
        raise Refused("wrong_phase")
    if seat not in ending.givers(state):
        raise Refused("not_a_giver")
    if action.to not in state.seats:
        raise Refused("no_such_seat")
    if state.tokens_of_life[action.to]:
        raise Refused("holds_one")
    gift = TokenOfLifeGiven(seat, action.to)
    after = evolve(state, gift)
    return (gift,) if ending.givers(after) else (gift, *_seek_candidates(after))


def _vote(state: State, seat: int, action: Vote) -> Sequence[Event]:
    """A vote for a ballot that is over is late, whatever the phase is now."""
    last = state.ballot - 1 if state.phase == "vote" else state.ballot
    if action.ballot <= last:
        raise Invalid("late")
    if state.phase != "vote":
        raise Refused("wrong_phase")
    if seat not in _voting(state):
        raise Refused("not_a_voter")
    if action.ballot != state.ballot:
        raise Invalid("no_such_ballot")
    if action.seat not in _own_pool(state, seat):
        raise Invalid("not_a_candidate")
    return (VoteCast(seat, action.seat),)


_ANSWERS: Mapping[type, Callable[[State, int, Any], Sequence[Event]]] = {
    Submit: _submit,
    GiveTokenOfLife: _give,
    Vote: _vote,
}


def misshapen(options: Options, seats: int, action: Action) -> str | None:
    """A list of votes is no longer than the tokens that a seat can have in this match."""
    most = most_tokens(options, seats)
    lists = (action.a, action.b) if isinstance(action, Submit) else ()
    if all(votes is None or len(votes) <= most for votes in lists):
        return None
    return f"a list of votes has at most {most} entries in this match"


# How the match goes on.


def expire(state: State, deadline: Deadline) -> Sequence[Event]:
    """The phase ends with the present submissions."""
    if state.phase == "submission":
        return _close_round(state)
    if state.phase == "vote":
        counted = ending.count(state)
        return (counted, *_go_on(evolve(state, counted)))
    lapsed = TokensOfLifeLapsed(ending.givers(state))
    return (lapsed, *_seek_candidates(evolve(state, lapsed)))


def _close_round(state: State) -> Sequence[Event]:
    """The next round, or the end; the only seat on stage leaves it in a round of its own."""
    counted = counting.count(state)
    ended = counting.end_round(state, counted)
    events: list[Event] = [counted, *counting.holdings(counted), ended]
    after = evolve(evolve(state, counted), ended)
    if len(after.stage) == 1:
        last_round = counting.ended_by_the_last(after)
        events.append(last_round)
        after = evolve(after, last_round)
    if after.stage:
        return [*events, RoundBegan(after.round + 1)]
    return [*events, *_end_main_match(after)]


def _end_main_match(state: State) -> Sequence[Event]:
    """A sole winner has a token of life to give away before the candidates are chosen."""
    ended = ending.main_match_ended(state)
    after = evolve(state, ended)
    return (ended,) if ending.givers(after) else (ended, *_seek_candidates(after))


def _seek_candidates(state: State) -> Sequence[Event]:
    formed = PoolsFormed(ending.pools(state))
    return (formed, *_go_on(evolve(state, formed)))


def _go_on(state: State) -> Sequence[Event]:
    """Draws come before any vote. When every group has its candidate, or no possible one, the match
    is over."""
    if _to_draw(state):
        return ()
    if any(ending.undecided(state, group) for group in GROUPS):
        return (_ballot(state),)
    candidates = per_group(lambda group: next(iter(state.pools.of(group)), None))
    return (CandidatesNamed(candidates), GarnetsAwarded(ending.garnets(state)))


def _ballot(state: State) -> BallotOpened:
    """Both groups vote at the same time, but only where there is a tie to break."""

    def up(group: Group) -> Seats:
        return state.pools.of(group) if ending.undecided(state, group) else ()

    return BallotOpened(state.ballot + 1, per_group(up))


def settle(state: State, draw: Draw, outcome: Outcome) -> Sequence[Event]:
    """The first of the shuffled seats is the candidate."""
    drawn = CandidateDrawn(_to_draw(state)[0], int(orders(outcome)[0][0]))
    return (drawn, *_go_on(evolve(state, drawn)))


def result(state: State) -> Result | None:
    """The winners and losers of both groups."""
    if state.phase != "over":
        return None
    winners, losers = state.winners, state.losers
    return Result(
        tuple(sorted((*winners.a, *winners.b))),
        tuple(sorted((*losers.a, *losers.b))),
        shared=False,
        scores=ending.scores(state),
    )


GAME: Game[Options, State, Action, Event] = Game(
    id="together",
    title="Together We Survive, Together We Prosper",
    rules_version=1,
    text=text_beside(__name__, "rules.md"),
    seats=range(4, MOST_SEATS + 1),
    scores_rank=False,
    Options=Options,
    Action=Action,
    Event=Event,
    codes=CODES,
    check=check,
    initial=initial,
    open=open_,
    awaits=awaits,
    legal=legal,
    decide=decide,
    misshapen=misshapen,
    settle=settle,
    expire=expire,
    evolve=evolve,
    result=result,
    complete=complete,
    records=("closed",),
    invariants=INVARIANTS,
    Note=Note,
    # Garnets outlive the match.
    stake=garnets_of,
    balance=lambda state: state.garnets,
    payout=lambda state: state.awarded,
    grouped=grouped,
    immune=ending.immune,
    candidates=ending.candidates,
    hides_draws=False,
    bluff=True,
    sealed_phase=lambda phase: phase != LIVES_GIVEN_IN,
    standing=standing,
)
