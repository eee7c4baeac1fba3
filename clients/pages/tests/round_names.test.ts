import { expect, test } from "vitest";
import { matchName, type Slot } from "../src/tournament/bracket.js";

const slot = (round: number, ...players: [number, number]): Slot => ({ round, players }) as unknown as Slot;

test("matches of the last rounds of a knockout have names, earlier ones have none", () => {
  const slots = [slot(1, 8, 9), slot(2, 0, 1), slot(3, 0, 2), slot(4, 0, 3), slot(0, 2, 5)];
  const named = slots.map((one) => matchName(slots, one.players as [number, number]));
  expect(named).toEqual([null, "one_quarter", "one_semi", "final", "third"]);
});
