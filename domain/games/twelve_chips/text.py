"""The rules of 12 Chips for people."""

TEXT = """\
# 12 Chips

A game of tricks for two to four players. In each round you end up with four chips: bring their
sum as near to 21 as you can without going over it. Rounds are won for tokens; three tokens end
the game.

## The chips

Twelve chips are numbered 1 to 12. Those from 4 to 9 are **red**, those from 1 to 3 and from 10 to
12 are **blue**. Four players add a second blue 3, red 4, red 9 and blue 10. Chips of the same
number are interchangeable.

## A round

1. **The deal.** Red and blue chips are shuffled apart and each player is dealt two of each, for
   nobody else to see. Chips left over are put aside and stay unseen for the whole round.
2. **Playing.** The starter, then clockwise everybody else, plays any chip of their hand to the
   centre, face up.
3. **Winning.** The highest chip wins the trick. If two chips are equally high, the one that was
   played first does.
4. **Taking.** The winner, then clockwise everybody else, takes one chip from the centre; it may
   be the one they played. While a red chip is there, a red chip must be taken: that goes for
   everyone, the winner included. The last player takes the chip that is left.
5. The winner lays the chip taken face up in front: it counts for the winner and is out of play.
   The others take theirs into the hand.
6. The winner starts the next trick. If the winner's hand is empty, after four tricks won, the
   round is over and all hands are opened.
7. **Counting.** Each player adds up their four chips, in hand and in front. The highest sum
   that is not over 21 wins; 21 itself is not over. If all are over, the highest of all wins.
   Every player with the winning sum gets a token.

## The end

8. The game is over after a round in which somebody has three tokens. The player with the most
   tokens wins; several who have equally many share the victory.

## What you see

9. Chips in the centre and in front of the players, the number of chips in each hand and all
   tokens are open. Your hand is yours alone until the round is over. Chips put aside are shown
   to nobody but a moderator.

## Options

- `over_21`: with `bust` rule 7 holds. With `halve` a sum over 21 counts half of itself, exactly,
  and the highest value wins: 43 counts 21½ and beats 21.
- `deal`: with `two_two` rule 1 holds. With `random` all chips are shuffled together and each
  player is dealt any four.
- `first_starter`: the seat that starts the first round; 0 unless said otherwise.
- `round_starter`: who starts a later round. `last_trick_winner`: whoever won the last trick of
  the round before. `rotate`: the next seat clockwise after the starter of the round before.
  `round_winner`: the winner of the round before; of several, the lowest seat.
- `tokens_to_win`: how many tokens end the game, 1 to 100; 3 unless said otherwise.
- `turn_seconds`: with a clock, how long a player may think, 1 to 86,400 seconds. When the time is
  up, the lowest chip that may be played or taken is played or taken for the player.
- `hand_colours_public`: the chips show their colour on the back, so everybody sees how many red
  and blue chips each hand holds.
"""
