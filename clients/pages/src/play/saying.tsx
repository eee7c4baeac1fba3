/** What a seat says beside the game: seeds for chance, what it asks the others for, and its consent. */
import { WrongCommitment, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Shown } from "../board.js";
import { Choice, Field, Form, written } from "../form.js";
import { Happened } from "../events.js";
import { isSaid, say } from "../given.js";
import { Moment, outcome, words } from "../parts.js";
import type { Asked, Course, Noted } from "./doings.js";
import { isOfNoBranch } from "../table/branches.js";
import { isHousekeeping, SUBMITS } from "../table/lines.js";
import { Positions } from "./positions.js";
import type { Look, Seated } from "./seated.js";

/** Before the start, and before the match goes on after a rewind, every seat may add to its chance. */
export function Seed({ seated, look, course }: { seated: Seated; look: Look; course: Course }): VNode | null {
  const { status } = look.view;
  const open = status === "created" || (status === "paused" && course.wentBack);
  if (seated.info.chance !== "server" || !open) return null;
  async function give(fields: FormData): Promise<string> {
    try {
      const { receipt } = await seated.match.seed(written(fields, "seed"));
      seated.kept.addReceipt(receipt);
      return say("play.seed.given");
    } catch (error) {
      if (!(error instanceof WrongCommitment)) throw error;
      seated.kept.contradict(error);
      return say("receipts.wrong.sent");
    }
  }
  return (
    <details class="panel">
      <summary>{say("play.seed")}</summary>
      <p class="hint">{say("play.seed.about")}</p>
      <Form label={say("play.seed.give")} send={give}>
        <Field label={say("play.seed.text")}>
          <textarea name="seed" rows={1} required maxLength={64} />
        </Field>
      </Form>
    </details>
  );
}

interface ConsentProps {
  seated: Seated;
  look: Look;
  Board: ComponentType<Shown>;
}

/** Rulings that wait for the consent of every seat. */
export function Consents({ asked, ...props }: ConsentProps & { asked: readonly Asked[] }): VNode {
  return (
    <div class="asked" aria-live="polite">
      {asked.map((one) =>
        isOwn(one, props.look) ? <OwnRequest key={one.id} {...props} asked={one} /> : <Consent key={one.id} {...props} asked={one} />,
      )}
    </div>
  );
}

function isOwn({ asker }: Asked, { view }: Look): boolean {
  return asker !== undefined && view.audience === `seat:${asker}`;
}

/** What this seat asks for; it can give it up. */
function OwnRequest({ seated, look, asked }: { seated: Seated; look: Look; asked: Asked }): VNode {
  const { id, reason } = asked;
  const done = consequence(asked, look.view.seats);
  return (
    <section class="notice" aria-label={say("play.ask")}>
      <p>
        <b>{say("play.ask.waits", { kind: named(asked) })}</b>
      </p>
      {done !== null && <p><bdi>{done}</bdi></p>}
      <p>
        <bdi>{reason}</bdi>
      </p>
      <Form label={say("play.ask.withdraw")} send={() => seated.match.withdraw(id)} />
    </section>
  );
}

/** What a seat may ask for, as it is sent. Who gives up leaves the match to the others. */
function request(kind: string, reason: string, seats: number, own: number): Schemas["NewRuling"] {
  if (kind === "pause" || kind === "resume" || kind === "void") return { kind, reason };
  const winners = Array.from({ length: seats }, (_, seat) => seat);
  if (kind === "give_up") {
    const others = winners.filter((seat) => seat !== own);
    return { kind: "result", reason, because: "forfeit", result: { winners: others, losers: [own], shared: others.length > 1, scores: winners.map(() => 0) } };
  }
  return { kind: "result", reason, because: "adjudicated", result: { winners, losers: [], shared: true, scores: winners.map(() => 0) } };
}

/** A seat asks the others for a pause or a draw; one request is open at a time. */
export function Asking({ seated, look, course }: { seated: Seated; look: Look; course: Course }): VNode | null {
  const { status, seats } = look.view;
  if (!["running", "paused"].includes(status) || course.asked.some((one) => isOwn(one, look))) return null;
  const kinds = [status === "paused" ? "resume" : "pause", "draw", "give_up", "void"];
  async function ask(fields: FormData): Promise<void> {
    await seated.match.ask(request(written(fields, "kind"), written(fields, "reason"), seats.length, Number(look.view.audience.replace("seat:", ""))));
  }
  return (
    <details class="panel">
      <summary>{say("play.ask")}</summary>
      <p class="hint">{say("play.ask.about")}</p>
      <Form label={say("play.ask.send")} send={ask}>
        <Field label={say("play.ask.what")}>
          <Choice name="kind" of={kinds.map((kind) => [kind, say(`play.ruling.${kind}`)])} />
        </Field>
        <Field label={say("play.ask.reason")}>
          <textarea name="reason" rows={2} required maxLength={2000} />
        </Field>
      </Form>
    </details>
  );
}

/** What the ruling would do, as far as it can be seen. */
function consequence({ result, before, replaces, name }: Asked, seats: readonly string[]): string | null {
  if (result !== undefined) return outcome(result, seats);
  if (before !== undefined) return say("play.consent.before", { number: before });
  if (replaces === undefined) return null;
  return say("play.consent.replaces", { seat: seats[replaces] ?? "", name: name ?? "" });
}

/** What this seat has seen since the point to which the match would go back. */
function WouldUndo({ before, course: { lines, undone }, seats }: { before: number; course: Course; seats: readonly string[] }): VNode {
  const behind = lines.filter((line) => line.seq >= before && !undone.has(line.seq) && !isHousekeeping(line) && !isOfNoBranch(line) && !SUBMITS.has(line.type));
  return (
    <details>
      <summary>{say("play.consent.undone", { count: behind.length })}</summary>
      <ol class="rows">
        {behind.map((line) => (
          <li key={line.seq}>
            <Happened line={line} seats={seats} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Consent({ asked, ...props }: ConsentProps & { asked: Asked }): VNode {
  const { seated, look } = props;
  const { id, reason, rule, asker, before } = asked;
  const { seats } = look.view;
  const done = asked.result === undefined ? consequence(asked, seats) : null;
  const what = { kind: named(asked) };
  const given = useSignal(false);
  const said = useRef<HTMLParagraphElement>(null);
  // The button that had the focus is gone.
  useEffect(() => said.current?.focus(), [given.value]);
  async function consent(): Promise<void> {
    await seated.match.consent(id);
    given.value = true;
  }
  return (
    <section class="notice" aria-label={`${say("play.consent")}: ${what.kind}`}>
      <p>
        <b>{asker === undefined ? say("play.consent.asked", what) : say("play.consent.asked.by", { name: seats[asker] ?? "", ...what })}</b>
      </p>
      {done !== null && <p><bdi>{done}</bdi></p>}
      <Positions {...props} asked={asked} />
      {before !== undefined && <WouldUndo before={before} course={seated.course.value} seats={seats} />}
      <p>
        <bdi>{rule === undefined ? reason : `${reason} (${rule})`}</bdi>
      </p>
      {given.value ? (
        <p tabIndex={-1} ref={said}>
          {say("play.consent.given")}
        </p>
      ) : (
        <>
          <Form label={say("play.consent.give")} send={consent} />
          <p class="hint">{say(asker === undefined ? "play.consent.not" : "play.consent.not.asked")}</p>
        </>
      )}
    </section>
  );
}

/** What is asked for, in words: a result by which its asker alone loses is giving up. */
function named({ kind, result, asker }: Asked): string {
  const givesUp = asker !== undefined && result?.losers.length === 1 && result.losers[0] === asker;
  return ruling(`play.ruling.${givesUp ? "give_up" : kind}`, kind);
}

/** A kind of ruling in words, by the text of this name. */
function ruling(name: string, kind: string): string {
  return isSaid(name) ? say(name) : words(kind);
}

/** What the moderators have said to this seat or to everybody, and why they have ruled. */
export function Notes({ noted, table }: { noted: readonly Noted[]; table: boolean }): VNode | null {
  if (noted.length === 0) return null;
  return (
    <section aria-labelledby="noted" aria-live="polite">
      <h2 id="noted">{say(table ? "play.notes.table" : "play.notes")}</h2>
      <ul class="rows">
        {noted.map(({ seq, at, kind, text }) => (
          <li key={seq}>
            {kind !== null && <b>{ruling(`play.ruled.${kind}`, kind)}: </b>}
            <bdi>{text}</bdi> <span class="quiet"><Moment at={at} /></span>
          </li>
        ))}
      </ul>
    </section>
  );
}
