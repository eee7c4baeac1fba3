import { expect, test, vi } from "vitest";
import { say } from "../src/given.js";

test("a text that is missing is reported, and the page goes on", () => {
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  expect([say("match.days", { count: 3 }), say("match.none")]).toEqual(["3 d", "match.none"]);
  expect(reported).toHaveBeenCalledExactlyOnceWith(new Error("There is no text match.none"));
});
