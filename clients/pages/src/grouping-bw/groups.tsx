/** The groups A, B and C of a seat. */
import type { VNode } from "preact";
import { classes } from "../drawing.js";
import { say } from "../given.js";
import { NumberedTile } from "./tile.js";
import { NAMES, SIZES, type Grouping } from "./view.js";

/** Groups with their numbers, or face down where they are not known. */
export function Groups({ groups, isNew = false }: { groups: Grouping | null; isNew?: boolean }): VNode {
  return (
    <dl class={classes("groups", isNew && "changed")}>
      {NAMES.map((name) => (
        <div key={name}>
          <dt>{name.toUpperCase()}</dt>
          <dd>
            {groups === null ? (
              <Backs count={SIZES[name]} />
            ) : (
              groups[name].map((number) => <NumberedTile key={number} number={number} />)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Backs({ count }: { count: number }): VNode {
  return (
    <span class="backs" role="img" aria-label={say("board.grouping-bw.group.hidden", { count })}>
      {Array.from({ length: count }, (_, place) => (
        <span key={place} class="tile tile-back" />
      ))}
    </span>
  );
}
