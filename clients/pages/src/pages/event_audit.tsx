/** The audit of an event: all rulings, cases, looks and keys of it and of its matches, and who runs it. */
import type { VNode } from "preact";
import { Away } from "../away.js";
import { Cases } from "../event_audit/cases.js";
import { Filters, Foot, Reader } from "../event_audit/head.js";
import { Keys, Reads, Staff } from "../event_audit/people.js";
import { cases, id, keys, readEvent, reads, rulings, shown, trouble, type Listed } from "../event_audit/reading.js";
import { Rulings } from "../event_audit/rulings.js";
import { say } from "../given.js";
import { mount } from "../mount.js";
import { Notice } from "../parts.js";
import { below } from "../root.js";
import { Left } from "../tournament/left.js";

const PARTS: [name: string, Shown: () => VNode, list: Listed<unknown> | null][] = [
  ["across.rulings", Rulings, rulings],
  ["cases", Cases, cases],
  ["reads", Reads, reads],
  ["keys", Keys, keys],
  ["across.staff", Staff, null],
];

/** How many there are, as far as is known. */
function count(list: Listed<unknown> | null): string {
  const found = list?.rows.value.length ?? 0;
  return found === 0 ? "" : ` ${found}${list?.isMore.value ? "+" : ""}`;
}

function Audit(): VNode {
  return (
    <>
      <Away />
      <div class="audit-panel">
        <Reader />
      </div>
      {trouble.value !== null && <Notice>{trouble.value}</Notice>}
      {shown.value === null ? (
        <p role="status">{say("audit.loading")}</p>
      ) : (
        <>
          <Filters />
          {PARTS.map(([name, Shown, list]) => (
            <section key={name} class="audit-part" aria-labelledby={name}>
              <h2 id={name}>
                {say(`audit.${name}`)}
                <span class="quiet">{count(list)}</span>
              </h2>
              <Shown />
            </section>
          ))}
          <Left players={shown.value.players} />
          {shown.value.status === "closed" && (
            <p>
              <a href={below(`/t/${id}`)}>{say("tournament.proof")}</a>{" "}
              <a href={below(`/v1/tournaments/${id}/bundle?as=public`)} download={`${id}.public.arb`}>
                {say("tournament.proof.download")}
              </a>
            </p>
          )}
          <Foot />
        </>
      )}
    </>
  );
}

mount(document.getElementById("event_audit")!, <Audit />);
await readEvent();
