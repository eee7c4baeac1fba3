/** How a match of Together We Survive came out. */
import type { VNode } from "preact";
import type { Shown } from "../board.js";
import { classes } from "../drawing.js";
import { say } from "../given.js";
import { Seat } from "../parts.js";
import type { Group, TogetherView } from "./view.js";

/** The winners, the losers and the candidate of a group, once they are known. */
export function Ending({ group, view, seats, changed }: Shown<TogetherView> & { group: Group }): VNode | null {
  const { winners, losers, candidates } = view;
  if (winners === null || losers === null) return null;
  const candidate = candidates?.[group] ?? null;
  const named = candidate === null ? [] : [candidate];
  return (
    <dl class="ending">
      <Named name="winners" of={winners[group]} seats={seats} isNew={changed("winners")} />
      <Named name="losers" of={losers[group]} seats={seats} isNew={changed("losers")} />
      {candidates !== null && (
        <Named name="candidate" of={named} seats={seats} isNew={changed("candidates")} />
      )}
    </dl>
  );
}

interface Given {
  name: "winners" | "losers" | "candidate";
  of: readonly number[];
  seats: readonly string[];
  isNew: boolean;
}

function Named({ name, of, seats, isNew }: Given): VNode {
  return (
    <div class={classes(isNew && "changed")}>
      <dt>{say(`board.together.${name}`)}</dt>
      <dd class="seats">
        {of.length === 0 && <span class="quiet">{say("board.together.nobody")}</span>}
        {of.map((seat) => (
          <Seat key={seat} number={seat} name={seats[seat]} />
        ))}
      </dd>
    </div>
  );
}
