import { expect, test } from "vitest";
import { byGroup, standingOf, type Row } from "../src/tournament/standing_places.js";

const row = (player: number, place: number, group?: number): Row => ({ player, place, group }) as unknown as Row;

test("whoever is in a group has a place in it", () => {
  const rows = [row(4, 1, 2), row(0, 2, 1), row(5, 3, 2), row(1, 4, 1), row(2, 4, 1)];
  expect(byGroup(rows).map((one) => [one.group, one.rows.map(({ row: { player }, place }) => [player, place])])).toEqual([
    [1, [[0, 1], [1, 2], [2, 2]]],
    [2, [[4, 1], [5, 2]]],
  ]);
  expect(standingOf(rows, 5)?.place).toBe(2);
  expect(standingOf(rows, 9)).toBeUndefined();
});

test("a stage without groups has one list, whose places are those of the stage", () => {
  expect(byGroup([row(3, 1), row(1, 2), row(2, 2)])).toEqual([
    { group: null, rows: [{ row: row(3, 1), place: 1 }, { row: row(1, 2), place: 2 }, { row: row(2, 2), place: 2 }] },
  ]);
});
