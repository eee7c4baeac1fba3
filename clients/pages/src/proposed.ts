/** The rulings that were proposed with a key: whoever proposed one does not second it. They go with the key. */
import { placeOf, type Purpose } from "./keys.js";

/** The ids that are kept: a ruling that waits lapses after a day. */
const MOST = 50;

const DAY = 24 * 3_600_000;

/** A ruling that waited for another person when it was proposed. */
export interface Proposed {
  ruling: string;
  kind: string;
  /** The match that it is ruled in; empty for a ruling on an event. */
  match: string;
  /** When it was proposed, in milliseconds. */
  at: number;
}

function named(purpose: Purpose): string {
  return `arbiter proposed rulings: ${purpose}`;
}

function known(purpose: Purpose): Proposed[] {
  return JSON.parse(placeOf(purpose).get(named(purpose)) ?? "[]") as Proposed[];
}

function keep(purpose: Purpose, proposed: readonly Proposed[]): void {
  placeOf(purpose).set(named(purpose), JSON.stringify(proposed.slice(-MOST)));
}

/** Notes what was sent to `path`, if it waits. */
export function noteProposed(purpose: Purpose, path: string, { ruling, kind, status }: { ruling: string; kind: string; status: string }): void {
  const match = /^\/matches\/([^/]+)/.exec(path)?.[1] ?? "";
  if (status === "pending") keep(purpose, [...known(purpose), { ruling, kind, match, at: Date.now() }]);
}

export function isProposedBy(purpose: Purpose | undefined, ruling: string | null): boolean {
  return purpose !== undefined && known(purpose).some((one) => one.ruling === ruling);
}

/** It is withdrawn: it waits no more. */
export function noteWithdrawn(purpose: Purpose, ruling: string | null): void {
  keep(purpose, known(purpose).filter((one) => one.ruling !== ruling));
}

/** Those in matches that have not lapsed. Whether they still wait the service alone knows. */
export function proposedInMatches(purpose: Purpose, now: number): Proposed[] {
  return known(purpose).filter(({ match, at }) => match !== "" && now < at + DAY);
}
