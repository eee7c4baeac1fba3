import { expect, test } from "vitest";
import { ruledResult } from "../src/tournament/entered.js";

function filled(fields: [string, string][]): FormData {
  const form = new FormData();
  for (const [name, value] of [["reason", "So it was."] as const, ...fields]) form.append(name, value);
  return form;
}

test.each([
  ["a winner, with scores", [["winner", "1"], ["score.0", "2"], ["score.1", "5"]], { winners: [1], losers: [0], shared: false, scores: [2, 5] }],
  ["a shared win", [["winner", "shared"], ["score.0", "3"], ["score.1", "3"]], { winners: [0, 1], losers: [], shared: true, scores: [3, 3] }],
] as [string, [string, string][], object][])("%s", (_, fields, result) => {
  const form = filled([["because", "adjudicated"], ...fields]);
  expect(ruledResult(2, form)).toEqual({ kind: "result", because: "adjudicated", reason: "So it was.", result });
});

test.each([
  [2, ["0"], { winners: [1], losers: [0], shared: false, scores: [0, 1] }],
  [3, ["2"], { winners: [0, 1], losers: [2], shared: false, scores: [1, 1, 0] }],
  [2, ["0", "1"], { winners: [], losers: [0, 1], shared: false, scores: [0, 0] }],
])("of %i those lose who did not come (%s), and no score is asked for", (count, absent, result) => {
  const form = filled([["because", "forfeit"], ...absent.map((seat): [string, string] => ["absent", seat])]);
  expect(ruledResult(count, form)).toEqual({ kind: "result", because: "forfeit", reason: "So it was.", result });
});

test("somebody has to be named who did not come", () => {
  expect(() => ruledResult(2, filled([["because", "forfeit"]]))).toThrow();
});
