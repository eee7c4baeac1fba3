/** What stands beside a result that a ruling has given. */
import type { VNode } from "preact";
import { say } from "../given.js";

/** In tables and brackets, whose note explains it. */
export function RuledSign(): VNode {
  return (
    <span class="quiet" title={say("stage.ruled")}>
      *
    </span>
  );
}

export function RuledNote(): VNode {
  return <p class="quiet">{say("stage.ruled.sign")}</p>;
}
