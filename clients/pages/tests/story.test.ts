import type { Schemas } from "@arbiter/client";
import { expect, test } from "vitest";
import { storyOf } from "../src/audit/story.js";

const at = (second: number): string => `2026-11-30T12:00:${String(second).padStart(2, "0")}.000000Z`;

function ruling(more: Partial<Schemas["RulingShown"]>): Schemas["RulingShown"] {
  return { ruling: "r", kind: "rewind", status: "carried_out", at: at(6), reason: "So.", by: ["Mo", "Eve"], ...more } as Schemas["RulingShown"];
}

function read(person: string | null, second: number, more: Partial<Schemas["ShownRead"]> = {}): Schemas["ShownRead"] {
  return { person, role: "moderator", seq: 9, first: at(second), last: at(50), key_id: `key of ${person}`, as: "moderator", hidden: true, ...more };
}

const CASE = {
  case: "c",
  statements: [
    { n: 1, at: at(2), from: "seat:0", says: "It was tails." },
    { n: 2, at: at(3), from: "seat:1", says: "It was heads." },
  ],
  closings: [
    { at: at(6), note: null, n: 1, ruling: "r" },
    { at: at(9), note: "Enough.", n: null },
  ],
} as unknown as Schemas["CaseShown"];

test("a dispute is told in order of time, each ruling once", () => {
  const rulings = [ruling({ proposed: at(4) })];
  const told = storyOf({ cases: [CASE], rulings, reads: [read("Eve", 5), read("Mo", 1)] });
  expect(told.map(({ kind, at }) => [kind, Number(at.slice(17, 19))])).toEqual([
    ["looked", 1], ["said", 2], ["said", 3], ["proposed", 4], ["looked", 5], ["ruled", 6], ["decided", 9],
  ]);
  expect(told.map((step) => step.kind === "said" && step.opens)).toEqual([false, true, false, false, false, false, false]);
});

test("what waits or was given up was only proposed", () => {
  const rulings = [ruling({ status: "pending", at: at(1) }), ruling({ status: "withdrawn", proposed: at(2) })];
  expect(storyOf({ cases: [], rulings, reads: null }).map(({ kind }) => kind)).toEqual(["proposed", "proposed"]);
});

test("each person's first look at what was hidden is told, not those of players or after the end", () => {
  const reads = [read("Mo", 8), read("Mo", 7), read("Ann", 1, { role: "seat", hidden: false }), read("Eve", 9, { hidden: false }), read(null, 3)];
  const told = storyOf({ cases: [], rulings: [ruling({ by: ["Mo"] })], reads });
  expect(told.map((step) => (step.kind === "looked" ? [step.person, step.at] : step.kind))).toEqual([[null, at(3)], "ruled", ["Mo", at(7)]]);
});

test("where nothing was disputed there is no story", () => {
  expect(storyOf({ cases: [], rulings: [], reads: [read("Mo", 1)] })).toEqual([]);
});
