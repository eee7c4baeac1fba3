/** What the match waits for now, until when, and what a moderator does about it. */
import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Away } from "../away.js";
import { Countdown, duration } from "../clock.js";
import { say } from "../given.js";
import { micros } from "../instants.js";
import { joined, waitsFor } from "../parts.js";
import { AskBack, useDoing } from "./doing.js";
import { Draw } from "./draw.js";
import { openPhase, sentBy } from "./lines.js";
import { audienceName } from "./seats.js";
import { ask, cases, desk, info, live, old, readRulings, readView, rulings, seen, send } from "./state.js";
import { Instant, nameOf } from "./words.js";

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
      <OpenCases />
      <OpenRulings />
      <Controls />
      {entered && draw?.id != null && draw.parts != null && <Draw key={draw.id} id={draw.id} parts={draw.parts} />}
    </section>
  );
}

const TITLE = document.title;

/** Cases that are open, where their reader is led to them; the title counts what waits. */
function OpenCases(): VNode | null {
  const waiting = rulings.value.filter(({ status }) => status === "pending").length + cases.value.filter(({ status }) => status === "open").length;
  useEffect(() => {
    document.title = waiting === 0 ? TITLE : `(${waiting}) ${TITLE}`;
  }, [waiting]);
  const open = cases.value.filter(({ status }) => status === "open");
  const latest = open.flatMap(({ statements }) => statements).sort((one, other) => micros(other.at) - micros(one.at))[0];
  return (
    <p role="status">
      {open.length > 0 && (
        <>
          <a href="#cases">{say("table.now.cases", { count: open.length })}</a>
          {latest !== undefined && (
            <span class="quiet">
              {" "}
              {say("table.now.said", { name: latest.person ?? audienceName(latest.from) })} <Instant at={latest.at} />
            </span>
          )}
        </>
      )}
    </p>
  );
}

/** Rulings that wait, where their reader is led to them. */
function OpenRulings(): VNode | null {
  const count = rulings.value.filter(({ status }) => status === "pending").length;
  return count === 0 ? null : (
    <p>
      <a href="#rulings">{say("table.now.rulings", { count })}</a>
    </p>
  );
}

function awaited(): string {
  if (seen.value === null) return "";
  const { awaiting, status } = seen.value.view;
  if (status !== "running") return say(`table.now.${status}`);
  if (awaiting.draw !== null) return say(`table.now.draw.${info.value?.chance === "manual" ? "manual" : "server"}`);
  const names = missing(awaiting.seats).map(nameOf);
  if (awaiting.seats.length === 0) return say("table.now.nobody");
  // What came last from a seat whose turn goes on was not all of it.
  if (awaiting.seats.length === 1) return waitsFor(awaiting.seats.map(nameOf));
  if (names.length === 0) return say("table.now.all_sent");
  if (names.length === awaiting.seats.length) return waitsFor(names);
  return say("table.now.missing", { count: names.length, all: awaiting.seats.length, names: joined(names) });
}

/** Those from whom nothing valid has come in the open phase, as far as one may know. */
function missing(seats: readonly number[]): number[] {
  const sent = sentBy(openPhase(live.value));
  return seats.filter((seat) => sent.get(seat)?.code !== null);
}

/** What the open phase has left of its time, if it has a deadline. */
function StandingClock(): VNode | null {
  const left = live.value.filter(({ type }) => type.startsWith("match.paused.")).at(-1)?.data.left;
  if (typeof left !== "number") return null;
  return <p class="clock">{say("table.clock.stands", { left: duration(Math.ceil(left / MICROSECONDS)) })}</p>;
}

type Step = "start" | "pause" | "resume" | "close" | "announce";

/** Start, pause, go on, close the phase, say something: each asks back. */
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
          <button type="button" class="plain" onClick={() => (asked.value = "announce")}>
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
  const [reason, text] = [useSignal(""), useSignal("")];
  // What is asked about is what was seen when it was asked.
  const tag = useSignal(seen.value?.tag);
  async function yes(): Promise<void> {
    const done = await doing.run(async () => {
      if (step === "start") await ask("/start", { method: "POST" });
      else if (step === "close") await ask("/close-phase", { method: "POST", headers: { "If-Match": tag.value ?? "" } });
      else if (step === "announce") await send("/rulings", { ...ANNOUNCEMENT, text: text.value, reason: text.value });
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
      {step === "announce" && <Written label="table.field.text" value={text} />}
      {(step === "pause" || step === "resume") && <Written label="table.field.reason" value={reason} />}
    </AskBack>
  );
}

const ANNOUNCEMENT = { kind: "note", to: "public", severity: "clarification" };

function Written({ label, value }: { label: string; value: Signal<string> }): VNode {
  return (
    <label>
      <span>{say(label)}</span>
      <textarea required maxLength={2000} rows={2} value={value} onInput={({ currentTarget }) => (value.value = currentTarget.value)} />
    </label>
  );
}

/** What closing the phase now means for each seat that is awaited. */
function Closing(): VNode {
  const seats = seen.value?.view.awaiting.seats ?? [];
  const left = missing(seats);
  const has = seats.filter((seat) => !left.includes(seat));
  return (
    <>
      <p>{say("table.close.what")}</p>
      {has.length > 0 && <p>{say("table.close.counts", { count: has.length, names: joined(has.map(nameOf)) })}</p>}
      {left.length > 0 && <p>{say("table.close.missing", { count: left.length, names: joined(left.map(nameOf)) })}</p>}
    </>
  );
}

