import type { Match } from "@arbiter/client";
import { describe, expect, test } from "vitest";
import { Reading } from "../src/match/reading.js";

const SECOND = "2026-11-21T14:00:0";

function line(seq: number, at: string): object {
  return { seq, public_seq: seq, at, type: "match.noted.1", data: {} };
}

/** A match whose events come in pages of two. */
function paged(...instants: string[]): Match {
  const lines = instants.map((at, index) => line(index + 1, at));
  async function events({ after }: { after: number }): Promise<object> {
    const next = after + 2 < lines.length ? after + 2 : null;
    return { events: lines.slice(after, after + 2), next };
  }
  return { events } as unknown as Match;
}

async function read(...instants: string[]): Promise<Reading> {
  const reading = new Reading(paged(...instants), "public");
  await reading.readLines(new AbortController().signal);
  return reading;
}

describe("the last event until an instant, whether or not there are digits after the second", () => {
  test.each([
    [["0Z", "0.100000Z"], "0Z", 1],
    [["0Z", "1Z"], "0.999999Z", 1],
    [["0Z", "1Z"], "1.000001Z", 2],
    [["0Z", "0.000002Z"], "0.000001Z", 1],
    [["0Z", "0.000002Z"], "0.000002Z", 2],
    [["5Z", "6Z"], "0Z", 1],
  ])("%j until %s: %d", async (instants, until, last) => {
    const reading = await read(...instants.map((at) => SECOND + at));
    expect(reading.lastAt(SECOND + until)).toBe(last);
  });
});

test("all pages are read, and known by their numbers", async () => {
  const reading = await read(...["0Z", "1Z", "2Z", "3Z", "4Z"].map((at) => SECOND + at));
  expect(reading.last.value).toBe(5);
  expect(reading.until(3)?.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(reading.until(6)).toBeUndefined();
  expect(reading.line(6)).toBeUndefined();
});

test("a view is read once, and again if that failed", async () => {
  let asked = 0;
  const view = async () => {
    asked += 1;
    if (asked === 1) throw new Error("away");
    return { seq: 3 };
  };
  const reading = new Reading({ view, headers: () => undefined } as unknown as Match, "public");
  await reading.readAhead(3);
  await Promise.all([reading.at(3), reading.at(3)]);
  expect(asked).toBe(2);
  expect(reading.newest.value?.seq).toBe(3);
});
