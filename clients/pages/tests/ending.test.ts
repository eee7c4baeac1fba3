import { expect, test } from "vitest";
import type { Slot } from "../src/tournament/bracket.js";
import { endingOf } from "../src/tournament/ending.js";
import type { StageRead } from "../src/tournament/stage_read.js";

/** A stage in which these players have these places. */
function read(status: string, places: Record<number, number>, slots: object[] = []): StageRead {
  const rows = Object.entries(places).map(([player, place]) => ({ player: Number(player), place }));
  return { stage: { status, places: rows.map(({ player }) => player) }, slots: slots as Slot[], standings: rows.length === 0 ? null : { rows } } as unknown as StageRead;
}

const SEMIS = [{ round: 1, players: [0, 3], winner: 0 }, { round: 1, players: [1, 2], winner: 1 }];
const FINAL = { round: 2, players: [0, 1], winner: 0 };
const PLACES = { 0: 1, 1: 2, 2: 3, 3: 3 };

test("a player of a knockout is in it until they lose, and then has a place", () => {
  const playing = [read("open", PLACES, [...SEMIS, { ...FINAL, winner: null }])];
  expect([0, 1, 2].map((player) => endingOf(player, playing))).toEqual([{ kind: "goes_on" }, { kind: "goes_on" }, { kind: "placed", place: 3 }]);
  const decided = [read("open", PLACES, [...SEMIS, FINAL])];
  expect([0, 1].map((player) => endingOf(player, decided))).toEqual([{ kind: "won_final" }, { kind: "placed", place: 2 }]);
});

test("the places of the last stage are those of the tournament once it is closed", () => {
  expect([0, 1].map((player) => endingOf(player, [read("open", PLACES)]))).toEqual([{ kind: "goes_on" }, { kind: "goes_on" }]);
  expect([0, 1].map((player) => endingOf(player, [read("closed", PLACES)]))).toEqual([{ kind: "champion" }, { kind: "placed", place: 2 }]);
});

test("who is not in the stage that follows is told so once it has begun", () => {
  const groups = read("closed", PLACES);
  expect(endingOf(3, [groups, read("planned", {})])).toEqual({ kind: "goes_on" });
  expect(endingOf(3, [groups, read("open", { 0: 1, 1: 2 })])).toEqual({ kind: "not_next" });
  expect(endingOf(7, [groups])).toEqual({ kind: "goes_on" });
});
