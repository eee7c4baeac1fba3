/**
 * Keys in the browser: kept for this tab, or by choice until they are forgotten. They stand in no
 * address, and are sent in the header alone.
 */
const stores = [sessionStorage, localStorage];

/** What a key is for: a match or a tournament by its id, or the organiser's own. */
export type Purpose = `match ${string}` | `tournament ${string}` | "organiser";

/** The key that was kept, if there is one. */
export function keyFor(purpose: Purpose): string | undefined {
  return stores.map((store) => store.getItem(named(purpose))).find((key) => key !== null) ?? undefined;
}

/** Keeps a key: for this tab, or on this device until it is forgotten. */
export function keep(purpose: Purpose, key: string, onDevice = false): void {
  forget(purpose);
  (onDevice ? localStorage : sessionStorage).setItem(named(purpose), key);
}

/** Forgets a key. */
export function forget(purpose: Purpose): void {
  for (const store of stores) store.removeItem(named(purpose));
}

function named(purpose: Purpose): string {
  return `arbiter key: ${purpose}`;
}
