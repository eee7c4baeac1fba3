/** Who stands where: within their own group where a stage has groups, for there they are compared. */
import type { Schemas } from "@arbiter/client";

export type Row = Schemas["StandingsRow"];

export interface Placed {
  row: Row;
  place: number;
}

/** The rows of each group with their places in it, in order of groups; of a stage without groups all rows. */
export function byGroup(rows: readonly Row[]): { group: number | null; rows: Placed[] }[] {
  const groups = [...new Set(rows.map((one) => one.group ?? null))].sort((one, other) => (one ?? 0) - (other ?? 0));
  return groups.map((group) => ({ group, rows: placed(rows.filter((one) => (one.group ?? null) === group)) }));
}

function placed(rows: readonly Row[]): Placed[] {
  return rows.map((row) => ({ row, place: 1 + rows.filter((one) => one.place < row.place).length }));
}

/** Where a player stands in their group, or in the whole stage; undefined for one who is not in it. */
export function standingOf(rows: readonly Row[], player: number): Placed | undefined {
  return byGroup(rows)
    .flatMap((one) => one.rows)
    .find((one) => one.row.player === player);
}
