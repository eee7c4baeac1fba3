/** Who sits where in a round that is not published yet, and what it changes to move somebody. */
import type { Schemas } from "@arbiter/client";

export interface Seating {
  /** The players of each table, in the order of their seats. */
  tables: number[][];
  byes: number[];
}

/** What was played before. */
export interface Past {
  /** The points of each player. */
  points: ReadonlyMap<number, number>;
  /** The players of each table of each round before. */
  tables: readonly (readonly number[])[];
}

/** What is to be known of a table. */
export interface Weighed {
  table: number;
  players: number[];
  /** How often its players have met before, over all its pairs. */
  met: number;
  /** By how many points its players differ at most. */
  apart: number;
}

export const NOTHING_PLAYED: Past = { points: new Map(), tables: [] };

export function seatingOf({ pairings, byes }: Pick<Schemas["ShownRound"], "pairings" | "byes">): Seating {
  return { tables: pairings.map((one) => one.players), byes: byes.map((one) => one.player) };
}

/** The same, with two players in each other's places. */
export function exchanged({ tables, byes }: Seating, one: number, other: number): Seating {
  const placed = (player: number): number => (player === one ? other : player === other ? one : player);
  return { tables: tables.map((table) => table.map(placed)), byes: byes.map(placed) };
}

/** The tables where `moved` differs from `drafted`, as they would be. */
export function changedTables(drafted: Seating, moved: Seating, past: Past): { before: Weighed; after: Weighed }[] {
  return drafted.tables.flatMap((players, index) => {
    const instead = moved.tables[index] ?? [];
    if (players.every((player, seat) => player === instead[seat])) return [];
    return [{ before: weighed(index + 1, players, past), after: weighed(index + 1, instead, past) }];
  });
}

export function weighed(table: number, players: number[], { points, tables }: Past): Weighed {
  const pairs = players.flatMap((one, at) => players.slice(at + 1).map((other) => [one, other] as const));
  const met = pairs.reduce((sum, [one, other]) => sum + tables.filter((all) => all.includes(one) && all.includes(other)).length, 0);
  const all = players.map((player) => points.get(player) ?? 0);
  return { table, players, met, apart: Math.max(...all) - Math.min(...all) };
}

/** An exact number of the service, such as `7/2`. */
export function exact(written: string): number {
  const [above, below = "1"] = written.split("/");
  return Number(above) / Number(below);
}
