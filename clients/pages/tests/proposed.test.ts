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

test("what was proposed with a key is known until the key is forgotten", async () => {
  const { forget, isProposedBy, keep, noteProposed } = await loaded();
  keep("organiser", "arb_org_1", true);
  noteProposed("organiser", { ruling: "r1", status: "pending" });
  noteProposed("organiser", { ruling: "r2", status: "carried_out" });
  expect(["r1", "r2", null].map((one) => isProposedBy("organiser", one))).toEqual([true, false, false]);
  expect(isProposedBy("match 0190", "r1")).toBe(false);
  forget("organiser");
  expect(isProposedBy("organiser", "r1")).toBe(false);
});
