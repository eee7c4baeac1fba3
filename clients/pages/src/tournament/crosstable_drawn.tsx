/** The crosstable of a stage. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { crosstable, type Taken } from "./crosstable.js";
import type { StageRead } from "./stage_read.js";

const SIGNS: Record<NonNullable<Taken>, string> = { won: "1", shared: "½", lost: "0" };

export function Crosstable({ read: { standings, rounds } }: { read: StageRead }): VNode {
  const rows = standings?.rows ?? [];
  const cells = crosstable(
    rows.map((one) => one.player),
    rounds,
  );
  return (
    <div class="scrolled" tabIndex={0} role="group" aria-label={say("stage.crosstable")}>
      <table class="figures crosstable">
        <thead>
          <tr>
            <th scope="col">{say("tournament.player")}</th>
            {rows.map((one, index) => (
              <th key={one.player} scope="col" title={one.name}>
                {index + 1}
              </th>
            ))}
            <th scope="col">{say("stage.points")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one, row) => (
            <tr key={one.player}>
              <th scope="row">
                {row + 1} <bdi>{one.name}</bdi>
              </th>
              {cells[row]!.map((taken, column) => (
                <td key={column} class={row === column ? "self" : ""}>
                  {taken.map((each) => (each === null ? "·" : SIGNS[each])).join(" ")}
                </td>
              ))}
              <td>{one.points}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
