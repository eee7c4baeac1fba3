/** Who has opened a case in a match, as a player who is heard in it reads it. */
import type { Arbiter, Schemas } from "@arbiter/client";

export type Opener = { kind: "own" | "other" | "staff"; name: string };

/** `from` is as a statement has it, `own` the name of the player who reads. */
export function openerOf(from: string, seats: readonly string[], own: string): Opener {
  const seat = /^seat:(\d+)$/.exec(from)?.[1];
  const name = seat === undefined ? undefined : seats[Number(seat)];
  if (name === undefined) return { kind: "staff", name: "" };
  return { kind: name === own ? "own" : "other", name };
}

/** By the first statement of the case. */
export async function saidBy(arbiter: Arbiter, match: string, name: string, own: string): Promise<Opener> {
  const path = `/matches/${match}`;
  const [{ data: found }, { data: shown }] = await Promise.all([
    arbiter.request<Schemas["CaseShown"]>(`${path}/cases/${name}`),
    arbiter.request<Schemas["ShownMatch"]>(path),
  ]);
  return openerOf(found.statements[0]?.from ?? "", shown.seats, own);
}
