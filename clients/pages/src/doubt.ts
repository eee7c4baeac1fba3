/** What in a result is more likely a slip than meant. No rule forbids it, so whoever rules is asked. */
import type { Schemas } from "@arbiter/client";
import { say } from "./given.js";

type Ending = Pick<Schemas["Result"], "winners" | "losers" | "shared" | "scores">;

/** A winner with a lower score than somebody who loses, or a shared win by different scores; null if there is nothing to ask. */
export function doubtIn({ winners, losers, shared, scores }: Ending): { winner: number; loser: number } | "shared" | null {
  const score = (seat: number): number => scores[seat] ?? 0;
  if (shared) return winners.some((seat) => score(seat) !== score(winners[0]!)) ? "shared" : null;
  const pairs = winners.flatMap((winner) => losers.map((loser) => ({ winner, loser })));
  return pairs.find(({ winner, loser }) => score(winner) < score(loser)) ?? null;
}

/** The question; null where there is none. */
export function doubtAbout(result: Ending | null, seats: readonly string[]): string | null {
  const doubt = result === null ? null : doubtIn(result);
  if (doubt === null) return null;
  if (doubt === "shared") return say("match.doubt.shared");
  return say("match.doubt.lower", { winner: seats[doubt.winner] ?? "", loser: seats[doubt.loser] ?? "" });
}
