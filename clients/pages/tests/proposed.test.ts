import { expect, test, vi } from "vitest";
import { Store } from "./browser.js";

/** The modules as a page loads them, with stores of their own. */
async function loaded() {
  vi.resetModules();
  for (const name of ["sessionStorage", "localStorage"]) {
    const store = new Store();
    Object.defineProperty(globalThis, name, { configurable: true, get: () => store });
  }
  return { ...(await import("../src/keys.js")), ...(await import("../src/proposed.js")) };
}

const EVENT = "/tournaments/0191/rulings";

test("what was proposed with a key is known until the key is forgotten", async () => {
  const { forget, isProposedBy, keep, noteProposed } = await loaded();
  keep("organiser", "arb_org_1", true);
  noteProposed("organiser", EVENT, { ruling: "r1", kind: "correct", status: "pending" });
  noteProposed("organiser", EVENT, { ruling: "r2", kind: "penalty", status: "carried_out" });
  expect(["r1", "r2", null].map((one) => isProposedBy("organiser", one))).toEqual([true, false, false]);
  expect(isProposedBy("match 0190", "r1")).toBe(false);
  forget("organiser");
  expect(isProposedBy("organiser", "r1")).toBe(false);
});

test("what waits in matches is known for a day, unless it is withdrawn", async () => {
  const { keep, noteProposed, noteWithdrawn, proposedInMatches } = await loaded();
  keep("organiser", "arb_org_1");
  noteProposed("organiser", EVENT, { ruling: "r1", kind: "correct", status: "pending" });
  noteProposed("organiser", "/matches/0190/rulings", { ruling: "r2", kind: "result", status: "pending" });
  noteProposed("organiser", "/matches/0191/rulings", { ruling: "r3", kind: "void", status: "pending" });
  const waiting = (hours: number) => proposedInMatches("organiser", Date.now() + hours * 3_600_000).map(({ match }) => match);
  expect([waiting(0), waiting(25)]).toEqual([["0190", "0191"], []]);
  noteWithdrawn("organiser", "r2");
  expect(waiting(0)).toEqual(["0191"]);
});
