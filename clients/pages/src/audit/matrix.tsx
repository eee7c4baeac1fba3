/** Facts and people: who could know what, from when, to whom it was handed out. */
import type { Schemas } from "@arbiter/client";
import { effect, signal, untracked } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { Notice } from "../parts.js";
import { reason } from "../trouble.js";
import { called } from "./about.js";
import { To } from "./detail.js";
import { KnownCell } from "./known_cell.js";
import { allowed, ask, audience, bySeq, lines, path, reads } from "./reading.js";
import { What } from "./what.js";

const PAGE = 50;

const everything = signal(false);
const page = signal<Schemas["KnowledgePage"] | null>(null);
const trouble = signal<string | null>(null);
/** Of which reading of the record it is. */
let shownOf = lines.peek();

async function read(after: number): Promise<void> {
  const facts = everything.value ? "all" : "hidden";
  const address = `${path}/knowledge?as=${audience.value}&facts=${facts}&after=${after}&limit=${PAGE}`;
  const of = lines.value;
  try {
    const next = await ask<Schemas["KnowledgePage"]>(address);
    if (of !== lines.value) return;
    const before = after === 0 ? [] : (page.value?.facts ?? []);
    page.value = { ...next, facts: [...before, ...next.facts] };
    trouble.value = null;
  } catch (error) {
    trouble.value = reason(error);
  }
}

// Anew with every reading of the record.
effect(() => {
  if (lines.value !== shownOf) page.value = null;
  shownOf = lines.value;
  if (lines.value !== null && everything.value !== undefined) untracked(() => void read(0));
});

export function Matrix(): VNode {
  return (
    <>
      <p class="quiet">{say("audit.matrix.about")}</p>
      {reads.value === null && <p class="quiet">{say("audit.matrix.no_reads")}</p>}
      <label class="tick">
        <input
          type="checkbox"
          checked={everything.value}
          onChange={(event) => {
            everything.value = event.currentTarget.checked;
          }}
        />
        <span>{say("audit.matrix.all")}</span>
      </label>
      {trouble.value !== null && <Notice>{trouble.value}</Notice>}
      {page.value !== null && <Table page={page.value} />}
    </>
  );
}

function Table({ page: { facts, readers, next } }: { page: Schemas["KnowledgePage"] }): VNode {
  const shown = everything.value ? facts : facts.filter((fact) => bySeq.value.get(fact.seq)?.housekeeping !== true);
  if (shown.length === 0 && next === null) return <p class="quiet">{say(allowed.value.length > 1 ? "audit.matrix.none" : "audit.matrix.yet")}</p>;
  return (
    <>
      <div class="audit-scroll" tabIndex={0} role="group" aria-label={say("audit.matrix")}>
        <table class="audit-table audit-matrix">
          <thead>
            <tr>
              <th scope="col">{say("audit.fact")}</th>
              {readers.map((reader) => (
                <th key={reader} scope="col">
                  <bdi>{called(reader)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((fact) => (
              <Fact key={fact.seq} fact={fact} readers={readers} />
            ))}
          </tbody>
        </table>
      </div>
      {next !== null && (
        <p>
          <button type="button" class="plain" onClick={() => void read(next)}>
            {say("audit.more")}
          </button>
        </p>
      )}
    </>
  );
}

function Fact({ fact, readers }: { fact: Schemas["KnownFact"]; readers: string[] }): VNode {
  const line = bySeq.value.get(fact.seq);
  return (
    <tr>
      <th scope="row">
        <To seq={fact.seq} /> {line !== undefined && <What line={line} />}
      </th>
      {readers.map((reader) => (
        <td key={reader} data-reader={called(reader)}>
          <KnownCell ways={fact.known.filter((way) => way.reader === reader)} />
        </td>
      ))}
    </tr>
  );
}
