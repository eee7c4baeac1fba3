/** What this page is about, and how its parts are called. */
import type { Audience, Schemas } from "@arbiter/client";
import { given, isSaid, locale, pieces, say } from "../given.js";
import { instant } from "../parts.js";

export const about = given<{
  match: string;
  title: string;
  seats: string[];
  tournament: string | null;
  created: string;
  /** How far it had come when the page was made. */
  status: string;
  over: boolean;
  /** Whether everybody might read everything. */
  open: boolean;
  /** The address of the verifier's modules. */
  verifier: string;
}>();

export type Line = Schemas["TimelineLine"];

/** Every audience of the match. */
export const AUDIENCES: Audience[] = ["public", "moderator", ...about.seats.map((_, seat) => `seat:${seat}` as const)];

/** The seat of an audience, if it is one. */
export function seatOf(audience: string): number | null {
  return audience.startsWith("seat:") ? Number(audience.slice("seat:".length)) : null;
}

/** What people call an audience or a role. */
export function called(audience: string): string {
  const seat = seatOf(audience);
  if (seat !== null) return about.seats[seat] ?? audience;
  return isSaid(`audit.called.${audience}`) ? say(`audit.called.${audience}`) : audience;
}

/** Who did something, with a role in the page's language. What the service calls a role is never a name. */
export function doer(actor: string): string {
  const [role = "", ...more] = actor.split(" ");
  if (!isSaid(`audit.actor.${role}`)) return actor;
  if (more[0] === "(key") more[0] = `(${say("audit.actor.key")}`;
  return [say(`audit.actor.${role}`), ...more].join(" ");
}

/** The kind of an event in words: its sentence without what differs, or its stored name. */
export function kind(type: string): string {
  const name = `event.${type}`;
  if (isSaid(name)) return pieces(name).map((piece, index) => (index % 2 === 0 ? piece : "…")).join("");
  return type.split(".").slice(0, -1).join(" ").replaceAll("-", " ");
}

const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });

/** The day on which the match was created, in the reader's own time zone. */
export const day = days.format(new Date(about.created));

/** An instant in the reader's own time zone, without the day on which the match was created. */
export function brief(at: string): string {
  const when = new Date(at);
  return days.format(when) === day ? clock.format(when) : instant(at);
}

const numbers = new Intl.NumberFormat(locale);

export function number(value: number): string {
  return numbers.format(value);
}

/** Bytes that came as base64, in hexadecimal. */
export function hex(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
