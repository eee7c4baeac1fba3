import type { Line } from "@arbiter/client";
import { describe, expect, test } from "vitest";
import { after, BEGINNING, type Course } from "../src/play/doings.js";
import { acts, awaits, linesOf, rewound, type Told } from "./lines.js";

function course(...told: Told[]): Course {
  return linesOf(...told).reduce((so, line) => after(so, line as unknown as Line), BEGINNING);
}

describe("what a seat has done", () => {
  test("an action is of the phase in which it came", () => {
    const { done } = course(awaits("bid", 0), acts(0), awaits("bet", 0), acts(0, "bet"));
    expect(done.map(({ phase, action, code }) => [phase, action.type, code])).toEqual([
      ["bid", "bid", null],
      ["bet", "bet", null],
    ]);
  });

  test.each<[string, Told, { code: string | null; refused: boolean }]>([
    ["is not valid", ["submission-invalid", { code: "beyond_stack" }], { code: "beyond_stack", refused: false }],
    ["is refused", ["action-refused", { code: "not_yours" }], { code: "not_yours", refused: true }],
  ])("the latest %s", (_, judged, expected) => {
    expect(course(acts(0), acts(0), judged).done.map(({ code, refused }) => ({ code, refused }))).toEqual([
      { code: null, refused: false },
      expected,
    ]);
  });

  test("what was admitted counts after all", () => {
    const { done } = course(acts(0), ["action-refused", { code: "late" }], ["admitted", { of: 1 }]);
    expect(done[0]).toMatchObject({ code: null, refused: false });
  });

  test("what was struck does not count, until it is applied again", () => {
    expect([...course(acts(0), ["struck", { of: 1 }]).undone]).toEqual([1]);
    expect([...course(acts(0), ["struck", { of: 1 }], ["seat-reapplied", { of: 1 }]).undone]).toEqual([]);
  });

  test("a rewind undoes, and says so until the match goes on", () => {
    const back = course(awaits("bid", 0), acts(0), rewound(2));
    expect([[...back.undone], back.wentBack]).toEqual([[2], true]);
    expect(course(awaits("bid", 0), acts(0), rewound(2), ["resumed"]).wentBack).toBe(false);
  });
});

test("consent is asked until it is closed", () => {
  const asked: Told = ["consent-asked", { id: "r1", kind: "rewind", reason: "a slip" }];
  expect(course(asked).asked).toEqual([{ id: "r1", kind: "rewind", reason: "a slip" }]);
  expect(course(asked, ["consent-closed", { id: "r1" }]).asked).toEqual([]);
});

test("notes and the reasons of rulings are noted once", () => {
  const { noted } = course(["noted", { text: "Welcome" }], ["ruled", { kind: "note", reason: "Welcome" }], ["seat-ruled", { kind: "pause", reason: "Tea" }]);
  expect(noted.map(({ kind, text }) => [kind, text])).toEqual([
    [null, "Welcome"],
    ["pause", "Tea"],
  ]);
});
