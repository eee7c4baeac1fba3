/** Slips for players: to each their own link, by which they get a key that nobody else sees. */
import type { Arbiter, Schemas } from "@arbiter/client";
import { newKey } from "@arbiter/client";
import { say } from "../given.js";
import type { Sheet } from "../sheets.js";

/** A link for each of these players, one after the other; `count` is told how many there are. */
export async function linkSheets(
  arbiter: Arbiter,
  tournament: { id: string; name: string },
  players: readonly number[],
  count: (made: number) => void,
): Promise<Sheet[]> {
  const sheets: Sheet[] = [];
  for (const player of players) {
    sheets.push(await linkSheet(arbiter, tournament, player));
    count(sheets.length);
  }
  return sheets;
}

async function linkSheet(arbiter: Arbiter, { id, name: of }: { id: string; name: string }, player: number): Promise<Sheet> {
  const path = `/tournaments/${id}/players/${player}/invitation`;
  const headers = { "Idempotency-Key": newKey() };
  const { data } = await arbiter.request<Schemas["PlayerInvitation"]>(path, { method: "POST", headers });
  // Its answer was lost: another takes its place.
  if (data.link === null) return linkSheet(arbiter, { id, name: of }, player);
  return { name: data.name, role: say("tournament.sheet.players"), of, link: data.link, qr: data.qr, until: data.expires };
}
