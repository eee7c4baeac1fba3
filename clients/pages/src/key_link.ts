/** Links that invite staff: the key stands behind the `#`, which browsers send to nobody. Who takes it makes it their own, and the link is good for nothing any more. */
import { below } from "./root.js";

/** A link to a page of the service, with a key for whoever is sent it. */
export function linkTo(path: string, key: string): string {
  return `${location.origin}${below(path)}#${key}`;
}

/** The key with which the page was opened; null without one. */
export function keyInLink(hash: string = location.hash): string | null {
  return /^#(arb_[\w-]+)$/.exec(hash)?.[1] ?? null;
}

/** Takes the key out of the address: nobody reads it there, and a reload asks for nothing. */
export function leaveLink(): void {
  history.replaceState(null, "", location.pathname);
}

/** The number of the seat or of the player for whom an invitation's link was made; null where it does not say. */
export function invitedNumber(of: "seat" | "player", search: string = location.search): number | null {
  const found = new URLSearchParams(search).get(of);
  return found !== null && /^\d+$/.test(found) ? Number(found) : null;
}
