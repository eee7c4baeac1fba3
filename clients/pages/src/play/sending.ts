/** Sends what a seat has confirmed, once, and says what became of it. */
import { ArbiterError, ConnectionLost, newKey, WrongCommitment, type Action, type Taken } from "@arbiter/client";
import type { ComponentChildren } from "preact";
import { isSaid, say } from "../given.js";
import { reason, reasonIn } from "../trouble.js";
import type { Course, Doing } from "./doings.js";
import type { Unanswered } from "./kept.js";
import type { Seated } from "./seated.js";
import { because } from "./words.js";

/** What became of an action, in words. `errors` are about its fields, by their names. */
export interface Told {
  kind: "counts" | "invalid" | "refused" | "unknown";
  text: ComponentChildren;
  /** The language of the text, if it is another than the page's. */
  in?: string | undefined;
  errors: Record<string, string>;
  /** The number of its event, if it counts. */
  seq?: number;
}

/** An action for what the seat sees now, under a key of its own. */
export function confirmed(action: Doing, tag: string): Unanswered {
  return { action, idempotencyKey: newKey(), ifMatch: tag };
}

/**
 * Sends it until it is answered; what could not be answered stays kept, and is sent again under the
 * same idempotency key after a reload.
 */
export async function send(seated: Seated, sent: Unanswered): Promise<Told> {
  seated.kept.unanswered = sent;
  try {
    const taken = await act(seated, sent);
    seated.kept.unanswered = null;
    seated.kept.addReceipt(taken.receipt);
    return accepted(taken, seated);
  } catch (error) {
    return failed(error, seated);
  } finally {
    await seated.refresh();
  }
}

function act(seated: Seated, { action, idempotencyKey, ifMatch }: Unanswered): Promise<Taken> {
  return seated.match.act(action as unknown as Action, { idempotencyKey, ifMatch });
}

function accepted({ receipt }: Taken, seated: Seated): Told {
  if (receipt.valid) {
    const noted = Object.keys(receipt).find((field) => isSaid(`play.counts.${field}`));
    const text = say(noted === undefined ? "play.counts" : `play.counts.${noted}`);
    return { kind: "counts", text, errors: {}, seq: receipt.seq };
  }
  return { kind: "invalid", text: because("play.invalid", sentence(receipt.code ?? "", seated)), errors: {} };
}

/** The event by which the rules acted because nobody else had in time. */
const TIME_UP = "match.deadline-passed.1";

/**
 * What became of it by now: the moderators may have undone it since, or time is up, and the rules have acted. At the
 * end of a match it is not said any more that something counted.
 */
export function undone(told: Told | null, course: Course, over: boolean): Told | null {
  const late = course.lines.reduce((last, { seq, type }) => (type === TIME_UP ? seq : last), 0);
  const own = Math.max(told?.seq ?? 0, course.done.at(-1)?.seq ?? 0);
  if (late > own && told?.kind !== "refused") return { kind: "invalid", text: say("play.time_was_up"), errors: {} };
  if (over && told?.kind === "counts") return null;
  if (told?.seq === undefined || !course.undone.has(told.seq)) return told;
  return { ...told, kind: "invalid", text: say("play.was_undone") };
}

function failed(error: unknown, seated: Seated): Told {
  if (error instanceof ConnectionLost) return { kind: "unknown", text: say("play.unknown"), errors: {} };
  if (error instanceof WrongCommitment) return contradicted(error, seated);
  if (!(error instanceof ArbiterError)) throw error;
  seated.kept.unanswered = null;
  if (error.problem.receipt) seated.kept.addReceipt(error.problem.receipt);
  return { kind: "refused", text: reason(error), in: reasonIn(error), errors: byField(error.errors) };
}

/** It was answered, by a receipt that does not name what was shown. */
function contradicted(error: WrongCommitment, seated: Seated): Told {
  seated.kept.unanswered = null;
  seated.kept.contradict(error);
  return { kind: "invalid", text: say("receipts.wrong.sent"), errors: {} };
}

/** What a code of the rules means. */
export function sentence(code: string, { game }: Seated): string {
  return game.codes[code] ?? code.replaceAll("_", " ");
}

function byField(errors: ArbiterError["errors"]): Record<string, string> {
  const named = errors.map(({ pointer, detail }) => [pointer?.split("/")[1] ?? "", detail ?? ""] as const);
  return Object.fromEntries(named.filter(([name]) => name !== ""));
}
