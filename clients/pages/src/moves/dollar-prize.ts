/** Dollar Prize: which coin decides a steal, and who has more of it. */
import type { Moves, Why } from "../match/moves.js";
import type { AnyLine } from "../table/lines.js";

type Coins = Record<string, number>;

const RECIPES: Record<string, [Coins, string]> = {
  five_pennies: [{ penny: 5 }, "nickel"],
  two_nickels: [{ nickel: 2 }, "dime"],
  nickel_and_two_dimes: [{ nickel: 1, dime: 2 }, "quarter"],
  five_pennies_and_two_dimes: [{ penny: 5, dime: 2 }, "quarter"],
};

export const moves: Moves = {
  quiet: ["dollar-prize.turn-began.1", "dollar-prize.steal-began.1"],
  turns: ({ type }) => type === "dollar-prize.coin-stolen.1",
  why: (line, earlier) => (line.type === "dollar-prize.coins-flipped.1" ? decided(line, coinsAfter(earlier)) : null),
};

/** The first heads decides: whoever has more coins of that kind gives one. */
function decided({ data }: AnyLine, [first, second]: [Coins, Coins]): Why {
  const [coin] = (data.flips as [string, string][]).find(([, face]) => face === "heads") ?? [null];
  if (coin === null) return { text: "board.dollar-prize.why.tails", values: {} };
  const counts = [first[coin] ?? 0, second[coin] ?? 0] as const;
  const values = { coin: { word: `event.value.${coin}` }, one: { seat: 0 }, other: { seat: 1 }, of_one: counts[0], of_other: counts[1] };
  if (counts[0] === counts[1]) return { text: "board.dollar-prize.why.equal", values };
  return { text: "board.dollar-prize.why", values: { ...values, giver: { seat: counts[0] > counts[1] ? 0 : 1 } } };
}

/** The coins of both sides after these events. */
export function coinsAfter(lines: readonly AnyLine[]): [Coins, Coins] {
  const sides: [Coins, Coins] = [{}, {}];
  const put = (seat: number, coin: string, count = 1) => {
    const side = sides[seat as 0 | 1];
    side[coin] = (side[coin] ?? 0) + count;
  };
  for (const { type, data } of lines) {
    const seat = data.seat as number;
    if (type === "dollar-prize.pennies-dealt.1") (data.pennies as number[]).forEach((count, side) => put(side, "penny", count));
    if (type === "dollar-prize.coin-placed.1") put(seat, data.coin as string);
    if (type === "dollar-prize.coins-converted.1") {
      const [given, coin] = RECIPES[data.recipe as string] ?? [{}, "penny"];
      for (const [one, count] of Object.entries(given)) put(seat, one, -count);
      put(seat, coin);
    }
    if (type === "dollar-prize.coin-stolen.1") {
      put(data.giver as number, data.coin as string, -1);
      put(data.receiver as number, data.coin as string);
    }
    if (type === "dollar-prize.coin-exchanged.1") {
      put(seat, data.coin as string, -1);
      for (const coin of data.coins as string[]) put(seat, coin);
    }
  }
  return sides;
}
