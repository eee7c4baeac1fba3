import { expect, test } from "vitest";
import { doubtIn } from "../src/doubt.js";

test.each([
  ["the higher score wins", { winners: [0], losers: [1], shared: false, scores: [3, 1] }, null],
  ["equal scores say nothing", { winners: [0], losers: [1], shared: false, scores: [2, 2] }, null],
  ["the lower score wins", { winners: [1], losers: [0], shared: false, scores: [3, 1] }, { winner: 1, loser: 0 }],
  ["of several, one has more than the winner", { winners: [0], losers: [1, 2], shared: false, scores: [2, 1, 4] }, { winner: 0, loser: 2 }],
  ["equal scores are shared", { winners: [0, 1], losers: [], shared: true, scores: [2, 2] }, null],
  ["different scores are shared", { winners: [0, 1], losers: [], shared: true, scores: [3, 2] }, "shared"],
  ["all lose", { winners: [], losers: [0, 1], shared: false, scores: [0, 0] }, null],
])("%s", (_, result, doubt) => {
  expect(doubtIn(result)).toEqual(doubt);
});
