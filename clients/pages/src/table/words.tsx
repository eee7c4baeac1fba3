/** Events and values in words. */
import type { VNode } from "preact";
import { Happened, happened, inWords } from "../events.js";
import { isSaid, locale, say } from "../given.js";
import { cited, type Numbered } from "../numbers.js";
import { instant } from "../parts.js";
import type { AnyLine } from "./lines.js";
import { desk, lines, seen } from "./state.js";

/** A value of the API in words: the table's own, or those of events. */
export function named(value: unknown): string {
  return isSaid(`table.value.${value}`) ? say(`table.value.${value}`) : inWords(value);
}

/** A value of a field in words: its own, or those that the value has everywhere. */
export function valueName(field: string, value: unknown): string {
  return isSaid(`table.value.${field}.${value}`) ? say(`table.value.${field}.${value}`) : named(value);
}

/** All numbers of an event: the public's first, for moderators, who count otherwise. */
export function numbersOf(line: Numbered): string {
  return cited(line, desk.value?.role === "organiser");
}

/** The same of the event that has this number here. */
export function numbers(seq: number): string {
  return numbersOf(lines.value.find((line) => line.seq === seq) ?? { seq, public_seq: null });
}

/** An event in a line of text. */
export function summary(line: AnyLine): string {
  return `${numbersOf(line)} · ${told(line)}`;
}

/** What an event tells. */
export function told(line: AnyLine): string {
  return happened(line, names(), numbers);
}

function names(): readonly string[] {
  return seen.value?.view.seats ?? [];
}

/** Who has a seat. */
export function nameOf(seat: number): string {
  return names()[seat] ?? String(seat);
}

/** An event, with what it tells. */
export function Told({ line }: { line: AnyLine }): VNode {
  return (
    <span class="told">
      <Happened line={line} seats={names()} cite={numbers} />
    </span>
  );
}

const today = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });

/** An instant in the reader's own time zone, without the day if it is today. */
export function Instant({ at }: { at: string }): VNode {
  const when = new Date(at);
  const isToday = when.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={at}>
      {isToday ? today.format(when) : instant(at)}
    </time>
  );
}

/** An event with its number and its instant. */
export function Recorded({ line }: { line: AnyLine }): VNode {
  return (
    <>
      <span class="number">{numbersOf(line)}</span> <Told line={line} /> <Instant at={line.at} />
    </>
  );
}
