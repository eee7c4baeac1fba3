/** The rulings that were proposed in this browser: whoever proposed one does not second it. */
import { device } from "./storage.js";

const KEPT = "arbiter proposed";
/** The ids that are kept: a ruling that waits lapses after a day. */
const MOST = 50;

function known(): string[] {
  return (device.get(KEPT) ?? "").split(" ").filter(Boolean);
}

export function noteProposed({ ruling, status }: { ruling: string; status: string }): void {
  if (status === "pending") device.set(KEPT, [...known(), ruling].slice(-MOST).join(" "));
}

export function isProposedHere(ruling: string | null): boolean {
  return ruling !== null && known().includes(ruling);
}
