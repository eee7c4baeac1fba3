import { describe, expect, test } from "vitest";
import { leftBehind, live } from "../src/rewinds.js";
import { isOfNoBranch, undoneOf } from "../src/table/branches.js";
import { acts, awaits, linesOf, rewound, type Told } from "./lines.js";

const A = acts(0);
const ALONE = awaits("bid", 0);

describe("what rewinds have undone", () => {
  test.each<[string, Told[], number[]]>([
    ["nothing without a rewind", [ALONE, A, A], []],
    ["from the point to the rewind", [ALONE, A, A, rewound(2)], [2, 3]],
    ["two apart", [ALONE, A, rewound(2), A, A, rewound(5)], [2, 5]],
    ["one within another undoes nothing more", [ALONE, A, A, rewound(3), A, rewound(2)], [2, 3, 4, 5]],
    ["a rewind that was undone undoes nothing any more", [ALONE, A, A, rewound(2), A, rewound(3)], [3, 4, 5]],
    ["a rewind of a rewind brings nothing back that lies before it", [ALONE, A, rewound(2), A, rewound(4)], [2, 4]],
    ["rulings, keys and notes stand", [ALONE, A, ["ruled"], ["key-issued"], ["noted"], rewound(2)], [2]],
  ])("%s", (_, told, undone) => {
    expect([...undoneOf(linesOf(...told))].sort()).toEqual(undone);
  });

  test("what was submitted in a sealed phase that is open again stands", () => {
    const sealed = awaits("bid", 0, 1);
    const lines = linesOf(sealed, A, acts(1), awaits("flip"), ["flip"], rewound(2));
    expect([...undoneOf(lines)].sort()).toEqual([4, 5]);
  });

  test("what was submitted behind the phase before goes", () => {
    const lines = linesOf(awaits("bid", 0, 1), A, acts(1), awaits("bid", 0, 1), A, rewound(2));
    expect([...undoneOf(lines)].sort()).toEqual([4, 5]);
  });
});

test("events that no rewind has undone are without the rewinds", () => {
  const lines = linesOf(ALONE, A, A, rewound(3), A);
  expect(live(lines).map(({ seq }) => seq)).toEqual([1, 2, 5]);
  expect(leftBehind(lines)).toEqual(new Map([[3, 4]]));
});

test.each([
  ["match.ruled.1", true],
  ["match.sealed-noted.1", true],
  ["match.moderator-key-renewed.1", true],
  ["match.seed-committed.1", true],
  ["match.seat-replaced.1", true],
  ["match.action-received.1", false],
  ["match.awaiting-changed.1", false],
  ["dollar-prize.coin-placed.1", false],
])("%s is of no branch: %s", (type, is) => {
  expect(isOfNoBranch({ ...linesOf(A)[0]!, type })).toBe(is);
});
