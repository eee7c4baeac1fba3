/** Lists of a round as people look for themselves in it: by their names. */
import type { Round } from "./stage_read.js";

export interface Place {
  name: string;
  /** Null for who has none. */
  table: number | null;
  group: number | null;
  opponents: string[];
  bye: Round["byes"][number]["kind"] | null;
  /** The score, the player's own first; empty while there is none. */
  result: string;
}

/** Everybody of a round, by name in the order of a language. */
export function placesByName({ pairings, byes }: Pick<Round, "pairings" | "byes">, names: readonly string[], language: string): Place[] {
  const named = (player: number): string => names[player] ?? "";
  const seated = pairings.flatMap(({ table, group, players, result }) =>
    players.map((player, seat): Place => {
      const opponents = players.filter((one) => one !== player).map(named);
      const scores = result === null ? [] : [result.scores[seat], ...result.scores.filter((_, other) => other !== seat)];
      return { name: named(player), table, group, opponents, bye: null, result: players.length === 2 ? scores.join(" : ") : String(scores[0] ?? "") };
    }),
  );
  const out = byes.map(({ player, kind }): Place => ({ name: named(player), table: null, group: null, opponents: [], bye: kind, result: "" }));
  return [...seated, ...out].sort((one, other) => one.name.localeCompare(other.name, language));
}

/** Parts of a list of at most so many. */
export function paged<T>(all: readonly T[], size: number): T[][] {
  const pages: T[][] = [];
  for (let from = 0; from < all.length; from += Math.max(1, size)) pages.push(all.slice(from, from + Math.max(1, size)));
  return pages;
}
