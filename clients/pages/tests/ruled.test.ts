import { expect, test } from "vitest";
import { meetings, ruledMatches, ruledPlayers, scoresOf } from "../src/tournament/ruled.js";
import type { StageRead } from "../src/tournament/stage_read.js";

const result = { winners: [0], losers: [1], shared: false, scores: [1, 0] };
const pairing = (players: number[], ruled: boolean, decided = true) => ({ players, ruled, result: decided ? result : null, matches: [players.join("-")] });
const round = (...pairings: object[]) => ({ status: "closed", pairings });
const slot = (number: number, players: (number | null)[]) => ({ slot: number, players });

function read(rounds: object[], slots: object[] = []): StageRead {
  return { rounds, slots } as unknown as StageRead;
}

test("a result is ruled if its pairing says so, and there is one", () => {
  const one = read([round(pairing([0, 1], true), pairing([2, 3], false), pairing([4, 5], true, false))]);
  expect([[...ruledMatches([one])], [...ruledPlayers(one)]]).toEqual([["0-1"], [0, 1]]);
});

test("a round that was withdrawn says nothing", () => {
  expect(ruledPlayers(read([{ ...round(pairing([0, 1], true)), status: "withdrawn" }])).size).toBe(0);
});

test("of two who meet twice in a bracket the slot of the ruled meeting is marked", () => {
  const rounds = [round(pairing([0, 1], false)), round(pairing([2, 3], true)), round(pairing([1, 0], true))];
  const slots = [slot(1, [0, 1]), slot(2, [3, 2]), slot(3, [0, 1]), slot(4, [0, null])];
  const met = [...meetings(read(rounds, slots))];
  expect(met.map(([{ slot }, { ruled }]) => [slot, ruled])).toEqual([[1, false], [2, true], [3, true]]); // prettier-ignore
});

test("a box of a bracket has the score of its match, or how many were won where several decide", () => {
  const meeting = { ...pairing([1, 0], false), result: { ...result, scores: [3, 2] } } as never;
  const decided = { players: [0, 1], wins: [0, 1], winner: 1 } as never;
  expect(scoresOf(decided, meeting, 1)).toEqual([2, 3]);
  expect(scoresOf(decided, { ...(meeting as object), forfeit: true } as never, 1)).toEqual([0, 1]);
  expect(scoresOf(decided, meeting, 3)).toEqual([0, 1]);
  expect(scoresOf({ players: [0, 1], wins: [0, 0], winner: null } as never, meeting, 1)).toBeNull();
  expect(scoresOf({ players: [0, null], wins: [0, 0], winner: 0 } as never, undefined, 1)).toBeNull();
});
