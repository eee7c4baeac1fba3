import { expect, test } from "vitest";
import type { Schemas } from "@arbiter/client";
import { closersOf, decidersOf } from "../src/event_audit/deciders.js";

type Ruling = Schemas["TournamentRulingShown"];

const ruling = (kind: Ruling["kind"], more: Partial<Ruling> = {}) => ({ kind, match: null, rule: null, ...more });

test("who decided is said by name where the reader is told, or else by what they are", () => {
  expect(decidersOf(ruling("result", { match: "m1", by: ["Mo", null] }))).toEqual(["Mo", null]);
  expect(decidersOf(ruling("result", { match: "m1" }))).toBe("match");
  expect(decidersOf(ruling("correct", { match: "m1" }))).toBe("two");
  expect([decidersOf(ruling("penalty")), decidersOf(ruling("disqualify"))]).toEqual(["organiser", "two"]);
});

test("what the service rules by itself nobody has decided", () => {
  expect(decidersOf(ruling("result", { match: "m1", rule: "absent: forfeit", by: [null] }))).toBe("service");
});

test.each([
  ["a note of somebody with a name", { person: "Mo" }, ["Mo"]],
  ["a note of a key without one", { person: null }, [null]],
  ["a note whose author is not told", {}, []],
  ["a ruling whose people are told", { ruling: "r1" }, ["Mo", "Olga"]],
  ["a ruling that the reader does not see", { ruling: "r2" }, []],
])("a case is closed by %s", (_, closing, names) => {
  expect(closersOf(closing, [{ ruling: "r1", by: ["Mo", "Olga"] }])).toEqual(names);
});
