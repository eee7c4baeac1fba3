import { describe, expect, test } from "vitest";
import { chaptersOf, rowsOf, turningPoints } from "../src/match/moves.js";
import { coinsAfter, moves as dollarPrize } from "../src/moves/dollar-prize.js";
import { moves as groupingBw } from "../src/moves/grouping-bw.js";
import { moves as liarsDice } from "../src/moves/liars-dice.js";
import { moves as twelveChips } from "../src/moves/twelve-chips.js";
import type { AnyLine } from "../src/table/lines.js";

/** Lines of these types and data, numbered from 1. */
function lines(...told: [type: string, data?: Record<string, unknown>][]): AnyLine[] {
  return told.map(([type, data = {}], index) => ({ seq: index + 1, public_seq: index + 1, at: "", type: `${type}.1`, data }));
}

const numbersOf = (rows: { lines: AnyLine[] }[]) => rows.map((row) => row.lines.map(({ seq }) => seq));

describe("rounds", () => {
  test("begin where an event names another, and the first has what came before", () => {
    const told = lines(["match.created"], ["a.began", { round: 1 }], ["a.done"], ["match.noted"], ["a.began", { round: 2 }], ["match.ended"]);
    const chapters = chaptersOf(told);
    expect(chapters.map(({ round }) => round)).toEqual([1, 2]);
    expect(numbersOf(chapters)).toEqual([[1, 2, 3, 4], [5, 6]]);
  });

  test("of sets, and again behind a rewind", () => {
    const told = lines(["a.set-began", { set: 1 }], ["a.began", { round: 1 }], ["a.set-began", { set: 2 }], ["match.rewound"], ["a.began", { round: 1 }], ["a.set-began", { set: 1 }]);
    expect(chaptersOf(told).map(({ set, round }) => [set, round])).toEqual([
      [1, null],
      [1, 1],
      [2, null],
      [2, 1],
      [1, null],
    ]);
  });

  test("are counted anew in each pass through a set", () => {
    const told = lines(["a.set-began", { set: 1 }], ["a.began", { round: 1 }], ["grouping-bw.pass-began", { number: 2 }], ["a.began", { round: 1 }], ["a.set-began", { set: 2 }]);
    expect(chaptersOf(told, groupingBw).map(({ set, pass, round }) => [set, pass, round])).toEqual([
      [1, null, null],
      [1, null, 1],
      [1, 2, null],
      [1, 2, 1],
      [2, null, null],
    ]);
  });

  test("end by an event where no event names the next, and nothing of the kernel begins one", () => {
    const told = lines(["match.created"], ["liars-dice.bid-placed"], ["liars-dice.round-ended"], ["match.awaiting-changed"], ["liars-dice.bid-placed"], ["liars-dice.round-ended"], ["match.ended"]);
    expect(numbersOf(chaptersOf(told, liarsDice))).toEqual([[1, 2, 3, 4], [5, 6, 7]]);
  });

  test("are cut where they are long", () => {
    expect(chaptersOf(lines(...Array.from({ length: 450 }, () => ["a.b"] as [string]))).map((one) => one.lines.length)).toEqual([200, 200, 50]);
  });
});

describe("rows", () => {
  const told = lines(["match.awaiting-changed"], ["match.action-received", { seat: 0 }], ["a.placed", { seat: 0 }], ["a.changed", { seat: 0 }], ["a.placed", { seat: 1 }], ["match.action-received", { seat: 1 }], ["match.action-refused", { seat: 1 }], ["match.noted"]);

  test("have what one player did in a row, without housekeeping", () => {
    expect(numbersOf(rowsOf(told, { all: false, kept: 3 }))).toEqual([[3, 4], [5], [6], [7], [8]]);
  });

  test("have the event where the reader is, whatever it is", () => {
    expect(numbersOf(rowsOf(told, { all: false, kept: 1 }))[0]).toEqual([1]);
  });

  test("have each event by itself if all are asked for", () => {
    expect(numbersOf(rowsOf(told, { all: true, kept: 1 }))).toEqual(told.map(({ seq }) => [seq]));
  });
});

test("a match turns where a coin is stolen, or somebody is out", () => {
  const turned = lines(["dollar-prize.coin-stolen", {}], ["dollar-prize.coin-placed", {}]).map((line) => dollarPrize.turns?.(line));
  expect(turned).toEqual([true, false]);
  const ended = (...dice_left: number[]) => lines(["liars-dice.round-ended", { dice_left, shown: { lost: 1 } }])[0] as AnyLine;
  expect([ended(0, 3), ended(2, 0)].map((line) => liarsDice.turns?.(line))).toEqual([false, true]);
});

test("a match turns where another seat takes the lead, and not where both have as much", () => {
  const ended = (...stacks: number[]): [string, { stacks: number[] }] => ["grouping-bw.round-ended", { stacks }];
  const rounds = lines(ended(21, 19), ended(20, 20), ended(22, 18), ended(17, 23), ended(16, 24), ended(0, 40));
  expect(turningPoints(rounds, groupingBw)).toEqual([rounds[3]?.seq, rounds[5]?.seq]);
  expect(turningPoints(rounds)).toEqual([]);
});

describe("why", () => {
  const coins = lines(["dollar-prize.pennies-dealt", { pennies: [4, 1] }], ["dollar-prize.coin-placed", { seat: 1, coin: "penny" }], ["dollar-prize.coins-converted", { seat: 0, recipe: "five_pennies" }]);
  const flips = (...faces: string[]) => lines(["dollar-prize.coins-flipped", { flips: [["nickel", faces[0]], ["penny", faces[1]]] }])[0] as AnyLine;

  test.each([
    [["heads", "tails"], "board.dollar-prize.why", 0],
    [["tails", "heads"], "board.dollar-prize.why", 1],
  ])("the highest of the coins that show %j, and who has more of it", (faces, text, giver) => {
    expect(dollarPrize.why?.(flips(...faces), coins)).toMatchObject({ text, values: { giver: { seat: giver } } });
  });

  test("nothing moves without heads, or with as many on both sides", () => {
    expect(dollarPrize.why?.(flips("tails", "tails"), coins)?.text).toBe("board.dollar-prize.why.tails");
    expect(dollarPrize.why?.(flips("heads", "tails"), [])?.text).toBe("board.dollar-prize.why.equal");
  });

  test("the coins move as they are stolen and exchanged", () => {
    const stolen = lines(["dollar-prize.coin-placed", { seat: 0, coin: "dime" }], ["dollar-prize.coin-stolen", { giver: 0, receiver: 1, coin: "dime" }], ["dollar-prize.coin-exchanged", { seat: 1, coin: "dime", coins: ["nickel", "nickel"] }]);
    expect(coinsAfter(stolen)).toEqual([{ dime: 0 }, { dime: 0, nickel: 2 }]);
  });

  test("the highest chip of this trick alone, and the first of two equal ones", () => {
    const began: [string] = ["twelve-chips.trick-began"];
    const played = (...chips: number[]) => chips.map((chip) => ["twelve-chips.chip-played", { chip }] as [string, { chip: number }]);
    const won = lines(["twelve-chips.trick-won"])[0] as AnyLine;
    expect(twelveChips.why?.(won, lines(began, ...played(12, 1), began, ...played(4, 6)))).toEqual({ text: "board.twelve-chips.why.highest", values: { chip: 6 } });
    expect(twelveChips.why?.(won, lines(began, ...played(9, 9)))?.text).toBe("board.twelve-chips.why.first");
  });
});
