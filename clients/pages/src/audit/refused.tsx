/** What came in and did not count: refused, late or invalid. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import { doer, type Line } from "./about.js";
import { To } from "./detail.js";
import { LongTable } from "./long_table.js";
import { bySeq, lines } from "./reading.js";
import { What } from "./what.js";

const COLUMNS = ["number", "received", "who", "refused.asked", "refused.why"];

export function Refused(): VNode {
  const refused = (lines.value ?? []).filter((line) => line.code !== null);
  if (refused.length === 0) return <p class="quiet">{say("audit.refused.none")}</p>;
  return <LongTable title="refused" columns={COLUMNS} rows={refused} row={(line) => <Row key={line.seq} line={line} />} />;
}

function Row({ line }: { line: Line }): VNode {
  const asked = line.cause === null ? undefined : bySeq.value.get(line.cause);
  return (
    <tr>
      <th scope="row">
        <To seq={line.seq} />
      </th>
      <td>
        <Moment at={line.at} />
      </td>
      <td>
        <bdi>{doer(asked?.actor ?? line.actor ?? "")}</bdi>
      </td>
      <td>
        <What line={asked ?? line} />
      </td>
      <td>
        <code>{line.code}</code> <span lang="en">{line.rule}</span>
      </td>
    </tr>
  );
}
