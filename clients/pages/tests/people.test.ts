import { expect, test } from "vitest";
import type { Line } from "../src/audit/about.js";
import { correctedBy, makersOf } from "../src/audit/people.js";

/** A line of the record: `cause` is the number of its input. */
function line(seq: number, type: string, data: object = {}, cause: number | null = null): Line {
  return { seq, type: `match.${type}.1`, data, cause, undone_by: null } as unknown as Line;
}

const PROPOSED = [line(10, "ruling-proposed", { id: "r" }), line(11, "directed", { by: "Jo" }, 10)];
const CONSENTS = [0, 1].map((giver) => line(12 + giver, "ruling-consented", { id: "r", giver }));
const ORDERED = (cause: number): Line => line(21, "ruling-ordered", { id: "r" }, cause);
const RULED = line(20, "ruled", { n: 1 });

test("who proposed a ruling made it, and who carried it out has seconded it", () => {
  const lines = [...PROPOSED, RULED, line(22, "directed", { by: "Dora" }, 20), ORDERED(20)];
  expect(makersOf(lines, RULED)).toEqual({ proposed: "Jo", seconded: "Dora", consents: [] });
});

test("by the seats' consent nobody seconds it", () => {
  const ruled = line(20, "ruled", { n: 1 }, 13);
  expect(makersOf([...PROPOSED, ...CONSENTS, ruled, ORDERED(13)], ruled)).toEqual({ proposed: "Jo", consents: [0, 1] });
});

test("one person alone has made it; the public is told nobody", () => {
  expect(makersOf([RULED, line(22, "directed", { by: "Jo" }, 20), ORDERED(20)], RULED)).toEqual({ proposed: "Jo", consents: [] });
  expect(makersOf([RULED], RULED)).toEqual({ consents: [] });
});

test("a corrected draw is told part by part, as it was asked for", () => {
  const parts = [{ kind: "flip", label: "nickel" }, { kind: "flip", label: "dime" }];
  const lines = [
    line(1, "awaiting-changed", { draw: { id: "x", parts } }),
    line(2, "draw-settled", { id: "x", outcome: ["heads", "tails"], by: "manual" }),
    RULED,
    line(23, "draw-settled", { id: "b1/x", outcome: ["tails", "tails"], by: "ruling" }, 20),
  ];
  expect(correctedBy(lines, RULED)).toEqual([{ id: "x", labels: ["nickel"], was: ["heads"], is: ["tails"] }]);
});
