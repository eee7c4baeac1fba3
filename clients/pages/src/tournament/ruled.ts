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

/** The pairing of each slot of a bracket whose players are known: two who meet again do so in a later slot. */
export function meetings({ rounds, slots }: Pick<StageRead, "rounds" | "slots">): ReadonlyMap<Slot, Pairing> {
  const met = new Map<string, Pairing[]>();
  for (const one of pairingsOf({ rounds })) met.set(both(one.players), [...(met.get(both(one.players)) ?? []), one]);
  const found = slots.map((slot) => [slot, met.get(both(slot.players))?.shift()] as const);
  return new Map(found.filter((one): one is [Slot, Pairing] => one[1] !== undefined));
}

/** What stands in the boxes of a slot: the score of its one match, else how many of its matches each has won; null before that. */
export function scoresOf(slot: Slot, meeting: Pairing | undefined, bestOf: number): readonly number[] | null {
  if (slot.players.includes(null) || (slot.winner === null && slot.wins.every((one) => one === 0))) return null;
  if (bestOf > 1 || meeting === undefined || meeting.result === null || meeting.forfeit) return slot.wins;
  const { scores } = meeting.result;
  return slot.players.map((player) => scores[meeting.players.indexOf(player!)] ?? 0);
}

function both(players: readonly (number | null)[]): string {
  return [...players].sort().join(" ");
}
