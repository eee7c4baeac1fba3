/** Who has taken what from whom, in a stage for two seats. */
import type { Schemas } from "@arbiter/client";
import type { Round } from "./stage_read.js";

/** What one has taken from another in one meeting; null while it is not known. What is annulled counts for nobody. */
export type Taken = "won" | "shared" | "lost" | "annulled" | null;

/** The same, and whether a ruling has given it. */
export interface Meeting {
  taken: Taken;
  ruled: boolean;
}

/** For each player what they have taken from each other one, meeting by meeting, in the given order of players. */
export function crosstable(players: readonly number[], rounds: readonly Round[], annulled: ReadonlySet<number> = new Set()): Meeting[][][] {
  const places = new Map(players.map((player, index) => [player, index]));
  const cells: Meeting[][][] = players.map(() => players.map(() => []));
  for (const { pairings } of rounds.filter((one) => one.status !== "withdrawn")) {
    for (const { players: two, result, ruled } of pairings.filter((one) => one.players.length === 2)) {
      const [one, other] = two.map((player) => places.get(player)) as [number | undefined, number | undefined];
      if (one === undefined || other === undefined) continue;
      const isVoid = result !== null && two.some((player) => annulled.has(player));
      const met = (seat: number): Meeting => ({ taken: isVoid ? "annulled" : takenBy(result, seat), ruled: ruled && result !== null });
      cells[one]![other]!.push(met(0));
      cells[other]![one]!.push(met(1));
    }
  }
  return cells;
}

function takenBy(result: Schemas["Result"] | null, seat: number): Taken {
  if (result === null) return null;
  if (!result.winners.includes(seat)) return "lost";
  return result.shared ? "shared" : "won";
}

/** Whether a stage has a table of this kind: two at a table, and few enough to be read. */
export function hasCrosstable({ format, seats }: Pick<Schemas["ShownStage"], "format" | "seats">, players: number): boolean {
  return seats === 2 && (format === "round_robin" || format === "swiss") && players <= MOST;
}

const MOST = 24;
