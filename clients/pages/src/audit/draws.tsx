/** Chance: what was committed to, what came out, and whether it follows. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { about, hex, number, type Line } from "./about.js";
import { To } from "./detail.js";
import { mayExport } from "./evidence.js";
import { LongTable } from "./long_table.js";
import { lines } from "./reading.js";
import { check, judged, judging } from "./verdict.js";

const COMMITTED = "match.seed-committed.1";
const GIVEN = "match.client-seed-given.1";
const SETTLED = ["match.draw-settled.1", "match.sealed-draw-settled.1"];
const REVEALED = ["match.seed-revealed.1", "match.sealed-seed-revealed.1"];
/** Characters of a commitment that are enough to find it again. */
const SHORT = 16;
const COLUMNS = ["number", "draws.id", "draws.outcome", "draws.key", "draws.proof"];

export function Draws(): VNode {
  const all = lines.value ?? [];
  const drawn = all.filter((line) => SETTLED.includes(line.type));
  return (
    <>
      <Seeds all={all} />
      {drawn.length === 0 ? <p class="quiet">{say("audit.draws.none")}</p> : <Drawn all={all} drawn={drawn} />}
    </>
  );
}

function Seeds({ all }: { all: Line[] }): VNode | null {
  const committed = all.filter((line) => line.type === COMMITTED);
  if (committed.length === 0) return null;
  return (
    <>
      {committed.map((line) => (
        <dl key={line.seq} class="audit-facts">
          <div>
            <dt>{line.data.epoch === 0 ? say("audit.draws.commitment") : say("audit.draws.commitment.again", { epoch: text(line.data.epoch) })}</dt>
            <dd>
              <To seq={line.seq} /> <code class="digest">{hex(text(line.data.commit))}</code>
            </dd>
          </div>
          <Clients given={all.filter((one) => one.type === GIVEN && committedBefore(all, one) === line)} />
          <Revealed line={all.find((one) => REVEALED.includes(one.type) && one.data.epoch === line.data.epoch)} />
        </dl>
      ))}
    </>
  );
}

/** The last commitment to a seed before an event. */
function committedBefore(all: Line[], { seq }: Line): Line | undefined {
  return all.filter((line) => line.type === COMMITTED && line.seq < seq).at(-1);
}

function Clients({ given }: { given: Line[] }): VNode | null {
  if (given.length === 0) return null;
  return (
    <div>
      <dt>{say("audit.draws.clients")}</dt>
      <dd>
        {given.map((line) => (
          <p key={line.seq} class="audit-way">
            <To seq={line.seq} /> <bdi>{about.seats[Number(line.data.seat)]}</bdi>{" "}
            <code class="digest">{text(line.data.seed)}</code>
          </p>
        ))}
      </dd>
    </div>
  );
}

function Revealed({ line }: { line: Line | undefined }): VNode {
  return (
    <div>
      <dt>{say("audit.draws.seed")}</dt>
      <dd>
        {line === undefined ? (
          <span class="quiet">{say("audit.draws.sealed")}</span>
        ) : (
          <>
            <To seq={line.seq} /> <code class="digest">{hex(text(line.data.seed))}</code>
          </>
        )}
      </dd>
    </div>
  );
}

function Drawn({ all, drawn }: { all: Line[]; drawn: Line[] }): VNode {
  return (
    <>
      {mayExport() && judged.value === null && (
        <p>
          <button
            type="button"
            class="plain"
            aria-disabled={judging.value !== null}
            onClick={() => {
              if (judging.value === null) void check([]);
            }}
          >
            {say("audit.draws.check", { count: drawn.length, draws: number(drawn.length) })}
          </button>
        </p>
      )}
      <LongTable title="draws" columns={COLUMNS} rows={drawn} row={(line) => <Draw key={line.seq} line={line} of={committedBefore(all, line)} />} />
    </>
  );
}

function Draw({ line: { seq, data, undone_by: by }, of }: { line: Line; of: Line | undefined }): VNode {
  const key = data.key_commit === null ? null : hex(text(data.key_commit));
  const outcome = data.outcome as unknown[];
  return (
    <tr data-undone={by !== null}>
      <th scope="row">
        <To seq={seq} />
      </th>
      <td>
        <code>{of === undefined ? text(data.id) : `e${text(of.data.epoch)}/${text(data.id)}`}</code>
      </td>
      <td>{outcome.map((part) => (Array.isArray(part) ? part.join(" ") : String(part))).join(" · ")}</td>
      <td>{key === null ? say("nothing") : <code title={key}>{key.slice(0, SHORT)}…</code>}</td>
      <td>
        <Proof seq={seq} byHand={data.by !== "server"} />
        {by !== null && (
          <p class="quiet">
            {say("audit.undone_by")} <To seq={by} />
          </p>
        )}
      </td>
    </tr>
  );
}

/** What the verifier in this browser says of a draw. */
function Proof({ seq, byHand }: { seq: number; byHand: boolean }): VNode {
  if (byHand) return <Said status="MANUAL" name="manual" />;
  if (judged.value === null) return <span class="quiet">{say("audit.draws.unchecked")}</span>;
  const verdict = judged.value.draws.get(seq);
  if (verdict === undefined || !verdict.seed) return <Said status="SEALED" name="sealed" />;
  if (verdict.wrong === null) return <Said status="PASS" name="follows" />;
  return (
    <>
      <Said status="FAIL" name="wrong" /> <small lang="en">{verdict.wrong}</small>
    </>
  );
}

function Said({ status, name }: { status: string; name: string }): VNode {
  return (
    <span class="audit-said" data-status={status}>
      {say(`audit.draws.${name}`)}
    </span>
  );
}

const text = (value: unknown): string => String(value);
