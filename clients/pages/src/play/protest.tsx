/** Protests: a seat says that something went wrong, reads what is said of it, answers and appeals. */
import { useSignal } from "@preact/signals";
import { newKey, type Schemas, type View } from "@arbiter/client";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Attached, attached, mayAttach } from "../attachment.js";
import { inOrder, readCases, untilNextRead } from "../cases.js";
import { happened } from "../events.js";
import { Choice, Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import { regularly } from "../regularly.js";
import { isHousekeeping } from "../table/lines.js";
import type { Course } from "./doings.js";
import type { Look, Seated } from "./seated.js";

type Case = Schemas["CaseShown"];

/** What can be done with the cases of the match. */
interface Court {
  cases: readonly Case[];
  /** The rulings that everybody can read. */
  rulings: readonly Schemas["RulingShown"][];
  /** Posts something below the cases, and reads them again. */
  post(rest: string, body: unknown): Promise<void>;
}

function useCourt({ arbiter, info }: Seated): Court {
  const cases = useSignal<Case[]>([]);
  const rulings = useSignal<Court["rulings"]>([]);
  const path = `/matches/${info.id}/cases`;
  async function read(): Promise<void> {
    const found = await readCases(arbiter, path, cases.value);
    if (found.some(({ closings }) => closings.some(({ n }) => n !== null))) {
      const pages = await arbiter.pages<Schemas["RulingList"]>(`/matches/${info.id}/rulings`);
      rulings.value = pages.flatMap((page) => page.rulings);
    }
    cases.value = found;
  }
  async function post(rest: string, body: unknown): Promise<void> {
    await arbiter.request(path + rest, { method: "POST", body, headers: { "Idempotency-Key": newKey() } });
    await read();
  }
  useEffect(() => {
    const leaving = new AbortController();
    void regularly(() => untilNextRead(cases.value), leaving.signal, read);
    return () => leaving.abort();
  }, []);
  return { cases: [...cases.value].reverse(), rulings: rulings.value, post };
}

/** The cases in which this seat is heard, the latest first, and a form for a new one. */
export function Protest({ seated, look }: { seated: Seated; look: Look }): VNode {
  const court = useCourt(seated);
  async function protest(fields: FormData): Promise<string> {
    await court.post("", { says: written(fields, "says"), about: Number(written(fields, "about")) || null });
    return say("play.protest.sent");
  }
  return (
    <>
      {court.cases.length > 0 && (
        <section aria-labelledby="cases" aria-live="polite">
          <h2 id="cases">{say("play.cases")}</h2>
          {court.cases.map((one) => (
            <OneCase key={one.case} of={one} court={court} view={look.view} />
          ))}
        </section>
      )}
      <details class="panel">
        <summary>{say("play.protest")}</summary>
        <p class="hint">{say("play.protest.about")}</p>
        <Form label={say("play.protest.send")} send={protest}>
          <Says label={say("play.protest.says")} />
          <Field label={say("play.protest.which")}>
            <Choice name="about" of={[["", say("play.protest.none")], ...latest(seated.course.value, look.view)]} />
          </Field>
        </Form>
      </details>
    </>
  );
}

/** The events that a protest can be about at once. */
const MOST = 15;

/** What everybody has seen last, and still counts, the newest first. */
function latest({ lines, undone }: Course, { seats }: View): [string, string][] {
  const known = lines.filter((line) => line.public_seq !== null && !undone.has(line.seq) && !isHousekeeping(line));
  return known.slice(-MOST).reverse().map((line) => [String(line.seq), `p${line.public_seq} · ${happened(line, seats)}`]);
}

/** The event that a case is about: by the public's number first. */
function subject(about: number, about_public: number | null): string {
  const own = { number: about };
  return about_public === null ? say("play.number", own) : say("play.number.public", { public: `p${about_public}`, ...own });
}

interface CaseProps {
  of: Case;
  court: Court;
  view: View;
}

function OneCase({ of: one, court, view: { audience, seats } }: CaseProps): VNode {
  const heard = one.parties.some((seat) => audience === `seat:${seat}`);
  async function answer(fields: FormData): Promise<string> {
    await court.post(`/${one.case}/statements`, { says: written(fields, "says"), ...(await attached(fields)) });
    return say("play.case.said");
  }
  async function appeal(fields: FormData): Promise<string> {
    await court.post(`/${one.case}/appeal`, { says: written(fields, "says") });
    return say("play.case.appealed");
  }
  return (
    <article class="case" data-status={one.status} aria-label={one.statements[0]?.says ?? say("play.cases")}>
      <p class="quiet">
        {say(`play.case.${one.status}`)} · <Moment at={one.opened} />
        {one.about !== null && ` · ${subject(one.about, one.about_public)}`}
      </p>
      <ol class="said">
        {inOrder(one).map((part) =>
          "says" in part ? <Said key={`said ${part.n}`} of={part} seats={seats} /> : <Decided key={part.at} of={part} court={court} />,
        )}
      </ol>
      {one.status === "open" && one.appealed && <p>{say("play.case.appeal.waits")}</p>}
      {heard && one.status === "open" && (
        <Form label={say("play.case.send")} send={answer}>
          <Says label={say("play.case.answer")} />
          {mayAttach && (
            <Field label={say("case.file")} hint={say("case.file.stays")}>
              <input type="file" name="file" />
            </Field>
          )}
        </Form>
      )}
      {heard && one.appeal_until !== null && (
        <details>
          <summary>
            {say("play.case.appeal")}, {say("match.until")} <Moment at={one.appeal_until} />
          </summary>
          <Form label={say("play.case.appeal.send")} send={appeal}>
            <Says label={say("play.case.appeal.why")} />
          </Form>
        </details>
      )}
    </article>
  );
}

function Said({ of: { at, from, says, attachment }, seats }: { of: Schemas["Statement"]; seats: readonly string[] }): VNode {
  return (
    <li>
      <p class="quiet">
        <bdi>{speaker(from, seats)}</bdi> · <Moment at={at} />
      </p>
      <p class="says"><bdi>{says}</bdi></p>
      {attachment !== null && <Attached file={attachment} />}
    </li>
  );
}

function Decided({ of: closing, court }: { of: Schemas["Closing"]; court: Court }): VNode {
  return (
    <li class="decided">
      <p class="quiet">
        {say("play.case.closed")} · <Moment at={closing.at} />
      </p>
      <p class="says"><bdi>{closing.note ?? decision(closing, court)}</bdi></p>
    </li>
  );
}

function Says({ label }: { label: string }): VNode {
  return (
    <Field label={label}>
      <textarea name="says" rows={3} required maxLength={2000} />
    </Field>
  );
}

/** Who speaks, by the seat's name or the role. */
function speaker(from: string, seats: readonly string[]): string {
  const seat = /^seat:(\d+)$/.exec(from)?.[1];
  return seat === undefined ? say(`play.case.from.${from}`) : (seats[Number(seat)] ?? from);
}

/** How a case was closed by a ruling, with the reason if everybody can read it. */
function decision({ n }: Schemas["Closing"], { rulings }: Court): string {
  const reason = rulings.find((one) => one.n === n && n !== null)?.reason;
  return reason === undefined || n === null ? say("play.case.ruled") : say("play.case.ruled.public", { n, reason });
}
