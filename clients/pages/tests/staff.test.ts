import { expect, test } from "vitest";
import { givable, moderatorName } from "../src/tournament/staff.js";
import type { Cup } from "../src/tournament/cup.js";

/** Mo, who is number 1: number 0 was removed. Ben, a player, moderates as well, as number 2. */
const cup = {
  shown: {
    players: [{ name: "Ann" }, { name: "Ben" }, { name: "Cy" }],
    moderators: [{ moderator: 1, name: "Mo" }, { moderator: 2, name: "Ben" }],
  },
  pairings: [
    { match: "a", seats: ["Ann", "Ben"], status: "running", moderators: ["Mo"], row: { result: null } },
    { match: "b", seats: ["Ann", "Cy"], status: "created", moderators: [], row: { result: null } },
    { match: "c", seats: ["Cy", "Ann"], status: "ended", moderators: [], row: { result: { final: true } } },
    { match: "d", seats: ["Cy", "Ann"], status: "ended", moderators: [], row: { result: { final: false } } },
  ],
} as unknown as Cup;

test("moderators keep their numbers when others are removed", () => {
  expect([0, 1, 2].map((number) => moderatorName(cup.shown, number))).toEqual(["", "Mo", "Ben"]);
});

test("a moderator can be given the matches that are not final, in which they do not play", () => {
  const matches = (number: number) => givable(cup, moderatorName(cup.shown, number)).map(({ match }) => match);
  expect([matches(1), matches(2)]).toEqual([["b", "d"], ["b", "d"]]);
});
