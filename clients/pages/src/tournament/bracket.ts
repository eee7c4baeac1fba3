/** How a bracket is drawn: its columns, and which of them halve. */
import type { Schemas } from "@arbiter/client";

export type Slot = Schemas["ShownSlot"];

export interface Column {
  /** The number of the round in its part of the bracket, from 1. */
  number: number;
  slots: Slot[];
  /** How its slots lead to the next column: two to each, one to each, or not at all. */
  leads: "halves" | "straight" | "nowhere";
}

export interface Bracket {
  /** Of those who have lost nothing, to the final. */
  winners: Column[];
  /** Of those who have lost once, in a double elimination. */
  losers: Column[];
  /** The match for the third place. */
  third: Slot | null;
}

/** Rounds of losers have negative numbers, the match for the third place 0. */
export function bracketOf(slots: readonly Slot[]): Bracket {
  return {
    winners: columnsOf(slots.filter((one) => one.round > 0)),
    losers: columnsOf(slots.filter((one) => one.round < 0)),
    third: slots.find((one) => one.round === 0) ?? null,
  };
}

function columnsOf(slots: readonly Slot[]): Column[] {
  const numbers = [...new Set(slots.map((one) => Math.abs(one.round)))].sort((one, other) => one - other);
  const columns = numbers.map((number) => slots.filter((one) => Math.abs(one.round) === number));
  return columns.map((own, index) => ({ number: numbers[index]!, slots: own, leads: leadsOf(own.length, columns[index + 1]?.length) }));
}

function leadsOf(own: number, next: number | undefined): Column["leads"] {
  if (next === undefined) return "nowhere";
  return next === own ? "straight" : "halves";
}

/**
 * The name of a round of winners. A double elimination ends with a final against the winner of the
 * losers, and another if that one wins the first.
 */
export function roundName(columns: readonly Column[], index: number, isDouble: boolean): "final" | "again" | "semi" | "quarter" | "round" {
  if (isDouble) return index === columns.length - 1 ? "again" : index === columns.length - 2 ? "final" : "round";
  const own = columns[index]!.slots.length;
  if (own === 1) return "final";
  return own === 2 ? "semi" : own === 4 ? "quarter" : "round";
}

/** What a match of a single elimination is called before and after it is played; null for one without a name. */
export function matchName(slots: readonly Slot[], players: readonly number[]): "final" | "one_semi" | "one_quarter" | "third" | null {
  const slot = slots.find((one) => players.every((player) => one.players.includes(player)));
  if (slot === undefined || slots.some((one) => one.round < 0)) return null;
  if (slot.round === 0) return "third";
  const left = Math.max(...slots.map((one) => one.round)) - slot.round;
  return left > 2 ? null : (["final", "one_semi", "one_quarter"] as const)[left]!;
}

/** Whether a player has lost for good in a knockout: everyone else still stands in a match, or has won. */
export function isOut(slots: readonly Slot[], { player, place }: { player: number; place: number }): boolean {
  return place > 1 && slots.length > 0 && !slots.some((one) => one.winner === null && one.players.includes(player));
}
