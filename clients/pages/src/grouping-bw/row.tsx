/** The nine tiles of a pass, in the order in which they are played. */
import type { VNode } from "preact";
import type { Shown } from "../board.js";
import { classes, ownSeat } from "../drawing.js";
import { say } from "../given.js";
import { TileDrawn } from "./tile.js";
import { isOf, ROUNDS, SIZES, tileOf, type GroupingView } from "./view.js";

/** A seat's row; under it its groups where their order is known. */
export function Row({ seat, view, audience, changed }: Shown<GroupingView> & { seat: number }): VNode {
  const own = ownSeat(audience);
  const order = view.orders?.[seat] ?? (own === seat ? view.order : null);
  const isNew = changed("round") || changed("colours") || changed("history") || changed("told");
  return (
    <ol class="bw-row">
      {ROUNDS.map((round) => {
        const tile = tileOf(view, seat, round, own);
        const isNow = round === view.round;
        const kind = classes(isNow && "tile-now", round < view.round && "tile-past", isNow && isNew && "changed");
        return (
          <li key={round} aria-current={isNow ? "step" : undefined}>
            <TileDrawn tile={tile} kind={kind} />
            {hasFolded(view, seat, round) && <span class="bw-row-note">{say("board.grouping-bw.fold")}</span>}
          </li>
        );
      })}
      {order?.map((name) => (
        <li key={name} class="bw-row-group" style={{ gridColumn: `span ${SIZES[name]}` }}>
          {name.toUpperCase()}
        </li>
      ))}
    </ol>
  );
}

function hasFolded(view: GroupingView, seat: number, round: number): boolean {
  return view.history.find((one) => isOf(one, view, round))?.folder === seat;
}
