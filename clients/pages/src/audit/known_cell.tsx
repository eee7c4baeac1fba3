/** Since when a reader could know something, when it was handed out, and who has looked. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "../given.js";
import { brief, called } from "./about.js";
import { numbers, reads } from "./reading.js";
import { micros } from "../instants.js";

type Way = Schemas["KnownShown"];
type When = (at: string) => string;

interface KnownCellProps {
  ways: Way[];
  /** How instants are written; by default without the day on which the match was created. */
  when?: When | undefined;
}

export function KnownCell({ ways, when = brief }: KnownCellProps): VNode {
  const since = ways.filter((way) => way.since !== null);
  if (since.length === 0) return <span class="quiet">{say("audit.known.never")}</span>;
  return (
    <>
      {since.map((way) => (
        <p key={`${way.how} ${way.by}`} class="audit-way" data-how={way.how}>
          <span>{entitled(way, when)}</span>
          {handed(way, when).map((text, index) => (
            <span key={index} class="quiet">
              {text}
            </span>
          ))}
        </p>
      ))}
    </>
  );
}

function entitled(way: Way, when: When): string {
  const at = when(way.since ?? "");
  const by = way.by === null ? "" : numbers(way.by);
  const fields = (way.fields ?? []).join(", ");
  return say(`audit.known.${way.how}`, { at, by, fields });
}

/**
 * When what a reader could know was first sent to anybody as that reader, and who has looked at it who
 * sees it by their role alone; by the account of reads, which knows of each when it began and when it ended.
 */
function handed({ reader, own, since }: Way, when: When): string[] {
  if (own === null || since === null) return [];
  const all = (reads.value ?? [])
    .filter((read) => read.as === reader && read.seq >= own)
    .map((read) => ({ ...read, first: later(read.first, since), last: later(read.last, since) }));
  if (all.length === 0) return [];
  const sent = { first: earliest(all.map((read) => read.first)), last: earliest(all.map((read) => read.last)) };
  const looked = all.filter((read) => read.hidden === true);
  return [
    say("audit.known.sent", { when: between(sent, when) }),
    ...looked.map((read) => say("audit.known.looked", { name: read.person ?? called(read.role), when: between(read, when) })),
  ];
}

function between({ first, last }: { first: string; last: string }, when: When): string {
  return when(first) === when(last) ? when(first) : `${when(first)} – ${when(last)}`;
}

function later(one: string, other: string): string {
  return micros(one) > micros(other) ? one : other;
}

function earliest(instants: string[]): string {
  return instants.reduce((one, other) => (micros(one) < micros(other) ? one : other));
}
