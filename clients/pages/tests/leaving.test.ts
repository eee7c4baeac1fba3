import { expect, test } from "vitest";
import { leaving } from "../src/tournament/leaving.js";
import type { StageRead } from "../src/tournament/stage_read.js";

const POINTS = { win: 2, share: 1, loss: 0, absent: 0 };
const row = (player: number, points: string, group = 1): object => ({ player, place: 1, points, group });
const pairing = (players: number[], winners: number[] | null, status = "final"): object => ({
  players,
  status,
  result: winners && { winners, losers: [0, 1].filter((seat) => !winners.includes(seat)), shared: winners.length > 1 },
});

function read(format: string, rounds: object[][], status = "open"): StageRead {
  const stage = { name: "S", format, status, cycles: 1, points: POINTS };
  const rows = [row(0, "2"), row(1, "1"), row(2, "1"), row(3, "0"), row(4, "0", 2)];
  return { stage, slots: [], standings: { rows }, rounds: rounds.map((pairings) => ({ status: "closed", pairings })) } as unknown as StageRead;
}

test("who leaves before half of their games is annulled, and takes back what others took from them", () => {
  const [found] = leaving(3, [read("round_robin", [[pairing([0, 3], [0]), pairing([1, 2], [0, 1])]])]);
  expect([found!.results, found!.played, found!.games]).toEqual(["annulled", 1, 3]);
  expect(found!.points).toEqual([
    { player: 0, before: 2, after: 0 },
    { player: 1, before: 1, after: 1 },
    { player: 2, before: 1, after: 1 },
    { player: 3, before: 0, after: 0 },
  ]);
});

test("from half of the games on results stand, and what is running has to be decided", () => {
  const rounds = [[pairing([0, 3], [0])], [pairing([3, 1], [0])], [pairing([2, 3], null, "running")]];
  expect(leaving(3, [read("round_robin", rounds)])).toEqual([{ stage: "S", results: "lost", played: 2, games: 3, points: [], open: [2] }]);
  expect(leaving(3, [read("swiss", rounds)])[0]!.results).toBe("stand");
});

test("stages that are over, or have them not, are not touched", () => {
  expect([leaving(3, [read("swiss", [], "closed")]), leaving(9, [read("swiss", [])])]).toEqual([[], []]);
});
