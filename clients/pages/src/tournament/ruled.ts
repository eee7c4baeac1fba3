/** Which results a ruling has given or corrected, and not the rules of the game alone. */
import type { Slot } from "./bracket.js";
import { roundsStanding, type StageRead } from "./stage_read.js";

type Pairing = StageRead["rounds"][number]["pairings"][number];

/** The matches of pairings with such a result. */
export function ruledMatches(stages: readonly StageRead[]): ReadonlySet<string> {
  return new Set(stages.flatMap(ruledIn).flatMap(({ matches }) => matches));
}

/** The players of a stage with such a result. */
export function ruledPlayers(read: Pick<StageRead, "rounds">): ReadonlySet<number> {
  return new Set(ruledIn(read).flatMap(({ players }) => players));
}

function ruledIn(read: Pick<StageRead, "rounds">): Pairing[] {
  return pairingsOf(read).filter(({ ruled, result }) => ruled && result !== null);
}

function pairingsOf(read: Pick<StageRead, "rounds">): Pairing[] {
  return roundsStanding(read).flatMap(({ pairings }) => pairings);
}

/** The slots of a bracket with such a result: two who meet again do so in a later slot. */
export function ruledSlots({ rounds, slots }: Pick<StageRead, "rounds" | "slots">): ReadonlySet<number> {
  const met = new Map<string, Pairing[]>();
  for (const one of pairingsOf({ rounds })) met.set(both(one.players), [...(met.get(both(one.players)) ?? []), one]);
  const decided = (slot: Slot): Pairing | undefined => met.get(both(slot.players))?.shift();
  return new Set(slots.filter((slot) => decided(slot)?.ruled === true).map(({ slot }) => slot));
}

function both(players: readonly (number | null)[]): string {
  return [...players].sort().join(" ");
}
