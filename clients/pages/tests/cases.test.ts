import { expect, test, vi } from "vitest";
import type { Arbiter, Schemas } from "@arbiter/client";
import { deciders, mayDecide, readCases, untilNextRead } from "../src/cases.js";

type Closing = Schemas["Closing"];

const closing = (more: Partial<Closing>): Closing => ({ at: "2026-01-01T00:00:00Z", note: null, n: null, ruling: null, ...more });
const rulings = [{ ruling: "r1", by: ["Jo", "Dora"] }, { ruling: "r2", by: [null] }];
const appealed = (...closings: Closing[]) => ({ appealed: true, closings });

test("nobody decides an appeal who has decided before, by a note or by a ruling that closed the case", () => {
  const byNote = appealed(closing({ note: "It stands.", person: "Jo" }));
  const byRuling = appealed(closing({ ruling: "r1" }));
  expect([deciders(byNote, rulings), deciders(byRuling, rulings)]).toEqual([["Jo"], ["Jo", "Dora"]]);
  expect(["Jo", "Dora", "Eve", null, undefined].map((name) => mayDecide(byRuling, rulings, name))).toEqual([false, false, true, false, true]);
  expect(mayDecide(appealed(closing({ ruling: "r2" })), rulings, undefined)).toBe(true);
  expect(mayDecide({ ...byNote, appealed: false }, rulings, null)).toBe(true);
});

test("a case that is closed is read once, and again when it is listed otherwise", async () => {
  const row = { case: "c1", status: "closed", appealed: false, parties: [0] };
  const request = vi.fn((path: string) => Promise.resolve({ data: { ...row, statements: [path] } }));
  const arbiter = (listed: object) => ({ pages: () => Promise.resolve([{ cases: [listed] }]), request }) as unknown as Arbiter;
  const first = await readCases(arbiter(row), "/cases", []);
  expect(await readCases(arbiter({ ...row, parties: [0] }), "/cases", first)).toEqual(first);
  expect(request).toHaveBeenCalledExactlyOnceWith("/cases/c1", {});
  await readCases(arbiter({ ...row, status: "open", appealed: true }), "/cases", first);
  await readCases(arbiter({ ...row, status: "open" }), "/cases", [{ ...first[0]!, status: "open" }]);
  expect(request).toHaveBeenCalledTimes(3);
});

test("what is said in an open case comes soon", () => {
  const read = (status: string) => untilNextRead([{ status } as Schemas["CaseShown"]]);
  expect(read("open")).toBeLessThanOrEqual(3_000);
  expect(read("closed")).toBeGreaterThan(read("open"));
});
