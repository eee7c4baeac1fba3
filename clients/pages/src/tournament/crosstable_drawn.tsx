/** The crosstable of a stage. */
import { Fragment, type VNode } from "preact";
import { say } from "../given.js";
import { crosstable, type Taken } from "./crosstable.js";
import { RuledNote, RuledSign } from "./ruled_sign.js";
import type { StageRead } from "./stage_read.js";
import { groupName } from "./stage_standings.js";

const SIGNS: Record<NonNullable<Taken>, string> = { won: "1", shared: "½", lost: "0", annulled: "×" };

/** One table, or one for each group. */
export function Crosstable({ read: { standings, rounds } }: { read: StageRead }): VNode {
  const rows = standings?.rows ?? [];
  const groups = [...new Set(rows.map((one) => one.group ?? null))].sort((one, other) => (one ?? 0) - (other ?? 0));
  return (
    <>
      {groups.map((group) => (
        <OneTable key={group} group={group} rounds={rounds} rows={rows.filter((one) => (one.group ?? null) === group)} />
      ))}
    </>
  );
}

interface TableProps {
  group: number | null;
  rows: NonNullable<StageRead["standings"]>["rows"];
  rounds: StageRead["rounds"];
}

function OneTable({ group, rows, rounds }: TableProps): VNode {
  const label = group === null ? say("stage.crosstable") : groupName(group);
  const cells = crosstable(
    rows.map((one) => one.player),
    rounds,
    new Set(rows.filter((one) => one.annulled === true).map((one) => one.player)),
  );
  return (
    <div class="scrolled" tabIndex={0} role="group" aria-label={label}>
      <table class="figures crosstable">
        {group !== null && <caption>{label}</caption>}
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
              {cells[row]!.map((met, column) => (
                <td key={column} class={row === column ? "self" : ""}>
                  {met.map(({ taken, ruled }, index) => (
                    <Fragment key={index}>
                      {index > 0 && " "}
                      {taken === null ? "·" : SIGNS[taken]}
                      {ruled && <RuledSign />}
                    </Fragment>
                  ))}
                </td>
              ))}
              <td>{one.points}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {cells.flat(2).some(({ ruled }) => ruled) && <RuledNote />}
      {rows.some((one) => one.annulled === true) && <p class="quiet">{say("stage.annulled.sign")}</p>}
    </div>
  );
}
