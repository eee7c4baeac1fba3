/** The way from a tournament to one of its matches, with the key of the tournament. */
import { keep, keyFor, placeOf, type Purpose } from "../keys.js";
import { below } from "../root.js";
import { device } from "../storage.js";
import type { Bearer } from "./bearer.js";

/** Opens a match with a key of the tournament; where it is kept for the match already, it stays as it is. */
export function openMatch({ role, key, purpose }: Bearer, match: string): void {
  const there: Purpose = `match ${match}`;
  if (keyFor(there) !== key) keep(there, key, placeOf(purpose) === device);
  location.assign(below(`/${role === "player" ? "play" : "table"}/${match}`));
}
