import { expect, test } from "vitest";
import { latest, MOST_ROWS, type Round } from "../src/grouping-bw/view.js";

function rounds(count: number): Round[] {
  const round: Round = { set: 1, pass: 1, round: 1, end: "allin", folder: null, numbers: [7, 7], stacks: [1, 1], folded_8: false };
  return Array.from({ length: count }, (_, index) => ({ ...round, set: index + 1 }));
}

test.each([
  [3, [3, 2, 1]],
  [MOST_ROWS, Array.from({ length: MOST_ROWS }, (_, index) => MOST_ROWS - index)],
])("of %d rounds all are in the table, the last one first", (count, sets) => {
  expect(latest(rounds(count)).map(({ set }) => set)).toEqual(sets);
});

test("of a match in which nobody wins a chip the table has the end alone", () => {
  const sets = latest(rounds(14_000)).map(({ set }) => set);
  expect([sets.length, sets[0]]).toEqual([MOST_ROWS, 14_000]);
});
