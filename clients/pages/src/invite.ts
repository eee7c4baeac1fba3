/** Invites the holder of a seat. An invitation whose link was lost with its answer is taken back for another. */
import type { Arbiter, Schemas } from "@arbiter/client";

type Made = Schemas["MadeInvitation"] & { link: string };

export async function invite(arbiter: Arbiter, match: string, seat: number): Promise<Made> {
  const made = await arbiter.match(match).invite(seat);
  if (made.link !== null) return { ...made, link: made.link };
  await arbiter.request(`/matches/${match}/invitations/${made.id}`, { method: "DELETE" });
  return invite(arbiter, match, seat);
}
