"""The rules of Grouping Black & White for people."""

TEXT = """\
# Grouping Black & White

Two players bet on numbered tiles that neither of them can see, not even their owner. You decide
how your tiles are sorted; chance decides when each of them is played.

## The tiles

Each player has the tiles 0 to 8. Even numbers are **black**, odd ones **white**, and the colour
of a tile in play is known to both.

## A set

0. Before the first set one player, the chooser, names who starts the first round.
1. **Grouping.** Both players, unseen by the other, sort their tiles: two into group A, three into
   B, four into C. You may send your groups again until both players have sent theirs; what you
   sent last and was correct counts. From the second set on there may be a limit to how many
   numbers leave each group; leaving everything as it is is always possible.
2. **The deal.** Each group is shuffled, then the three groups are laid one after another in a
   random order. So every player has a row of nine tiles, face down. Nobody sees it.
3. Nine rounds are played, each with the next tile of both rows. That is a pass. A set has one or
   more passes; for each the same groups are dealt again.

## A round

1. The colours of both tiles are announced.
2. **Antes.** Both players put in the ante.
3. **Bets.** The starter begins, then the players take turns. On your turn you
   - **raise**: you meet the other bet and put 1 or more chips on top, at most as many as the cap,
     what you then have left, and what the other player has left;
   - **call**: you meet the other bet, which must be higher than yours, and both tiles are shown; or
   - **fold**: you give up the round.

   If after the antes somebody has no chips left, nobody bets and the tiles are shown at once.
4. **After a fold** you see the other player's number, and nobody sees yours.
5. **After a call** the higher number wins the round. Equal numbers are a draw.
6. The winner of a round starts the next one. After a draw whoever won last does, or if there was
   no winner yet, the first starter.
7. A player who is out of chips loses: at once in the death match, in the final match at the next
   ante.

## The two variants

| | `death-match` | `final-match-2` |
|---|---|---|
| chips | 30 each | 100 each, and 10 more for the bonus |
| passes in a set | 2 | 1 |
| the ante | 1, and 1 more in every new set | 1, and 1 more after every second set |
| after a fold | the other player takes the pot | their bet comes back, yours leaves the game |
| after a call | the winner takes the pot | the winner's bet comes back, the loser's leaves |
| equal numbers | both bets come back | both bets leave the game (*) |
| folding an 8 | costs nothing more | costs 8 more chips, or what is left, and is announced |
| new groups | as you like | at most 1 number leaves A, 1 B and 2 C |
| a stack below the ante | both put in the smaller stack, tiles are shown | loses |
| items | none | one player has bonus and peek, the other order |

(*) If nobody would have a chip left then, both bets come back.

Where a stack below the ante loses and both are below it, more chips win. If they are equal, it is
sudden death: this and the following tiles are shown without bets until one of them is higher.

## Items

Each can be used once.

- **Bonus**: ten more chips at the start, and the choice of the first starter.
- **Peek**: at any time during a round, also when it is not your turn, you see the number of
  the other tile. The other player does not learn that you looked.
- **Order**: sent with your groups (`use_order`), it shows you the order of your groups in
  the next pass, but not the order of the tiles within them.

## The ante by agreement

In the final match you may name a number from 1 to 10 with your groups (`ante_increase`). If both
players name the same one, the ante grows by that much for the rest of the match.

## Time

If the match has a clock: without a name in time the chooser starts; without groups in time your
old ones stay, or in the first set chance makes some; a bet that is not made in time is a fold.

## Who sees what

Colours, bets, stacks, folds and the numbers shown after a call are public. Only you see your
groups, their order and the numbers that you learned by folding or peeking. All other tiles stay
hidden even after their round, from everybody but a moderator.

## Options

`variant` chooses one of the two columns above; any other option that is given replaces what the
variant says.

- `chips`: per seat, 1 to 10,000, before the ten of a bonus.
- `passes_per_set`: 1 to 10. `ante_every_sets`: after how many sets the ante grows by 1.
- `raise_cap`: the most chips that one raise may add; 10 unless said otherwise.
- `on_fold` and `on_call`: `pot` or `return`, the two ways that the variants show.
- `regroup_limits`: how many numbers may leave A, B and C, or null for any number.
- `fold_8_penalty`: what folding an 8 costs; 0 for nothing, and then it is not announced either.
- `short_ante`: `all_in` as in the death match, `lose` as in the final match.
- `items`: a list of `bonus`, `peek` and `order` for each seat; only one seat can have the bonus.
- `ante_increase_allowed`: whether an increase can be agreed on.
- `starter_chooser`: the seat that names the first starter; by default the one with the bonus, and
  seat 1 if nobody has it.
- `own_tile_visible`: everybody sees their own tile, but not those to come.
- `leader_check`: the starter may call at equal bets, so that tiles are shown for the antes alone.
- `bet_seconds` and `group_seconds`: the time for a bet, and for groups or the starter's name; 60
  and 120 unless said otherwise.
"""
