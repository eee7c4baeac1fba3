import { expect, test } from "vitest";
import { bracketOf, roundName, type Slot } from "../src/tournament/bracket.js";

function slots(...rounds: number[]): Slot[] {
  return rounds.map((round, index) => ({ slot: index + 1, round }) as Slot);
}

test("a knockout of six with a third place: columns halve to the final", () => {
  const { winners, losers, third } = bracketOf(slots(1, 1, 1, 1, 2, 2, 3, 0));
  expect(winners.map((one) => [one.slots.length, one.leads])).toEqual([
    [4, "halves"],
    [2, "halves"],
    [1, "nowhere"],
  ]);
  expect(winners.map((_, index) => roundName(winners, index, false))).toEqual(["quarter", "semi", "final"]);
  expect([losers, third?.slot]).toEqual([[], 8]);
});

test("a double elimination has a part for those who have lost once, and a final that may be played again", () => {
  const { winners, losers, third } = bracketOf(slots(1, 1, 2, -1, -2, 3, 4));
  expect(winners.map((one) => one.leads)).toEqual(["halves", "straight", "straight", "nowhere"]);
  expect(losers.map((one) => [one.number, one.slots.map((slot) => slot.slot)])).toEqual([
    [1, [4]],
    [2, [5]],
  ]);
  expect(winners.map((_, index) => roundName(winners, index, true))).toEqual(["round", "round", "final", "again"]);
  expect(third).toBeNull();
});
