import { expect, test } from "vitest";
import { groupsOf, isTable, namesIn, roundsOfTemplate, stagesOf, twice, type Plan } from "../src/tournament/templates.js";

const PLAN: Plan = { template: "knockout", game: "twelve-chips", options: { tokens_to_win: 1 }, players: 8, seeding: "lots", start: "ready", rulings: "two", ends: null, isModerated: false };

test("a list is read as it is pasted, with numbers or dots and empty lines", () => {
  expect(namesIn("1. Ann\n2) Ben \n\n- Cy\n•  Dee\n3 Musketeers\n")).toEqual(["Ann", "Ben", "Cy", "Dee", "3 Musketeers"]);
});

test("a table of a spreadsheet is one by its head", () => {
  expect(["name,rating\nAnn,1500", "Name , team", "Ann\nBen", "Ann, the name"].map(isTable)).toEqual([true, true, false, false]);
});

test("names are alike however they are written", () => {
  expect(twice(["Ann", "Ben", "ann", "ＢＥＮ", "Cy"])).toEqual(["Ann", "Ben"]);
});

test.each([
  [4, 1],
  [5, 1],
  [6, 2],
  [8, 2],
  [11, 2],
  [12, 4],
  [16, 4],
  [32, 8],
])("%i players are in %i groups", (players, groups) => {
  expect(groupsOf(players)).toBe(groups);
});

test.each([
  ["knockout", 5, 3],
  ["knockout", 8, 3],
  ["swiss", 8, 3],
  ["swiss", 3, 2],
  ["groups", 8, 3],
  ["groups", 6, 3],
  ["show", 8, null],
] as const)("a %s of %i has %s rounds", (template, players, rounds) => {
  expect(roundsOfTemplate(template, players)).toBe(rounds);
});

test("groups send two each to a final that takes them in their order", () => {
  const [groups, final] = stagesOf({ ...PLAN, template: "groups", players: 16 }, (name) => name);
  expect(groups).toMatchObject({ format: "round_robin", groups: 4, match: { game: "twelve-chips", options: PLAN.options } });
  expect(final).toMatchObject({ format: "elimination", match: { options: PLAN.options }, seeding: "entry", entrants: { stage: 1, places: [1, 8] } });
});

test("a show ends where its final begins", () => {
  const [show, final] = stagesOf({ ...PLAN, template: "show" }, (name) => name);
  expect(show).toMatchObject({ format: "show", match: {}, until: 2 });
  expect(final).toMatchObject({ best_of: 3, entrants: { stage: 1, places: [1, 2] } });
});

test("there is a third place to play for only where two lose before the final", () => {
  expect([3, 4].map((players) => stagesOf({ ...PLAN, players }, (name) => name)[0]?.third_place)).toEqual([false, true]);
});

test("moderators who are named moderate every match", () => {
  const stages = stagesOf({ ...PLAN, template: "groups", isModerated: true }, (name) => name);
  expect(stages.map((one) => one.moderators)).toEqual(["all", "all"]);
});
