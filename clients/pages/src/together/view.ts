/** The view of Together We Survive, and what it says of each seat. */
import type { Schemas } from "@arbiter/client";

export type TogetherView = Schemas["TogetherBoard"];
export type Group = TogetherView["groups"][number];
export type Submitted = Schemas["TogetherSubmitted"];

/** The seats of a group, in order. */
export function members(view: TogetherView, group: Group): number[] {
  return view.groups.flatMap((one, seat) => (one === group ? [seat] : []));
}

/** How many votes a seat received in a round; null where that is not revealed. */
export function votesIn(view: TogetherView, round: number, seat: number): number | null {
  const counted = view.votes?.find((one) => one.round === round);
  const votes = view.groups[seat] === "A" ? counted?.a : counted?.b;
  return votes?.[seat] ?? null;
}

/** The last round whose votes were counted; null before the first. */
export function lastCounted(view: TogetherView): number | null {
  return view.kicked_out.at(-1)?.round ?? null;
}
