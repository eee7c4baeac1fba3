import { expect, test } from "vitest";
import { storiesOf } from "../src/tournament/episodes.js";
import type { Round } from "../src/tournament/stage_read.js";

function episode(players: number[], show: object): Round {
  const nothing = { immune: [], candidates: [], chooser: null, opponent: null, eliminated: null };
  return { pairings: [{ players }], show: { ...nothing, ...show } } as unknown as Round;
}

test("everybody's way through the episodes, the last ones left first", () => {
  const rounds = [
    episode([0, 1, 2, 3], { immune: [2], candidates: [0], chooser: 0, opponent: 3, eliminated: 0 }),
    episode([1, 2, 3], { immune: [3], candidates: [1, 2], eliminated: 2 }),
    episode([1, 3], { immune: null, candidates: null }),
  ];
  expect(storiesOf(rounds)).toEqual([
    { player: 1, parts: ["safe", "duel", "safe"] },
    { player: 3, parts: ["duel", "immune", "safe"] },
    { player: 2, parts: ["immune", "out", null] },
    { player: 0, parts: ["out", null, null] },
  ]);
});

test("before the first episode there is no story", () => {
  expect(storiesOf([])).toEqual([]);
});
