import { expect, test } from "vitest";
import type { Slot } from "../src/tournament/bracket.js";
import { pathOf, podiumOf } from "../src/tournament/podium.js";
import type { StageRead } from "../src/tournament/stage_read.js";

const slot = (round: number, players: [number | null, number | null], winner: number | null): Slot => ({ round, players, winner }) as Slot;
const read = (...slots: Slot[]): StageRead => ({ stage: { status: "open", places: null }, slots }) as unknown as StageRead;

const SEMIS = [slot(1, [0, 3], 0), slot(1, [1, 2], 1)];

test("the winner of the final is known before anybody closes the tournament", () => {
  expect(podiumOf([read(...SEMIS, slot(2, [0, 1], null))])).toEqual([]);
  expect(podiumOf([read(...SEMIS, slot(2, [0, 1], 1))])).toEqual([1, 0]);
  expect(podiumOf([read(...SEMIS, slot(2, [0, 1], 1), slot(0, [3, 2], 3))])).toEqual([1, 0, 3]);
});

test("the path of the champion is where they have won, once the final is played", () => {
  const final = slot(2, [0, 1], 1);
  expect([...pathOf(read(...SEMIS, final))]).toEqual([SEMIS[1], final]);
  expect(pathOf(read(...SEMIS, slot(2, [0, 1], null))).size).toBe(0);
});

test("a final that has to be played again is not over with the first one", () => {
  const lower = slot(-1, [2, 1], 2);
  const final = slot(3, [0, 2], 2);
  expect(podiumOf([read(...SEMIS, lower, final, slot(4, [0, 2], null))])).toEqual([]);
  expect(podiumOf([read(...SEMIS, lower, slot(3, [0, 2], 0), slot(4, [null, null], null))])).toEqual([0, 2]);
});

test("of another stage the places are known once it is closed", () => {
  const stage = { stage: { status: "closed", places: [3, 1, 0, 2] }, slots: [] } as unknown as StageRead;
  expect(podiumOf([stage])).toEqual([3, 1, 0]);
  expect(podiumOf([{ ...stage, stage: { ...stage.stage, status: "open" } }])).toEqual([]);
  expect(podiumOf([])).toEqual([]);
});
