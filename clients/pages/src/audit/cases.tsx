/** Cases, and the report of one: what was disputed, the evidence, the ruling and who decided. */
import type { Schemas } from "@arbiter/client";
import { effect, signal, untracked } from "@preact/signals";
import type { VNode } from "preact";
import { Attached } from "../attachment.js";
import { Value } from "../board.js";
import { say } from "../given.js";
import { instant, Moment, Notice } from "../parts.js";
import { reason } from "../trouble.js";
import { about, called, type Line } from "./about.js";
import { KnownList, waysToKnow } from "./detail.js";
import { judged } from "./verdict.js";
import { cases, lineOf, lines, numbers, rulings } from "./reading.js";
import { Fact } from "./fact.js";
import { Effects, peopleOf, rulingName, speaker } from "./story_told.js";
import { What } from "./what.js";

/** The id of the case of which the report is shown. */
export const chosen = signal<string | null>(null);

/** Closes the report, and goes back to where it was opened. */
function close(): void {
  const link = document.querySelector<HTMLElement>(".audit-cases [aria-current]");
  chosen.value = null;
  history.replaceState(null, "", location.pathname + location.search);
  link?.focus();
}

interface Report {
  found: Schemas["CaseShown"];
  line: Line | undefined;
  known: Schemas["KnownShown"][];
}

const report = signal<Report | null>(null);
const trouble = signal<string | null>(null);

effect(() => {
  const id = chosen.value;
  report.value = null;
  if (id !== null && lines.value !== null) untracked(() => void read(id));
});

async function read(id: string): Promise<void> {
  const found = cases.value.find((one) => one.case === id);
  if (found === undefined) return;
  try {
    const line = subjectOf(found);
    const known = line === undefined ? [] : await waysToKnow(line.seq);
    if (chosen.value === id) report.value = { found, line, known };
    // It is drawn first.
    if (location.hash === `#case-${id}`) setTimeout(() => document.getElementById("report")?.scrollIntoView());
    trouble.value = null;
  } catch (error) {
    trouble.value = reason(error);
  }
}

/** The event that a case is about, if it is shown here. */
function subjectOf({ about, about_public }: Schemas["CaseShown"]): Line | undefined {
  if (about_public !== null) return (lines.value ?? []).find((line) => line.public_seq === about_public);
  return about === null ? undefined : lineOf(about);
}

export function Cases(): VNode {
  if (cases.value.length === 0) return <p class="quiet">{say("audit.cases.none")}</p>;
  return (
    <>
      <ul class="rows audit-cases">
        {cases.value.map((one, index) => (
          <li key={one.case}>
            <a href={`#case-${one.case}`} aria-current={one.case === chosen.value ? "true" : undefined}>
              {say("audit.case", { n: index + 1 })}
            </a>{" "}
            <span class="status">{say(`audit.case.${one.status}`)}</span>{" "}
            <span class="quiet">
              {say("audit.case.opened", { at: instant(one.opened) })} {parties(one.parties)}
            </span>
          </li>
        ))}
      </ul>
      {trouble.value !== null && <Notice>{trouble.value}</Notice>}
      {report.value !== null && <CaseReport {...report.value} />}
    </>
  );
}

function parties(seats: readonly number[]): string {
  return seats.map((seat) => called(`seat:${seat}`)).join(", ");
}

function CaseReport({ found, line, known }: Report): VNode {
  return (
    <article class="audit-report" aria-labelledby="report">
      <h3 id="report">{say("audit.report", { title: about.title })}</h3>
      <dl class="audit-facts">
        <Fact name="report.match">
          <code>{about.match}</code> {about.seats.join(" – ")}
        </Fact>
        <Fact name="report.case">
          <code>{found.case}</code>
        </Fact>
        <Fact name="report.opened">
          <Moment at={found.opened} />
        </Fact>
        <Fact name="report.status">{say(`audit.case.${found.status}`)}</Fact>
        {found.parties.length > 0 && <Fact name="report.parties">{parties(found.parties)}</Fact>}
        {found.appeal_until !== null && (
          <Fact name="report.appeal">
            <Moment at={found.appeal_until} />
          </Fact>
        )}
      </dl>
      <h4>{say("audit.report.disputed")}</h4>
      {line === undefined ? <p class="quiet">{say("audit.report.no_event")}</p> : <Disputed line={line} known={known} />}
      <h4>{say("audit.report.said")}</h4>
      <ol class="audit-statements">
        {found.statements.map((one) => (
          <Said key={one.n} said={one} />
        ))}
      </ol>
      <h4>{say("audit.report.decided")}</h4>
      {found.closings.length === 0 && <p class="quiet">{say("audit.report.undecided")}</p>}
      {found.closings.map((one) => (
        <Decided key={one.at} closing={one} />
      ))}
      {judged.value !== null && (
        <>
          <h4>{say("audit.report.verdict")}</h4>
          <p>
            {say(`audit.verdict.${judged.value.report.verdict}`)}. {say(`audit.verdict.${judged.value.report.verdict}.means`)}{" "}
            {say("audit.verdict.rules")}
          </p>
        </>
      )}
      <p class="audit-report-foot quiet">{say("audit.report.made", { at: instant(new Date().toISOString()), url: location.origin + location.pathname })}</p>
      <p class="audit-print">
        <button type="button" onClick={() => window.print()}>
          {say("audit.report.print")}
        </button>{" "}
        <button type="button" class="plain" onClick={close}>
          {say("audit.report.close")}
        </button>
      </p>
    </article>
  );
}

/** The event that a case is about: what it says, what followed from it, and who could know it. */
function Disputed({ line, known }: { line: Line; known: Schemas["KnownShown"][] }): VNode {
  const followed = (lines.value ?? []).filter((one) => one.cause === line.seq && !one.housekeeping);
  return (
    <>
      <p>
        <a href={`#s${line.seq}`} aria-label={say("audit.event", { seq: numbers(line.seq) })}>
          {numbers(line.seq)}
        </a>{" "}
        <Moment at={line.at} /> <What line={line} />
      </p>
      <p class="quiet">
        {called(line.seen_by)}
        {line.undone_by !== null && `, ${say("audit.undone_by")} ${numbers(line.undone_by)}`}
      </p>
      <Value given={line.data} />
      {followed.length > 0 && (
        <>
          <h5>{say("audit.effects")}</h5>
          <ul>
            {followed.map((one) => (
              <li key={one.seq}>
                {numbers(one.seq)} <What line={one} /> <span lang="en">{one.rule}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h5>{say("audit.known.by")}</h5>
      <KnownList ways={known} when={instant} />
    </>
  );
}

function Said({ said }: { said: Schemas["Statement"] }): VNode {
  return (
    <li>
      <p class="quiet">
        <bdi>{speaker(said)}</bdi>, <Moment at={said.at} />
      </p>
      <p class="audit-says">
        <bdi>{said.says}</bdi>
      </p>
      {said.attachment !== null && <Attached file={said.attachment} />}
    </li>
  );
}

function Decided({ closing }: { closing: Schemas["Closing"] }): VNode {
  const ruling = rulings.value.find(
    (one) => (closing.ruling != null && one.ruling === closing.ruling) || (closing.n !== null && one.n === closing.n),
  );
  return (
    <div class="audit-decision">
      <p>
        <Moment at={closing.at} />
        {closing.person != null && (
          <>
            {" "}
            {say("audit.report.by")} <bdi>{closing.person}</bdi>
          </>
        )}
      </p>
      {closing.note !== null && (
        <p class="audit-says">
          <bdi>{closing.note}</bdi>
        </p>
      )}
      {ruling !== undefined && <Ruling ruling={ruling} />}
    </div>
  );
}

function Ruling({ ruling }: { ruling: Schemas["RulingShown"] }): VNode {
  const people = peopleOf(ruling);
  return (
    <dl class="audit-facts">
      <Fact name="report.ruling">
        {rulingName(ruling)}
      </Fact>
      <Fact name="report.reason">
        <bdi>{ruling.reason}</bdi>
      </Fact>
      {ruling.rule !== null && (
        <Fact name="report.rule">
          <bdi>{ruling.rule}</bdi>
        </Fact>
      )}
      {people.length > 0 && (
        <Fact name="report.people">
          <bdi>{people.join(", ")}</bdi>
        </Fact>
      )}
      {ruling.effects.length > 0 && (
        <Fact name="report.effects">
          <Effects ruling={ruling} />
        </Fact>
      )}
    </dl>
  );
}
