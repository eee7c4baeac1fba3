/** To pass a tournament on: its address, that of its wall, and that of a player's own page. */
import type { VNode } from "preact";
import { Copied } from "../copied.js";
import { say } from "../given.js";
import { below } from "../root.js";

export function PassOn({ id }: { id: string }): VNode {
  const address = location.origin + below(`/t/${id}`);
  return (
    <details class="pass-on">
      <summary>{say("tournament.share")}</summary>
      <Copied label={say("tournament.share.page")} text={address} />
      <Copied label={say("tournament.share.wall")} text={`${address}?wall`} />
      <Copied label={say("tournament.share.me")} text={`${address}/me`} />
    </details>
  );
}
