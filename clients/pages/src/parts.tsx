/** What several pages show in the same way. */
import type { ComponentChildren, VNode } from "preact";
import { isSaid, language, locale, say } from "./given.js";

/** A seat: its shape and colour, and who has it. */
export function Seat({ number, name }: { number: number; name?: string | undefined }): VNode {
  return (
    <span class="seat">
      <Mark seat={number} /> {name !== undefined && <bdi>{name}</bdi>}
    </span>
  );
}

/** The shape and colour of a seat. People count seats from 1. */
export function Mark({ seat }: { seat: number }): VNode {
  return (
    <span class="mark" data-seat={seat}>
      {seat + 1}
    </span>
  );
}

/** That a match has not begun; and who starts it, while it waits for that. */
export function notBegun({ status, open_table }: { status: string; open_table: boolean }): string {
  const begins = say("match.not_begun");
  return status === "created" ? `${begins} ${say(open_table ? "match.starts.ready" : "match.starts.staff")}` : begins;
}

const near = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

/** An instant in the reader's own time zone and form. */
export function instant(at: string): string {
  return near.format(new Date(at));
}

/** An instant in the reader's own time zone and form. */
export function Moment({ at }: { at: string }): VNode {
  return (
    <time dateTime={at} title={at}>
      {instant(at)}
    </time>
  );
}

/** How far a match has come. */
export function Status({ name }: { name: string }): VNode {
  return (
    <span class="status" data-status={name}>
      {say(`status.${name}`)}
    </span>
  );
}

/** Names in a row, as the language joins them. */
export function joined(names: readonly string[]): string {
  return new Intl.ListFormat(language).format(names);
}

interface Ending {
  winners: readonly number[];
  shared: boolean;
  scores: readonly number[];
}

/** Who has won. */
export function outcome({ winners, shared }: Pick<Ending, "winners" | "shared">, seats: readonly string[]): string {
  if (winners.length === 0) return say("match.nobody");
  const names = joined(winners.map((seat) => seats[seat] ?? String(seat)));
  return say(shared ? "match.shared" : "match.winner", { count: winners.length, names });
}

/** Who has won, and with how much each. */
export function outcomeWithScores(ending: Ending, seats: readonly string[]): string {
  const scores = seats.map((name, seat) => `${name} ${ending.scores[seat] ?? ""}`.trim());
  return `${outcome(ending, seats)} (${scores.join(", ")})`;
}

/** More of them are counted, not named: boards mark who they are. */
const NAMED = 6;

/** Whom a match waits for. */
export function waitsFor(names: readonly string[]): string {
  if (names.length > NAMED) return say("match.awaits.many", { count: names.length });
  return say("match.awaits", { count: names.length, names: joined(names) });
}

/** A field of the API in words: by the text `field.<name>` if there is one. */
export function words(field: string): string {
  return isSaid(`field.${field}`) ? say(`field.${field}`) : field.replaceAll("_", " ");
}

/** Something that could not be done, or that a reader should know. */
export function Notice({ children }: { children: ComponentChildren }): VNode {
  return (
    <p class="notice" role="status">
      {children}
    </p>
  );
}
