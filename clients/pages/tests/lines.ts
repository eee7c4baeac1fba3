/** Lines of a match for tests, numbered from 1. */
import type { AnyLine } from "../src/table/lines.js";

export type Told = [type: string, data?: Record<string, unknown>];

/** Lines of these types and data, a second apart. */
export function linesOf(...told: Told[]): AnyLine[] {
  return told.map(([type, data = {}], index) => ({
    seq: index + 1,
    public_seq: index + 1,
    at: new Date(Date.UTC(2026, 10, 21, 14, 0, index)).toISOString(),
    type: `match.${type}.1`,
    data,
  }));
}

/** The match waits for these seats in a phase. */
export function awaits(phase: string, ...seats: number[]): Told {
  return ["awaiting-changed", { phase, seats }];
}

/** A seat acts. */
export function acts(seat: number, type = "bid"): Told {
  return ["action-received", { seat, action: { type } }];
}

/** The match goes back to before an event. */
export function rewound(before: number): Told {
  return ["rewound", { before }];
}
