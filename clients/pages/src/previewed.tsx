/** A ruling that is carried out only after its reader has seen what it would change. */
import { newKey, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useRef } from "preact/hooks";
import { doubtAbout } from "./doubt.js";
import { Field, Form } from "./form.js";
import { say } from "./given.js";
import { outcomeWithScores } from "./parts.js";
import { noteProposed } from "./proposed.js";
import type { Bearer } from "./tournament/bearer.js";
import { Standings } from "./tournament/shown.js";

interface PreviewedProps {
  /** Who rules. */
  by: Bearer;
  /** Where the ruling is sent, below `/v1`. */
  path: string;
  /** What the button says that carries it out. */
  label: string;
  /** What the button says that shows what it would change, if not as usual. */
  look?: string;
  /** What has to be done before it can be previewed. */
  first?(): Promise<void>;
  /** The names of the seats of the match that it is about. */
  seats: readonly string[];
  body(fields: FormData): Record<string, unknown>;
  done(): Promise<void>;
  children?: ComponentChildren;
}

interface Seen {
  body: Record<string, unknown>;
  preview: Schemas["Preview"];
  tag: string;
}

export function Previewed({ by: { arbiter, purpose }, path, label, look: lookLabel = say("tournament.ruling.preview"), first, seats, body, done, children }: PreviewedProps): VNode {
  const seen = useSignal<Seen | null>(null);
  const told = useSignal("");
  const changes = useRef(0);
  async function look(fields: FormData): Promise<void> {
    const asked = body(fields);
    const before = changes.current;
    await first?.();
    const sent = { method: "POST" as const, body: { ...asked, preview: true } };
    const { data, headers } = await arbiter.request<Schemas["Preview"]>(path, sent);
    if (changes.current !== before) return;
    seen.value = { body: asked, preview: data, tag: headers.get("ETag") ?? "" };
    told.value = "";
  }
  /** What is written otherwise has to be previewed anew. */
  function changed(): void {
    changes.current += 1;
    seen.value = null;
    told.value = "";
  }
  async function carryOut({ body: asked, tag }: Seen): Promise<void> {
    const headers = { "If-Match": tag, "Idempotency-Key": newKey() };
    const answer = await arbiter.request<{ ruling: string; kind: string; status: string }>(path, { method: "POST", body: asked, headers });
    noteProposed(purpose, path, answer.data);
    seen.value = null;
    await done();
    told.value = say(`tournament.ruling.${answer.data.status}`);
  }
  return (
    <>
      <Form label={lookLabel} send={look} kept changed={changed}>
        {children}
      </Form>
      <div aria-live="polite">
        {seen.value !== null && (
          <>
            <div class="beside">
              <Outcome title={say("tournament.ruling.before")} seats={seats} {...seen.value.preview.before} />
              <Outcome title={say("tournament.ruling.after")} seats={seats} {...seen.value.preview.after} />
            </div>
            <Form label={label} grave send={() => carryOut(seen.value!)}>
              <Doubt question={doubtAbout(seen.value.preview.after.result, seats)} />
            </Form>
          </>
        )}
        {told.value !== "" && <p>{told.value}</p>}
      </div>
    </>
  );
}

/** What has to be answered before it is carried out. */
function Doubt({ question }: { question: string | null }): VNode | null {
  if (question === null) return null;
  return (
    <div class="notice">
      <p>{question}</p>
      <label class="tick">
        <input type="checkbox" required /> {say("match.doubt.yes")}
      </label>
    </div>
  );
}

type OutcomeProps = Schemas["Outcome"] & { title: string; seats: readonly string[] };

/** Of a match its result; the standings of a stage where it belongs to one, else those of the tournament. */
function Outcome({ title, seats, result, standings, stage }: OutcomeProps): VNode {
  return (
    <div>
      <h4>{title}</h4>
      {seats.length > 0 && <p>{result === null ? say("tournament.ruling.no_result") : outcomeWithScores(result, seats)}</p>}
      {(stage ?? standings) !== null && (
        <div class="scrolled" tabIndex={0} role="group" aria-label={title}>
          {stage === undefined ? <Standings rows={standings ?? []} /> : <StagePlaces rows={stage.rows} />}
        </div>
      )}
    </div>
  );
}

function StagePlaces({ rows }: { rows: Schemas["StageStandings"]["rows"] }): VNode {
  return (
    <table class="figures standings">
      <tbody>
        {rows.map((one) => (
          <tr key={one.player}>
            <td>{one.place}</td>
            <th scope="row">
              <bdi>{one.name}</bdi>
            </th>
            <td>{one.points}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Why a ruling is made: everybody can read it. */
export function Reason({ text = "" }: { text?: string }): VNode {
  return (
    <Field label={say("tournament.reason")} hint={say("tournament.reason.hint")}>
      <textarea name="reason" required maxLength={2000} rows={2} defaultValue={text} />
    </Field>
  );
}
