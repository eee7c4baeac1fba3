/** What a seat says beside the game: seeds for chance, and its consent to a ruling. */
import { WrongCommitment } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Field, Form, written } from "../form.js";
import { isSaid, say } from "../given.js";
import { Moment, words } from "../parts.js";
import type { Asked, Course, Noted } from "./doings.js";
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
    <details class="panel" open>
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

/** Rulings that wait for the consent of every seat. */
export function Consents({ seated, asked }: { seated: Seated; asked: readonly Asked[] }): VNode {
  return (
    <div class="asked" aria-live="polite">
      {asked.map((one) => (
        <Consent key={one.id} seated={seated} asked={one} />
      ))}
    </div>
  );
}

function Consent({ seated, asked: { id, kind, reason } }: { seated: Seated; asked: Asked }): VNode {
  const given = useSignal(false);
  const said = useRef<HTMLParagraphElement>(null);
  // The button that had the focus is gone.
  useEffect(() => said.current?.focus(), [given.value]);
  async function consent(): Promise<void> {
    const path = `/matches/${seated.info.id}/rulings/${id}/consent`;
    await seated.arbiter.request(path, { method: "POST", headers: { "Idempotency-Key": `consent-${id}` } });
    given.value = true;
  }
  return (
    <section class="notice" aria-label={say("play.consent")}>
      <p>
        <b>{say("play.consent.asked", { kind: ruling(`play.ruling.${kind}`, kind) })}</b>
      </p>
      <p>
        <bdi>{reason}</bdi>
      </p>
      {given.value ? (
        <p tabIndex={-1} ref={said}>
          {say("play.consent.given")}
        </p>
      ) : (
        <Form label={say("play.consent.give")} send={consent} />
      )}
    </section>
  );
}

/** A kind of ruling in words, by the text of this name. */
function ruling(name: string, kind: string): string {
  return isSaid(name) ? say(name) : words(kind);
}

/** What the moderators have said to this seat or to everybody, and why they have ruled. */
export function Notes({ noted }: { noted: readonly Noted[] }): VNode | null {
  if (noted.length === 0) return null;
  return (
    <section aria-labelledby="noted" aria-live="polite">
      <h2 id="noted">{say("play.notes")}</h2>
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
