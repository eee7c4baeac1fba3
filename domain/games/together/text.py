"""The rules of Together We Survive, Together We Prosper for people."""

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

TEXT = """\
# Together We Survive, Together We Prosper

Two groups play two games side by side, and everybody takes part in both. Players of group A stand
on a stage and are voted off it: whoever stays longest wins, whoever leaves just before loses.
Players of group B are given tokens by everyone: the second richest wins, the richest loses. At
the end each group has a candidate for elimination.

## 1. Setup

1. Every player belongs to group A or to group B. All of group A begin on stage.
2. A player of group A begins with 5 tokens, a player of group B with 1. Players may bring
   garnets. How many tokens and garnets you hold, only you can see; tokens cannot change hands.

## 2. A round

1. Everybody may make a submission in every round: both groups, on stage or not. It is sealed:
   nobody learns whether, when or how often you have submitted, and nobody ever learns your votes.
2. **Type A** votes are for players on stage, yourself included. Send one or more, several for
   the same player if you like. Each costs a token you hold; the tokens are paid at the deadline.
3. **Type B** votes are for players of group B, other than yourself, and free. Send exactly three;
   several may be for one player. Each brings that player a token from the bank.
4. A submission has one of the types. For a garnet it may have both: say `pay_garnet` and hold
   one. With one type alone nothing is paid, whatever you said.
5. Each submission says all you want of the round, and is judged on the spot. The last valid one
   before the deadline counts. One that is not valid changes nothing. With neither type you
   withdraw what you had. Nothing is carried over into another round. If it has one type alone
   and replaces votes of the other type, you are told: you may have meant both.
6. A submission names its round, so that one that misses its deadline cannot count in the next.
   For a round that has ended it is late and does not count; for one that has not begun it is
   invalid.
7. You can make 200 submissions in a round or a vote, and a list of votes is no longer than the
   tokens that a player could have.

## 3. The deadline

1. First garnets are paid, then type A votes; these are counted, and the players on stage with
   the most votes are kicked out, all of them if several are equal. Then group B is given its new
   tokens. If everybody on stage has equally many votes, or none, all of them leave.
2. Everybody sees who was kicked out, and how many type A votes each player on stage got. How
   many type B votes a player of group B got is not shown: these are the new tokens.
3. With two or more on stage there is another round. A player who is alone there is kicked out
   at once, in a round of their own in which nobody submits. With nobody on stage the match
   between the groups is over.

## 4. Winners and losers

1. Group A: those who left in the last round win. Those who left in the latest round before it in
   which anybody left lose; if there is none, nobody does.
2. Group B: its tokens are laid open. The second highest number of tokens wins, the highest
   loses, each for all who have it. If all have the same number, nobody wins.
3. Winners get a token of life each. If a group has a single winner, that player gets two and has
   to give one of them away, to anybody of either group who has none. If that is not done in time
   it is lost.

## 5. Elimination candidates

1. A group's candidate is one of its losers who have no token of life. If there are none, it is
   one of all players of the group who did not win and have no token of life; if there are none
   of these either, one who did not win. If all have won there is no candidate.
2. If that leaves several, the group votes, for one of them each. This is sealed, and both groups
   vote at the same time. A vote says its ballot, 1 or 2; for one that has ended it is late. Your
   last valid vote counts. The most votes decide; without any vote all are equal. Those who are
   equal are voted on once more, and then drawn by lot: the first of a shuffle is the candidate.
   If nobody is entitled to vote, the lot decides at once.

## 6. Garnets

Group A earns a garnet for every round survived: a player kicked out in the fourth round gets
three. Group B earns a garnet for every seven tokens. They are paid at the end and cannot be used
in this match.

## 7. Time

With the clock of the rules everything ends at 14:00 UTC: the first round at the first such time
at least 48 hours on, every later round and every vote at the first at least 24 hours on. A
submission that comes in at that very instant is too late. Without a clock a moderator ends each
phase. No phase ends before its time because everybody has submitted.

## 8. Options

- `groups`: `"A"` or `"B"` for each seat, at least two of either; usually the first half is A.
- `start_tokens`: tokens to begin with, by group, 0 to 1000; usually `{"A": 5, "B": 1}`.
- `garnets`: what each seat brings, 0 to 1000; usually nothing.
- `kick_rule`: with `fewest` those on stage with the fewest type A votes leave; usually `most`.
- `all_tied`: with `none_out` nobody leaves if all on stage have equally many votes; but in the
  second such round running all do. Usually `all_out`.
- `b_self`: whether you may give yourself type B votes; usually not.
- `b_repeats`: whether one player may get several of your type B votes; usually yes.
- `reveal_vote_counts`: whose numbers are shown after a round: with `A` those of type A, with
  `both` also those of type B, with `none` neither. Usually `A`.
- `b_winner_rank` and `b_loser_rank`: which places win and lose in group B, counting different
  numbers of tokens from the highest down, 1 to 32; usually 2 and 1. A place that nobody has is
  nobody's.
- `ec_voters`: with `winners` only a group's winners vote for its candidate; usually `group`.
- `garnet_per_tokens`: how many tokens of group B earn a garnet, 1 to 1000; usually 7.
- `deadline_utc`, `first_round_hours`, `round_hours`, `vote_hours`: the times of rule 7. Hours go
  from 1 to 1000, for the first round from 0. To give a token of life away there is as much time
  as for a vote.
"""
