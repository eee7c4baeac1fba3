import { expect, test } from "vitest";
import { places, roundsOf } from "../src/tournament/cup.js";

function match(name: string, ...players: number[]): { match: string; players: number[] } {
  return { match: name, players };
}

test.each([
  ["one round", [match("a", 0, 1), match("b", 2, 3)], [1, 1]],
  ["a match comes behind all earlier ones of its players", [match("a", 0, 1), match("b", 2, 3), match("c", 0, 2)], [1, 1, 2]],
  ["who had a bye meets somebody of a later round", [match("a", 0, 1), match("b", 0, 1), match("c", 2, 1)], [1, 2, 3]],
  ["no players, no earlier match", [match("a"), match("b")], [1, 1]],
])("%s", (_, matches, rounds) => {
  expect([...roundsOf(matches).values()]).toEqual(rounds);
});

test("equal rows share a place, and the next place is as far down as there are rows before it", () => {
  const rows = [[2, 0], [1, 1], [1, 1], [1, 0]].map(([won, shared]) => ({ won, shared }));
  expect(places(rows as never)).toEqual([1, 2, 2, 4]);
});
