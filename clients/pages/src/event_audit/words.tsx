/** What the rows of the lists are about, in words. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { isSaid, say } from "../given.js";
import { below } from "../root.js";
import { shown } from "./reading.js";

export function playerName(player: number): string {
  return shown.value?.players[player]?.name ?? String(player);
}

/** Who plays in a match, seat by seat. */
export function seated(match: string): string[] {
  return (shown.value?.matches.find((one) => one.match === match)?.players ?? []).map(playerName);
}

/** A match by those who play in it, with its own audit; the event itself where there is none. */
export function OfMatch({ match }: { match: string | null }): VNode {
  if (match === null) return <span class="quiet">{say("audit.across.event")}</span>;
  return (
    <a href={below(`/m/${match}/audit`)}>
      <bdi>{seated(match).join(" – ") || match}</bdi>
    </a>
  );
}

/** What a role, an audience or what a key is for is called; a number in it counts players, seats or staff. */
export function roleName(role: string, match: string | null): string {
  const [what = "", number] = role.split(":");
  if (what === "seat" && number !== undefined && match !== null) return seated(match)[Number(number)] ?? role;
  if (what === "public") return say("audit.called.public");
  return isSaid(`audit.actor.${what}`) ? say(`audit.actor.${what}`) : role;
}

/** The kind of a ruling on a match or on the event. */
export function kindName(kind: Schemas["TournamentRulingShown"]["kind"]): string {
  return say(isSaid(`event.kind.${kind}`) ? `event.kind.${kind}` : `audit.across.kind.${kind}`);
}
