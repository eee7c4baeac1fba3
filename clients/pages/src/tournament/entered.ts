/** The result that staff enter for a match without a game on its board. */
import { written } from "../form.js";
import { say } from "../given.js";
import { Refusal } from "../trouble.js";

type Result = { winners: number[]; losers: number[]; shared: boolean; scores: number[] };

/** The ruling that a filled in form asks for. Throws a Refusal if it names nobody. */
export function ruledResult(count: number, fields: FormData): Record<string, unknown> {
  const seats = Array.from({ length: count }, (_, seat) => seat);
  const because = written(fields, "because");
  const result = because === "forfeit" ? forfeited(seats, fields) : played(seats, fields);
  return { kind: "result", result, because, reason: written(fields, "reason") };
}

function played(seats: number[], fields: FormData): Result {
  const winner = written(fields, "winner");
  const winners = winner === "shared" ? seats : [Number(winner)];
  return {
    winners,
    losers: seats.filter((seat) => !winners.includes(seat)),
    shared: winner === "shared",
    scores: seats.map((seat) => Number(written(fields, `score.${seat}`))),
  };
}

/** As the service forfeits by itself: who did not come loses, with a lower score, and all others win. */
function forfeited(seats: number[], fields: FormData): Result {
  const losers = fields.getAll("absent").map(Number);
  if (losers.length === 0) throw new Refusal(say("desk.result.absent.none"));
  const winners = seats.filter((seat) => !losers.includes(seat));
  return { winners, losers, shared: false, scores: seats.map((seat) => Number(winners.includes(seat))) };
}
