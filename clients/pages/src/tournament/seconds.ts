/** Who can agree to a ruling that takes two people. */
import type { Schemas } from "@arbiter/client";
import { say } from "../given.js";
import { joined } from "../parts.js";
import { isProposedBy } from "../proposed.js";
import type { Bearer } from "./bearer.js";
import type { Cup, Pairing } from "./cup.js";
import { moderatorName } from "./staff.js";

type Ruling = Pick<Schemas["TournamentRulingShown"], "ruling" | "by">;
type Shown = Pick<Cup, "shown">;

/** Whether whoever sees a ruling has proposed it, and cannot agree to it. */
export function isOwn({ shown }: Shown, { role, number, purpose }: Bearer, { ruling, by }: Ruling): boolean {
  return isProposedBy(purpose, ruling) || (role === "moderator" && by?.[0] === moderatorName(shown, number));
}

/** To one in a match. */
export function secondsOf({ shown }: Shown, role: Bearer["role"], { moderators }: Pick<Pairing, "moderators">): string {
  if (role === "moderator") return say("desk.result.seconds.staff");
  if (moderators.length > 0) return say("desk.result.seconds", { names: joined(moderators) });
  return say(shown.moderators.length > 0 ? "desk.result.seconds.give" : "desk.result.seconds.none");
}

/** To one on the event: to one on a match that has moderators one of these, else one of the event's, or another organiser. */
export function eventSecondsOf({ shown, pairings }: Pick<Cup, "shown" | "pairings">, role: Bearer["role"], match: string | null): string {
  const own = pairings.find((one) => one.match === match)?.moderators ?? [];
  const moderators = own.length > 0 ? own : shown.moderators.map(({ name }) => name);
  return moderators.length > 0 || role === "moderator" ? secondsOf({ shown }, role, { moderators }) : say("desk.result.seconds.none");
}
