/** Whoever has given the page a key of this tournament, or an organiser's. */
import type { Arbiter } from "@arbiter/client";
import { keyFor, type Purpose } from "../keys.js";
import { service } from "../service.js";

export interface Bearer {
  role: "organiser" | "moderator" | "player";
  /** The number in the tournament of one whose key is for it alone. */
  number: number | null;
  key: string;
  arbiter: Arbiter;
  purpose: Purpose;
}

/** Who bears a key, by its form; null for a key of a match. */
export function bearer(tournament: string, key: string): Bearer | null {
  const [, role, number] = /^arb_([a-z]+)(\d*)_/.exec(key) ?? [];
  const arbiter = service(key);
  if (role === "p" || role === "m" || role === "o") {
    const purpose: Purpose = `tournament ${tournament}`;
    const roles = { p: "player", m: "moderator", o: "organiser" } as const;
    return { role: roles[role], number: Number(number), key, arbiter, purpose };
  }
  if (role === "s" || role === "mod") return null;
  return { role: "organiser", number: null, key, arbiter, purpose: "organiser" };
}

/** Whoever has been here before: the tournament's own key before an organiser's. */
export function known(tournament: string): Bearer | null {
  const key = keyFor(`tournament ${tournament}`) ?? keyFor("organiser");
  return key === undefined ? null : bearer(tournament, key);
}
