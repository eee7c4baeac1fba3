/** How a tournament stands for a player who has nothing to do in it now. */
import { isOut } from "./bracket.js";
import { podiumOf } from "./podium.js";
import type { StageRead } from "./stage_read.js";

export type Ending =
  | { kind: "champion" | "won_final" | "goes_on" | "not_next" }
  /** What they have reached for good. */
  | { kind: "placed"; place: number };

export function endingOf(player: number, stages: readonly StageRead[]): Ending {
  const own = stages.filter((one) => one.standings?.rows.some((row) => row.player === player)).at(-1);
  const row = own?.standings?.rows.find((one) => one.player === player);
  if (own === undefined || row === undefined) return { kind: "goes_on" };
  const isLast = own === stages.at(-1);
  const isOver = isLast && own.stage.status === "closed";
  if (isOver && row.place === 1) return { kind: "champion" };
  if (podiumOf(stages)[0] === player) return { kind: "won_final" };
  if (isOver || isOut(own.slots, row)) return { kind: "placed", place: row.place };
  return { kind: isPassedOver(stages, own) ? "not_next" : "goes_on" };
}

/** Whether others play on in a later stage. */
function isPassedOver(stages: readonly StageRead[], own: StageRead): boolean {
  return stages.slice(stages.indexOf(own) + 1).some(({ standings }) => standings !== null);
}
