/** The moderators of an event, and the matches that they do not have yet. */
import type { Schemas } from "@arbiter/client";
import type { Cup, Pairing } from "./cup.js";

/** They keep their numbers when others are removed; nobody's is empty. */
export function moderatorName({ moderators }: Pick<Schemas["TournamentAnswer"], "moderators">, number: number | null): string {
  return moderators.find((one) => one.moderator === number)?.name ?? "";
}

/** What a moderator can be given: matches whose result is not final, and in which they do not play. */
export function givable({ pairings }: Pick<Cup, "pairings">, name: string): Pairing[] {
  const isOpen = ({ status, row }: Pairing): boolean => status !== "void" && (status !== "ended" || row.result?.final === false);
  return pairings.filter((one) => isOpen(one) && !one.moderators.includes(name) && !one.seats.includes(name));
}
