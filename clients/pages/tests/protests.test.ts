import { expect, test } from "vitest";
import { openerOf } from "../src/tournament/protests.js";

test.each([
  ["seat:0", "own", "Ann"],
  ["seat:1", "other", "Ben"],
  ["moderator", "staff", ""],
])("Ann reads of a case of %s that it is %s", (from, kind, name) => {
  expect(openerOf(from, ["Ann", "Ben"], "Ann")).toEqual({ kind, name });
});
