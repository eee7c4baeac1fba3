import { expect, test } from "vitest";
import { paged, placesByName } from "../src/tournament/by_name.js";

test("everybody of a round is found by name, also who sits out", () => {
  const pairings = [{ table: 1, group: null, players: [2, 0], result: { scores: [7, 9] } }, { table: 2, group: 3, players: [3, 4], result: null }];
  const byes = [{ player: 1, kind: "bye" }];
  const places = placesByName({ pairings, byes } as never, ["Zoë", "Émile", "Ann", "Otto", "Öl"], "de");
  expect(places.map((one) => [one.name, one.table, one.group, one.opponents, one.bye, one.result])).toEqual([
    ["Ann", 1, null, ["Zoë"], null, "7 : 9"],
    ["Émile", null, null, [], "bye", ""],
    ["Öl", 2, 3, ["Otto"], null, ""],
    ["Otto", 2, 3, ["Öl"], null, ""],
    ["Zoë", 1, null, ["Ann"], null, "9 : 7"],
  ]);
});

test("a list is shown in parts, however little room there is", () => {
  expect([paged([1, 2, 3], 2), paged([1, 2], 0), paged([], 5)]).toEqual([[[1, 2], [3]], [[1], [2]], []]);
});
