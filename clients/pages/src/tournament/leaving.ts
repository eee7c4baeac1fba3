/** What it does to a stage when a player leaves the tournament, from what everybody may see of it. */
import type { Schemas } from "@arbiter/client";
import { exact } from "./seating.js";
import { roundsStanding, type StageRead } from "./stage_read.js";
import { byGroup } from "./standing_places.js";

export interface Leaving {
  stage: string;
  /** Results that count for no one any more, or stay; what was not played is lost in a round robin alone. */
  results: "annulled" | "lost" | "stand";
  /** How much they have played, and of how much. */
  played: number;
  games: number;
  /** Points of everybody in their group before and after, where results are annulled. */
  points: { player: number; before: number; after: number }[];
  /** Who is at a table with them whose match is not over. */
  open: number[];
}

type Pairing = Schemas["ShownPairing"];

/** In each stage that is open and in which they are. FIDE C.05: with fewer than half of the games played all are annulled. */
export function leaving(player: number, stages: readonly StageRead[]): Leaving[] {
  return stages.flatMap((read) => {
    const group = byGroup(read.standings?.rows ?? []).find((one) => one.rows.some(({ row }) => row.player === player));
    if (read.stage.status !== "open" || group === undefined) return [];
    const own = roundsStanding(read).flatMap((one) => one.pairings.filter(({ players }) => players.includes(player)));
    const done = own.filter((one) => one.result !== null);
    const isRobin = read.stage.format === "round_robin";
    const games = isRobin ? read.stage.cycles * (group.rows.length - 1) : 0;
    const isAnnulled = isRobin && 2 * done.length < games;
    const points = group.rows.map(({ row }) => {
      const before = exact(row.points);
      const taken = done.filter((one) => one.players.includes(row.player)).reduce((sum, one) => sum + takenBy(row.player, one, read), 0);
      return { player: row.player, before, after: before - taken };
    });
    return [
      {
        stage: read.stage.name,
        results: isAnnulled ? "annulled" : isRobin ? "lost" : "stand",
        played: done.length,
        games,
        points: isAnnulled ? points : [],
        open: own.filter((one) => one.status !== "final").flatMap((one) => one.players.filter((other) => other !== player)),
      } satisfies Leaving,
    ];
  });
}

/** The points of a player for a match of two. */
function takenBy(player: number, { players, result }: Pairing, { stage }: StageRead): number {
  const seat = players.indexOf(player);
  const { win = 0, share = 0, loss = 0, absent = 0 } = stage.points;
  if (result!.winners.length === 0 && result!.losers.includes(seat)) return Number(absent);
  if (!result!.winners.includes(seat)) return Number(result!.losers.includes(seat) ? loss : share);
  return Number(result!.shared ? share : win);
}
