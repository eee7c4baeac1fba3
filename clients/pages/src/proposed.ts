/** The rulings that were proposed with a key: whoever proposed one does not second it. They go with the key. */
import { placeOf, type Purpose } from "./keys.js";

/** The ids that are kept: a ruling that waits lapses after a day. */
const MOST = 50;

function named(purpose: Purpose): string {
  return `arbiter proposed: ${purpose}`;
}

function known(purpose: Purpose): string[] {
  return (placeOf(purpose).get(named(purpose)) ?? "").split(" ").filter(Boolean);
}

export function noteProposed(purpose: Purpose, { ruling, status }: { ruling: string; status: string }): void {
  if (status === "pending") placeOf(purpose).set(named(purpose), [...known(purpose), ruling].slice(-MOST).join(" "));
}

export function isProposedBy(purpose: Purpose | undefined, ruling: string | null): boolean {
  return purpose !== undefined && ruling !== null && known(purpose).includes(ruling);
}
