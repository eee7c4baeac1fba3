import { expect, test } from "vitest";
import { crosstable, hasCrosstable, type Meeting, type Taken } from "../src/tournament/crosstable.js";
import type { Round } from "../src/tournament/stage_read.js";

function round(status: string, ...tables: [number[], number[] | null, boolean?][]): Round {
  const pairings = tables.map(([players, winners, shared = false]) => ({ players, result: winners && { winners, shared } }));
  return { status, pairings } as unknown as Round;
}

function taken(cells: Meeting[][][]): Taken[][][] {
  return cells.map((row) => row.map((met) => met.map((one) => one.taken)));
}

test("each has taken from the other what the results say, meeting by meeting", () => {
  const rounds = [
    round("closed", [[0, 1], [0]]),
    round("withdrawn", [[0, 1], [1]]),
    round("closed", [[1, 0], [0, 1], true], [[2, 7], [0]]),
    round("published", [[0, 2], null]),
  ];
  expect(taken(crosstable([1, 0, 2], rounds))).toEqual([
    [[], ["lost", "shared"], []],
    [["won", "shared"], [], [null]],
    [[], [null], []],
  ]);
});

test("what is annulled is taken from nobody", () => {
  const rounds = [round("closed", [[0, 1], [0]]), round("published", [[1, 2], null])];
  expect(taken(crosstable([0, 1, 2], rounds, new Set([1])))).toEqual([
    [[], ["annulled"], []],
    [["annulled"], [], [null]],
    [[], [null], []],
  ]);
});

test("what a ruling has given is marked for both, once there is a result", () => {
  const rounds = [round("closed", [[0, 1], [0]]), round("published", [[1, 0], null])];
  for (const { pairings } of rounds) for (const one of pairings) one.ruled = true;
  const cells = crosstable([0, 1], rounds);
  expect([cells[0]![1], cells[1]![0]].map((met) => met!.map(({ ruled }) => ruled))).toEqual([[true, false], [true, false]]);
});

test("only stages for two that all can read have one", () => {
  const of = (format: string, seats: number, players: number): boolean => hasCrosstable({ format, seats }, players);
  expect([of("swiss", 2, 24), of("round_robin", 2, 8), of("swiss", 3, 8), of("elimination", 2, 8), of("swiss", 2, 25)]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
