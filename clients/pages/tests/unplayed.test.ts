import { expect, test } from "vitest";
import { isUnplayed } from "../src/match/unplayed.js";
import { acts, awaits, linesOf, rewound, type Told } from "./lines.js";

const BEGUN: Told[] = [["started"], ["awaiting-changed", { seats: [], draw: {} }], awaits("turn", 0)];
const RULED: Told[] = [["ruled"], ["result-ruled"], ["ended"], ["seed-revealed"]];

test.each([
  ["a result that is ruled at once was not played", [...BEGUN, ...RULED], true],
  ["nor was one that a second person had to agree to", [...BEGUN, ["key-issued"], ["ruling-proposed"], ["directed"], ...RULED], true],
  ["a match that goes on has no result", BEGUN, false],
  ["a match that ended by its rules was played", [...BEGUN, ["ended"]], false],
  ["somebody has acted", [...BEGUN, acts(0), ...RULED], false],
  ["the turn has passed", [...BEGUN, awaits("turn", 1), ...RULED], false],
  ["the match went back to its beginning", [...BEGUN, rewound(3), ...RULED], false],
] as [string, Told[], boolean][])("%s", (_, told, expected) => {
  expect(isUnplayed(linesOf(...told))).toBe(expected);
});

test("an event of the game was played", () => {
  const lines = linesOf(...BEGUN, ...RULED);
  const dealt = { ...lines[0]!, type: "twelve-chips.bid-placed.1" };
  expect(isUnplayed([...lines.slice(0, 3), dealt, ...lines.slice(3)])).toBe(false);
});
