/** What the match waits for now, until when, and what a moderator does about it. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Away } from "../away.js";
import { Countdown, duration } from "../clock.js";
import { say } from "../given.js";
import { joined } from "../parts.js";
import { AskBack, useDoing } from "./doing.js";
import { begin } from "./draft.js";
import { Draw } from "./draw.js";
import { openPhase, sentBy } from "./lines.js";
import { ask, desk, info, live, old, readRulings, readView, seen, send } from "./state.js";
import { nameOf } from "./words.js";

/** Of a second. */
const MICROSECONDS = 1_000_000;

/** The panel at the head of the table. */
export function Now(): VNode | null {
  if (seen.value === null || desk.value === null) return null;
  const { awaiting, status } = seen.value.view;
  const draw = awaiting.draw;
  const entered = status === "running" && desk.value.role === "moderator" && info.value?.chance === "manual";
  return (
    <section class="now" aria-labelledby="now">
      <h2 id="now">{say("table.now")}</h2>
      {old.value === null ? <Away /> : <p class="notice" role="status">{say(`table.away.${old.value}`)}</p>}
      <p class="awaited" role="status">{awaited()}</p>
      {awaiting.deadline !== null && (
        <p class="clock">
          <Countdown until={awaiting.deadline} />
        </p>
      )}
      {status === "paused" && <StandingClock />}
      <Controls />
      {entered && draw?.id != null && draw.parts != null && <Draw key={draw.id} id={draw.id} parts={draw.parts} />}
    </section>
  );
}

function awaited(): string {
  if (seen.value === null) return "";
  const { awaiting, status } = seen.value.view;
  if (status !== "running") return say(`table.now.${status}`);
  if (awaiting.draw !== null) return say(`table.now.draw.${info.value?.chance === "manual" ? "manual" : "server"}`);
  const names = awaiting.seats.map(nameOf);
  return names.length === 0 ? say("table.now.nobody") : say("match.awaits", { count: names.length, names: joined(names) });
}

/** What the open phase has left of its time, if it has a deadline. */
function StandingClock(): VNode | null {
  const left = live.value.filter(({ type }) => type.startsWith("match.paused.")).at(-1)?.data.left;
  if (typeof left !== "number") return null;
  return <p class="clock">{say("table.clock.stands", { left: duration(Math.ceil(left / MICROSECONDS)) })}</p>;
}

type Step = "start" | "pause" | "resume" | "close";

/** Start, pause, go on, close the phase: each asks back. */
function Controls(): VNode {
  const asked = useSignal<Step | null>(null);
  const status = seen.value?.view.status;
  return (
    <>
      <p class="row">
        {steps().map((step) => (
          <button key={step} type="button" class={step === "pause" || step === "close" ? "plain" : ""} onClick={() => (asked.value = step)}>
            {say(`table.${step}`)}
          </button>
        ))}
        {status !== "void" && (
          <button type="button" class="plain" onClick={() => begin("note", { to: "public", severity: "clarification" })}>
            {say("table.announce")}
          </button>
        )}
      </p>
      {asked.value !== null && <Asked step={asked.value} onGone={() => (asked.value = null)} />}
    </>
  );
}

function steps(): Step[] {
  const { status, awaiting } = seen.value?.view ?? { status: "void", awaiting: null };
  if (status === "created") return ["start"];
  if (status === "paused") return ["resume"];
  if (status !== "running") return [];
  const closes = desk.value?.role === "moderator" && awaiting !== null && awaiting.seats.length > 0;
  return closes ? ["close", "pause"] : ["pause"];
}

/** Asks back: with what will happen, and for the reason where it is a ruling. */
function Asked({ step, onGone }: { step: Step; onGone(): void }): VNode {
  const doing = useDoing();
  const reason = useSignal("");
  // What is asked about is what was seen when it was asked.
  const tag = useSignal(seen.value?.tag);
  async function yes(): Promise<void> {
    const done = await doing.run(async () => {
      if (step === "start") await ask("/start", { method: "POST" });
      else if (step === "close") await ask("/close-phase", { method: "POST", headers: { "If-Match": tag.value ?? "" } });
      else await send("/rulings", { kind: step, reason: reason.value });
      await Promise.all([readView(), readRulings()]);
    });
    if (done) onGone();
    else await readView();
    tag.value = seen.value?.tag;
  }
  return (
    <AskBack title={say(`table.${step}.ask`)} action={say(`table.${step}`)} doing={doing} onYes={yes} onNo={onGone}>
      <Away />
      {step === "close" ? <Closing /> : <p>{say(`table.${step}.what`)}</p>}
      {(step === "pause" || step === "resume") && (
        <label>
          <span>{say("table.field.reason")}</span>
          <textarea required maxLength={2000} rows={2} value={reason} onInput={(event) => (reason.value = event.currentTarget.value)} />
        </label>
      )}
    </AskBack>
  );
}

/** What closing the phase now means for each seat that is awaited. */
function Closing(): VNode {
  const sent = sentBy(openPhase(live.value));
  const seats = seen.value?.view.awaiting.seats ?? [];
  const has = seats.filter((seat) => sent.get(seat)?.code === null);
  const missing = seats.filter((seat) => !has.includes(seat));
  return (
    <>
      <p>{say("table.close.what")}</p>
      {has.length > 0 && <p>{say("table.close.counts", { count: has.length, names: joined(has.map(nameOf)) })}</p>}
      {missing.length > 0 && <p>{say("table.close.missing", { count: missing.length, names: joined(missing.map(nameOf)) })}</p>}
    </>
  );
}

