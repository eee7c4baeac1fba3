/** Who has left a tournament, and why: it is on the public record. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "../given.js";
import { Part } from "./titled.js";

export function Left({ players }: { players: readonly Schemas["ShownPlayer"][] }): VNode | null {
  const gone = players.filter((one) => one.status === "withdrawn" || one.status === "disqualified");
  if (gone.length === 0) return null;
  return (
    <Part id="left" title={say("tournament.left")}>
      <ul class="rows">
        {gone.map((one) => (
          <li key={one.player}>
            <bdi>{one.name}</bdi> <span class="quiet">{say(`stage.player.${one.status}`)}</span> <bdi class="says">{one.because}</bdi>
          </li>
        ))}
      </ul>
    </Part>
  );
}
