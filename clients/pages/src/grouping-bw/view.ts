/** The view of Grouping Black & White, and what it says of each tile. */
import type { Schemas } from "@arbiter/client";

export type GroupingView = Schemas["GroupingBwBoard"];
export type Grouping = Schemas["GroupingBwGrouping"];
export type Round = GroupingView["history"][number];
export type Told = NonNullable<GroupingView["told"]>[number];
type Place = Pick<Round, "set" | "pass" | "round">;
export type Colour = "black" | "white";

export const SIZES: Record<keyof Grouping, number> = { a: 2, b: 3, c: 4 };
export const NAMES = ["a", "b", "c"] as const;
export const ROUNDS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** A tile, as this audience knows it. */
export interface Tile {
  colour: Colour | null;
  number: number | null;
  /** Whether not everybody knows the number. */
  isPrivate: boolean;
}

/** The tile of a seat in a round of the present pass; `own` is the seat that looks, if one does. */
export function tileOf(view: GroupingView, seat: number, round: number, own: number | null): Tile {
  const past = view.history.find((one) => isOf(one, view, round));
  const shown = past === undefined ? null : shownNumber(past, seat);
  const number = shown ?? view.tiles?.[seat]?.[round - 1] ?? toldNumber(view, seat, round, own);
  const colour = number !== null ? colourOf(number) : round === view.round ? (view.colours?.[seat] ?? null) : null;
  return { colour, number, isPrivate: shown === null && number !== null };
}

/** The number that a round showed to everybody. */
export function shownNumber({ numbers, folder, folded_8 }: Round, seat: number): number | null {
  return numbers?.[seat] ?? (folded_8 && folder === seat ? 8 : null);
}

/** What the seat that looks was told of a tile. */
function toldNumber(view: GroupingView, seat: number, round: number, own: number | null): number | null {
  if (own === null) return null;
  if (own === seat) return round === view.round ? (view.own_tile ?? null) : null;
  return view.told?.find((one) => isOf(one, view, round))?.number ?? null;
}

/** Whether something was in this set and pass, and in this round of it. */
export function isOf(one: Place, at: Place, round = at.round): boolean {
  return one.set === at.set && one.pass === at.pass && one.round === round;
}

/** Even tiles are black, odd ones white. */
export function colourOf(number: number): Colour {
  return number % 2 === 0 ? "black" : "white";
}

/** The most rounds that a table has. */
export const MOST_ROWS = 200;

/** The latest rounds, the last one first. */
export function latest(history: readonly Round[]): Round[] {
  return history.slice(-MOST_ROWS).reverse();
}
