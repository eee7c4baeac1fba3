import { expect, test } from "vitest";
import { takenSeats } from "../src/play/seats.js";
import { changedTables, exact, exchanged, weighed } from "../src/tournament/seating.js";

const PAST = { points: new Map([[0, 4], [1, 4], [2, 2], [3, 0]]), tables: [[0, 1], [2, 3], [0, 2]] };
const DRAFT = { tables: [[0, 1], [2, 3]], byes: [4] };

test("two players change places, also with one who has none", () => {
  expect(exchanged(DRAFT, 1, 3)).toEqual({ tables: [[0, 3], [2, 1]], byes: [4] });
  expect(exchanged(DRAFT, 4, 0)).toEqual({ tables: [[4, 1], [2, 3]], byes: [0] });
});

test("a table is weighed by who has met and who is how far apart", () => {
  expect(weighed(1, [0, 1, 2], PAST)).toEqual({ table: 1, players: [0, 1, 2], met: 2, apart: 2 });
});

test("only tables that a move changes are compared", () => {
  expect(changedTables(DRAFT, DRAFT, PAST)).toEqual([]);
  expect(changedTables(DRAFT, exchanged(DRAFT, 0, 4), PAST).map((one) => one.after)).toEqual([
    { table: 1, players: [4, 1], met: 0, apart: 4 },
  ]);
  // The same two in each other's seats are a change, too: who begins is another.
  expect(changedTables(DRAFT, exchanged(DRAFT, 0, 1), PAST)).toHaveLength(1);
});

test("exact numbers", () => {
  expect(["9", "7/2", "-1/2"].map(exact)).toEqual([9, 3.5, -0.5]);
});

test("a seat of an open table is free while it has the name with which the table was opened", () => {
  const seats = ["Seat 2", "Seat 2", "Cy", "Seat 3"];
  expect(takenSeats({ seats, open_table: true })).toEqual(["Seat 2", "Cy", "Seat 3"]);
  expect(takenSeats({ seats, open_table: false })).toEqual(seats);
});
