import { expect, test } from "vitest";
import type { Cup } from "../src/tournament/cup.js";
import { isComplete, needsOf } from "../src/tournament/needs.js";
import type { Round, StageRead } from "../src/tournament/stage_read.js";

const NOON = Date.parse("2026-11-21T12:00:00Z");

interface Settings {
  stage?: object;
  rounds?: object[];
  slots?: object[];
  players?: string[];
}

/** A Swiss of two rounds for two, unless it says otherwise. */
function read({ stage = {}, rounds = [], slots = [], players = ["entered", "entered"] }: Settings): StageRead {
  const settings = { stage: 1, status: "open", format: "swiss", rounds: 2, published: rounds.length, round: { start: "by_hand" } };
  const standings = rounds.length === 0 ? null : { rows: players.map((status) => ({ status })) };
  return { stage: { ...settings, ...stage }, rounds, slots, standings } as unknown as StageRead;
}

function round(status: Round["status"], more: object = {}): object {
  return { round: 1, status, ends: null, pairings: [{ status: "final", matches: ["m"], players: [0, 1] }], show: null, ...more };
}

function kinds(...stages: StageRead[]): string[] {
  const cup = { stages, pairings: [], shown: { status: "open" } } as unknown as Cup;
  return needsOf(cup, NOON).map((one) => one.kind);
}

test("a stage without a round wants one, and so does one whose last round is closed", () => {
  expect(kinds(read({}))).toEqual(["draft"]);
  expect(kinds(read({ rounds: [round("closed")] }))).toEqual(["draft"]);
  expect(kinds(read({ rounds: [round("closed"), round("closed")] }))).toEqual(["close_stage"]);
});

test("a stage can begin once its players are known", () => {
  const planned = (entrants: unknown): StageRead => read({ stage: { status: "planned", entrants } });
  const first = (status: string): StageRead => read({ stage: { status }, rounds: [round("published")] });
  expect([kinds(planned("all")), kinds(planned([0, 1]))]).toEqual([["draft"], ["draft"]]);
  const places = planned({ stage: 1, places: [1, 2] });
  expect([kinds(first("open"), places), kinds(first("closed"), places)]).toEqual([[], ["draft"]]);
});

test("while a round is played nothing is drafted", () => {
  expect(kinds(read({ rounds: [round("published")] }))).toEqual([]);
});

test("matches that staff start are waiting for them, others are not", () => {
  const waiting = round("published", { pairings: [{ status: "waiting", matches: ["m"] }] });
  expect(kinds(read({ rounds: [waiting] }))).toEqual(["start"]);
  expect(kinds(read({ rounds: [waiting], stage: { round: { start: "ready" } } }))).toEqual([]);
});

test("a round whose time is up is shown", () => {
  const ending = (ends: string): StageRead => read({ rounds: [round("published", { ends })] });
  expect([kinds(ending("2026-11-21T12:00:00Z")), kinds(ending("2026-11-21T12:00:01Z"))]).toEqual([["ended"], []]);
});

test("a round whose time is up comes before what has yet to be started", () => {
  const waiting = round("published", { ends: "2026-11-21T12:00:00Z", pairings: [{ status: "waiting", matches: ["m"] }] });
  expect(kinds(read({ rounds: [waiting] }), read({ rounds: [waiting] }))).toEqual(["ended", "ended", "start", "start"]);
});

test("an episode that named nobody may get its candidates, or the next one follows", () => {
  const show = { candidates: [], eliminated: null };
  expect(kinds(read({ stage: { format: "show", until: 1 }, rounds: [round("closed", { show })] }))).toEqual(["candidates", "draft"]);
});

test("a result that can be protested is to be confirmed", () => {
  const pairing = { match: "m", row: { result: { final: false } } };
  const cup = { stages: [], pairings: [pairing], shown: { status: "open" } } as unknown as Cup;
  expect(needsOf(cup, NOON)).toEqual([{ kind: "confirm", pairing }]);
});

test("once all stages are closed the tournament can be", () => {
  const closed = read({ stage: { status: "closed" }, rounds: [round("closed")] });
  expect(kinds(closed)).toEqual(["close"]);
  expect(kinds(closed, read({ stage: { status: "planned", entrants: { stage: 3, places: [1, 2] } } }))).toEqual([]);
});

test.each([
  ["a knockout is over with its final", { stage: { format: "elimination" }, slots: [{ winner: 1, players: [0, 1] }] }, true],
  ["a final that is not needed is not waited for", { stage: { format: "elimination" }, slots: [{ winner: 1, players: [0, 1] }, { winner: null, players: [null, null] }] }, true],
  ["a knockout goes on", { stage: { format: "elimination" }, slots: [{ winner: null, players: [0, 1] }] }, false],
  ["a show is over with so many left", { stage: { format: "show", until: 2 }, players: ["entered", "eliminated", "entered"] }, true],
  ["a show goes on", { stage: { format: "show", until: 1 } }, false],
  ["a round robin of three has three rounds", { stage: { format: "round_robin", groups: 1, cycles: 1, published: 2 }, players: ["", "", ""] }, false],
  ["all have met twice", { stage: { format: "round_robin", groups: 1, cycles: 2, published: 6 }, players: ["", "", "", ""] }, true],
  ["a shootout is over with its last table", { stage: { format: "shootout" } }, true],
  ["by hand it goes on for as long as somebody pairs", { stage: { format: "by_hand", rounds: null } }, false],
] as [string, Settings, boolean][])("%s", (_, settings, expected) => {
  expect(isComplete(read({ rounds: [round("closed")], ...settings }))).toBe(expected);
});
