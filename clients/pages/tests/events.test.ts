import { expect, test } from "vitest";
import { happened } from "../src/events.js";

test.each(["name", "reason", "rule", "text"])("what people have written as %s is said as they wrote it", (field) => {
  expect(happened({ type: "match.seat-named.1", data: { [field]: "heads" } }, [])).toContain("heads");
});

test("a value of the game is said in the reader's language", () => {
  expect(happened({ type: "dollar-prize.flipped.1", data: { face: "heads" } }, [])).toContain("Kopf");
});
