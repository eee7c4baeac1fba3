import { expect, test } from "vitest";
import { enteredIn, inputOf, openPhase, publicOfBatch, sentBy } from "../src/table/lines.js";
import { acts, awaits, linesOf } from "./lines.js";

const ALL = () => true;
const PARTS = [{ flip: 1 }];

test("the open phase is what follows the last awaiting", () => {
  const lines = linesOf(awaits("bid", 0), acts(0), awaits("bid", 1), acts(1));
  expect(openPhase(lines).map(({ seq }) => seq)).toEqual([4]);
  expect(openPhase(linesOf(acts(0)))).toHaveLength(1);
});

test("of each seat the last submission counts, unless it was struck or is not valid", () => {
  const refused: [string, object] = ["action-refused", { seat: 1, code: "not_yours" }];
  const lines = linesOf(acts(0), acts(1), refused as never, acts(2), ["struck", { seat: 2, of: 4 }], ["seat-reapplied", { seat: 0, of: 1 }]);
  expect([...sentBy(lines)].map(([seat, { code }]) => [seat, code])).toEqual([
    [0, null],
    [1, "not_yours"],
  ]);
});

test("draws that were entered by hand are the newest first, without those of the server", () => {
  const asked = (id: string) => ["draw-asked", { id, parts: PARTS }] as [string, object];
  const settled = (id: string, by: string) => ["draw-settled", { id, by, outcome: [["heads"]] }] as [string, object];
  const told = [asked("a"), settled("a", "Eve"), asked("b"), settled("b", "server"), asked("c"), settled("c", "Eve")];
  const found = enteredIn(linesOf(...(told as never[])), ALL);
  expect(found.map(({ id, seq, before }) => [id, seq, before])).toEqual([
    ["c", 6, 6],
    ["a", 2, 2],
  ]);
  expect(found[0]!.parts).toEqual(PARTS);
});

test("a batch is an input and what followed from it", () => {
  const lines = linesOf(acts(0), ["moved"], ["scored"], acts(1), ["moved"]);
  const isScore = ({ type }: { type: string }) => type === "match.scored.1";
  expect(inputOf(lines, 2)).toBe(0);
  expect(inputOf(lines, 4)).toBe(3);
  expect(publicOfBatch(lines, 0, isScore)).toBe(3);
  expect(publicOfBatch(lines, 3, isScore)).toBeNull();
});
