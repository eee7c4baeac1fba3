/** The audit of a match: its record, who could know what, chance, refusals, keys, cases, evidence. */
import { effect } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { Cases, chosen } from "../audit/cases.js";
import { Draws } from "../audit/draws.js";
import { Evidence } from "../audit/evidence.js";
import { KeyPanel } from "../audit/key_panel.js";
import { Keys, Reads } from "../audit/keys.js";
import { Matrix } from "../audit/matrix.js";
import { course, lines, load, trouble } from "../audit/reading.js";
import { Events, selected } from "../audit/record.js";
import { Refused } from "../audit/refused.js";
import { Story } from "../audit/story_told.js";
import { say } from "../given.js";
import { mount } from "../mount.js";
import { Notice, Status } from "../parts.js";

const PARTS: [string, () => VNode][] = [
  ["evidence", Evidence],
  ["story", Story],
  ["record", Events],
  ["draws", Draws],
  ["matrix", Matrix],
  ["refused", Refused],
  ["cases", Cases],
  ["keys", Keys],
  ["reads", Reads],
];

function Audit(): VNode {
  return (
    <>
      <KeyPanel />
      {trouble.value !== null && <Notice>{trouble.value}</Notice>}
      <nav class="audit-nav" aria-label={say("audit.parts")}>
        {PARTS.map(([name]) => (
          <a key={name} href={`#${name}`}>
            {say(`audit.${name}`)}
          </a>
        ))}
      </nav>
      {lines.value === null ? (
        trouble.value === null && <p role="status">{say("audit.loading")}</p>
      ) : (
        PARTS.map(([name, Shown]) => (
          <Part key={name} name={name}>
            <Shown />
          </Part>
        ))
      )}
    </>
  );
}

function Part({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <section class="audit-part" data-part={name} aria-labelledby={name}>
      <h2 id={name}>{say(`audit.${name}`)}</h2>
      {children}
    </section>
  );
}

/** The number, as the record is shown, of the public's event of this number; null if it is not shown. */
function ownNumber(public_seq: number): number | null {
  return lines.value?.find((line) => line.public_seq === public_seq)?.seq ?? null;
}

/**
 * Shows what the part of the address behind `#` names: an event by its number here or, as `p6`, by the
 * public's, a case, or a part of the page.
 */
function go(): void {
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
  const event = /^#([sp])([0-9]+)$/.exec(location.hash);
  const about = /^#case-([0-9a-f-]+)$/.exec(location.hash);
  if (event !== null) {
    selected.value = event[1] === "p" ? ownNumber(Number(event[2])) : Number(event[2]);
    document.querySelector<HTMLElement>(".audit-grid")?.focus();
    document.getElementById("record")?.scrollIntoView();
  }
  if (about !== null) chosen.value = about[1] ?? null;
}

// Only the report of a case is printed if there is one.
effect(() => {
  document.body.classList.toggle("audit-of-case", chosen.value !== null);
});

/** What the head says of how far the match has come. */
function showCourse(): void {
  const { status, over, open } = course.value;
  const head = document.getElementById("course");
  const lead = document.getElementById("lead");
  if (head !== null) mount(head, <Status name={status} />);
  if (lead !== null) lead.textContent = say(open ? "audit.lead.open" : over ? "audit.lead.over" : "audit.lead.running");
}

const place = document.getElementById("audit");
if (place !== null) {
  await load(true);
  effect(showCourse);
  mount(place, <Audit />);
  addEventListener("hashchange", go);
  go();
}
