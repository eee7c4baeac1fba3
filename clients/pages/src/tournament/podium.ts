/** Who has won, as soon as nothing can change it but a ruling: the final of a knockout is played before anybody closes anything. */
import { bracketOf, type Slot } from "./bracket.js";
import type { StageRead } from "./stage_read.js";

/** The first, the second and the third, as far as they are known. */
export function podiumOf(stages: readonly StageRead[]): number[] {
  const last = stages.at(-1);
  if (last === undefined) return [];
  const { stage, slots } = last;
  if (slots.length > 0) return ofBracket(last);
  return stage.status === "closed" ? (stage.places ?? []).slice(0, 3) : [];
}

/** The slots in which the one who has won a knockout has won; empty while nobody has. */
export function pathOf({ slots }: Pick<StageRead, "slots">): Set<Slot> {
  const [champion] = ofBracket({ slots });
  return new Set(champion === undefined ? [] : slots.filter((one) => one.winner === champion));
}

function ofBracket({ slots }: Pick<StageRead, "slots">): number[] {
  const { winners, third, losers } = bracketOf(slots);
  const finals = winners.slice(losers.length > 0 ? -2 : -1).flatMap((one) => one.slots);
  if (finals.some((one) => one.winner === null && one.players.some((player) => player !== null))) return [];
  const final = finals.filter((one) => one.winner !== null).at(-1);
  if (final === undefined) return [];
  const second = final.players.find((one) => one !== final.winner) ?? null;
  return [final.winner, second, third?.winner ?? null].filter((one) => one !== null);
}
