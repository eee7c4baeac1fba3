import { expect, test } from "vitest";
import { choosable, duelOf, mayAskBye, nextOf } from "../src/tournament/mine.js";
import type { Round, Stage, StageRead } from "../src/tournament/stage_read.js";

const OPEN = { stage: 1, status: "open", format: "swiss", byes_asked: 1, round: {} } as Stage;
const SHOW = { immune: [3], candidates: [0], chooser: 0, choice_until: "2026-11-21T14:00:00Z", opponent: null, death: [], eliminated: null };

function round(more: Partial<Round>): Round {
  return { round: 1, status: "published", pairings: [], byes: [], show: null, ...more } as Round;
}

function read(...rounds: Round[]): StageRead {
  return { stage: OPEN, rounds, standings: null, slots: [] };
}

function tables(...players: number[][]): Round["pairings"] {
  return players.map((one, index) => ({ table: index + 1, players: one, status: "final", matches: ["m"] })) as Round["pairings"];
}

test("a player's table is that of the last round that stands", () => {
  const stages = [read(round({ round: 1, pairings: tables([0, 1]) }), round({ round: 2, status: "withdrawn", pairings: tables([0, 2]) }))];
  expect(nextOf(0, stages)).toMatchObject([{ kind: "table", opponents: [1], round: { round: 1 } }]);
  expect(nextOf(2, stages)).toEqual([]);
});

test("nothing is to be done in a round that is closed", () => {
  expect(nextOf(0, [read(round({ status: "closed", pairings: tables([0, 1]) }))])).toEqual([]);
});

test("who sits out sees it", () => {
  const bye = { player: 4, kind: "bye_asked", because: ["asked"] } as const;
  expect(nextOf(4, [read(round({ byes: [{ ...bye, because: [...bye.because] }] }))])).toMatchObject([{ kind: "bye" }]);
});

test("a candidate chooses among all who are not immune, and these see who chooses", () => {
  const stages = [read(round({ pairings: tables([0, 1, 2, 3]), show: SHOW as never }))];
  expect(nextOf(0, stages)).toMatchObject([{ kind: "choose", among: [1, 2] }]);
  expect([1, 2, 3].map((player) => nextOf(player, stages).map((one) => one.kind))).toEqual([["awaits_choice"], ["awaits_choice"], []]);
});

test("the two of a death match go to it, until one is out", () => {
  const duel = { ...SHOW, opponent: 2, death: ["d1", "d2"] };
  const of = (show: object): Round => round({ pairings: tables([0, 1, 2, 3]), show: show as never });
  expect(nextOf(2, [read(of(duel))])).toMatchObject([{ kind: "death", match: "d2", opponents: [0] }]);
  expect(nextOf(1, [read(of(duel))])).toEqual([]);
  expect(nextOf(2, [read(of({ ...duel, eliminated: 2 }))])).toEqual([]);
});

test("two candidates meet each other", () => {
  expect(duelOf({ show: { ...SHOW, candidates: [1, 2], chooser: null } as never })).toEqual([1, 2]);
  expect(choosable({ pairings: [], show: null })).toEqual([]);
});

test("byes are asked for where the stage has them", () => {
  const of = (more: Partial<Stage>): boolean => mayAskBye({ ...OPEN, ...more });
  expect([of({}), of({ byes_asked: 0 }), of({ format: "show" }), of({ status: "closed" })]).toEqual([true, false, false, false]);
});
