import { expect, test } from "vitest";
import { added, changes, differ } from "../src/changes.js";
import { duration } from "../src/clock.js";
import { micros } from "../src/instants.js";
import { brief, cited, publicNumber } from "../src/numbers.js";

test.each([
  [1, 1, false],
  [1, "1", true],
  [null, {}, true],
  [{ a: [1, 2] }, { a: [1, 2] }, false],
  [{ a: [1, 2] }, { a: [1, 2, 3] }, true],
  [{ a: undefined }, {}, false],
])("%j and %j differ: %s", (one, other, is) => {
  expect(differ(one, other)).toBe(is);
});

test("what changed is asked by its path", () => {
  const changed = changes({ chips: [3, 4], phase: "bid" }, { chips: [3, 5], phase: "bid" });
  expect([changed("chips", 0), changed("chips", 1), changed("phase"), changed("none", 3)]).toEqual([false, true, false, false]);
  expect(changes(null, { chips: 1 })("chips")).toBe(false);
});

test("of equal values the last is the one that was added", () => {
  expect(added([1, 2], [1, 2, 2])).toEqual([false, false, true]);
  expect(added<object>([{ a: 1 }], [{ a: 2 }, { a: 1 }])).toEqual([true, false]);
});

test.each([
  ["2026-11-21T14:00:00Z", "2026-11-21T14:00:00.000001Z", 1],
  ["2026-11-21T14:00:00.1Z", "2026-11-21T14:00:00.100000Z", 0],
  ["2026-11-21T14:00:00.999999Z", "2026-11-21T14:00:01Z", 1],
])("%s to %s is %d microsecond", (one, other, difference) => {
  expect(micros(other) - micros(one)).toBe(difference);
});

test.each([
  [{ seq: 9, public_seq: 6 }, false, "p6", "p6 (9)"],
  [{ seq: 9, public_seq: null }, false, "9", "9"],
  [{ seq: 6, public_seq: 6 }, true, "6", "6"],
])("%j is numbered for the public: %s", (line, isPublic, short, long) => {
  expect([brief(line, isPublic), cited(line, isPublic)]).toEqual([short, long]);
});

test.each([["p6", 6], [" 6 ", 6], ["p0", null], ["6p", null], ["", null], ["1234567890", null]])("%j is the number %s", (typed, number) => {
  expect(publicNumber(typed)).toBe(number);
});

test.each([[0, "0:00"], [65, "1:05"], [3600, "1:00:00"], [86_400 * 3 + 3600 * 4, "3 d 4:00:00"]])("%d seconds are %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
