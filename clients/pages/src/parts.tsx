/** What several pages show in the same way. */
import type { ComponentChildren, VNode } from "preact";
import { isSaid, language, say } from "./given.js";

/** A seat: its shape and colour, and who has it. */
export function Seat({ number, name }: { number: number; name?: string | undefined }): VNode {
  return (
    <span class="seat">
      <Mark seat={number} /> {name !== undefined && <bdi>{name}</bdi>}
    </span>
  );
}

/** The shape and colour of a seat. */
export function Mark({ seat }: { seat: number }): VNode {
  return (
    <span class="mark" data-seat={seat}>
      {seat}
    </span>
  );
}

const near = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** An instant in the reader's own time zone and form. */
export function Moment({ at }: { at: string }): VNode {
  return (
    <time dateTime={at} title={at}>
      {near.format(new Date(at))}
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
