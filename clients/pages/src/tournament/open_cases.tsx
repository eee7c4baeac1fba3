/** Cases about an event and its matches that wait for those who run it. */
import { newKey, type Schemas } from "@arbiter/client";
import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Form, written } from "../form.js";
import { say } from "../given.js";
import type { DeskProps } from "./desk_props.js";
import { Between } from "./shown.js";

/** Notes whether there are some. */
export type Found = DeskProps & { some: Signal<boolean> };

export function OpenCases({ cup, by, changed, some }: Found): VNode | null {
  const open = useSignal<Schemas["CaseAcross"][]>([]);
  async function read(): Promise<void> {
    const found: Schemas["CaseAcross"][] = [];
    for await (const one of by.arbiter.tournament(cup.shown.id).cases()) if (one.status === "open") found.push(one);
    open.value = found;
    some.value = found.length > 0;
  }
  useEffect(() => void read().catch(reportError), [cup]);
  async function done(): Promise<void> {
    await read();
    await changed();
  }
  if (open.value.length === 0) return null;
  return (
    <>
      {open.value.map((one) => (
        <article key={one.case} class="need">
          <h3>{say("desk.case")}</h3>
          {one.match === null ? <EventCase id={cup.shown.id} by={by} of={one} done={done} cup={cup} /> : <InMatch cup={cup} of={one} />}
        </article>
      ))}
    </>
  );
}

/** The match that something is about, with the way to its table. */
export function InMatch({ cup, of }: { cup: DeskProps["cup"]; of: { match: string | null } }): VNode {
  const pairing = cup.pairings.find((one) => one.match === of.match);
  return <p>{pairing === undefined ? of.match : <Between {...pairing} at="table" />}</p>;
}

interface EventCaseProps extends Pick<DeskProps, "cup" | "by"> {
  /** Of the tournament. */
  id: string;
  of: Schemas["CaseAcross"];
  done(): Promise<void>;
}

/** A case about the event: what was said in it, an answer, and the note that closes it. */
function EventCase({ id, by, of, done, cup }: EventCaseProps): VNode {
  const path = `/tournaments/${id}/cases/${of.case}`;
  const shown = useSignal<Schemas["CaseShown"] | null>(null);
  async function read(): Promise<void> {
    shown.value = (await by.arbiter.request<Schemas["CaseShown"]>(path)).data;
  }
  useEffect(() => void read().catch(reportError), [of.case, cup]);
  async function send(what: "statements" | "close", body: unknown): Promise<void> {
    await by.arbiter.request(`${path}/${what}`, { method: "POST", body, headers: { "Idempotency-Key": newKey() } });
    await (what === "close" ? done() : read());
  }
  const about = of.about !== null && typeof of.about === "object" ? of.about : null;
  return (
    <>
      <p class="quiet">
        {about?.round != null && say("tournament.round", { number: about.round })} {of.parties.map((one) => cup.shown.players[one]?.name).join(", ")}
      </p>
      <ul class="rows">
        {shown.value?.statements.map((one) => (
          <li key={one.n}>
            <bdi class="says">{one.says}</bdi>
          </li>
        ))}
      </ul>
      <details>
        <summary>{say("desk.case.answer")}</summary>
        <Form label={say("desk.case.say")} send={(fields) => send("statements", { says: written(fields, "says") })}>
          <textarea name="says" required rows={2} aria-label={say("desk.case.say")} />
        </Form>
        <Form label={say("desk.case.close")} send={(fields) => send("close", { note: written(fields, "note") })}>
          <textarea name="note" required rows={2} aria-label={say("desk.case.note")} />
        </Form>
      </details>
    </>
  );
}
