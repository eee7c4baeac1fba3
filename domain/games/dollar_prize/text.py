"""The rules of Dollar Prize for people."""

TEXT = """\
# Dollar Prize

Two players face each other across a prize. Each builds a line of coins on their own side:
pennies (1¢), nickels (5¢), dimes (10¢) and quarters (25¢). The player with the most money at the
end of a round, and at least a dollar, takes the prize. Nothing is hidden; luck is in the coin
flips.

## 1. Setup

1. The first player picks heads or tails. The other player gets the side that is left.
2. Five pennies are flipped. Each player takes those that show their side; none is left over.
3. Nothing is converted or stolen yet. The first round begins.

## 2. A turn

In every round the first player has a turn, then the other. In a turn you

1. may convert,
2. must place one coin from the bank on your side, and
3. may convert, if you have not done so before placing.

The bank never runs out. The coin you place may be worth at most as much as the highest coin you
have at that moment; if you have none, it is a penny.

A turn has one conversion at most. It uses one of these recipes once, on your own coins, which go
back to the bank:

| recipe | you give | you get |
|---|---|---|
| `five_pennies` | 5 pennies | a nickel |
| `two_nickels` | 2 nickels | a dime |
| `nickel_and_two_dimes` | a nickel and 2 dimes | a quarter |
| `five_pennies_and_two_dimes` | 5 pennies and 2 dimes | a quarter |

Once you have placed, the turn is over if you have converted already or cannot convert at all.
Otherwise convert, and that ends it, or end it yourself. Lines always lie sorted, with the
lowest coin next to the prize; the order means nothing.

## 3. The end of a round: the steal

After both turns the round ends with a steal.

1. As long as neither player has 5¢, there is no steal and the next round begins.
2. Take the highest coin that lies on either side and one of each lower coin. Flip them all.
3. Look at them from the highest down. The first that shows heads decides: whoever has more coins
   of that kind must give one of them to the other player. If both have as many, or none, nothing
   moves. Coins below do not count any more. If all show tails, nothing moves.
4. A player who received a nickel, a dime or a quarter keeps it or exchanges that very coin for
   lower coins of the same value. The game waits for this. A penny cannot be exchanged.
5. If someone now has a dollar or more, the game ends. The larger total takes the prize: 110¢
   beats 105¢, whoever moved first. If the totals are equal, the steal is repeated to break the
   tie, exchanges included; if they stay equal, the players share the prize. If nobody has a
   dollar, the next round begins, even if someone had one before the steal.

Every round adds two cents or more, so a game takes fewer than 98 rounds.

## 4. Options

- `first_player`, 0 or 1 (usually 0): the seat that picks a side and moves first in every round.
- `tie_reflips`, 0 to 10 (usually 1): how many times at most the steal is repeated on a tie. As
  soon as the totals differ the larger one wins.
- `down_conversion`: with `any`, the usual one, a stolen coin may be exchanged for any lower coins
  of its value. With `listed`, a quarter is exchanged only for two dimes and a nickel, a dime for
  two nickels, and a nickel for five pennies.
- `turn_seconds` (usually none): the time for a turn, or for another decision, if the match runs
  by the clock. When it is up, heads is picked, a penny is placed unless a coin was, the turn ends,
  or the stolen coin is kept.
"""
