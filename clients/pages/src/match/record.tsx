/** The events in order, a part at a time: of a long match there are thousands. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Happened } from "../events.js";
import { say } from "../given.js";
import { isOfNoBranch } from "../table/branches.js";
import { anyLine } from "../table/lines.js";
import { Link } from "./timeline.js";
import { left, numbers, reading, wanted } from "./watch.js";

/** How many events a part has. */
const PART = 50;

export function Events({ seats }: { seats: readonly string[] }): VNode {
  const last = reading.value?.last.value ?? 0;
  const from = Math.floor((wanted.value - 1) / PART) * PART + 1;
  const to = Math.min(from + PART - 1, last);
  const list = useRef<HTMLOListElement>(null);
  const isRead = reading.value?.line(wanted.value) !== undefined;
  useEffect(() => inSight(list.current), [wanted.value, isRead]);
  return (
    <section class="match-events" aria-labelledby="events">
      <h2 id="events">{say("match.events")}</h2>
      {reading.value?.audience !== "public" && <p class="quiet">{say("match.numbers")}</p>}
      {last > PART && <Parts from={from} to={to} last={last} />}
      <ol ref={list} start={from} data-numbers={reading.value?.audience === "public" ? "one" : "two"}>
        {Array.from({ length: to - from + 1 }, (_, index) => (
          <One key={from + index} seq={from + index} seats={seats} />
        ))}
      </ol>
    </section>
  );
}

function One({ seq, seats }: { seq: number; seats: readonly string[] }): VNode {
  const line = reading.value?.line(seq);
  const stands = line !== undefined && isOfNoBranch(anyLine(line));
  return (
    <li data-left={left.value.has(seq) && !stands}>
      <Link to={seq} current={seq === wanted.value}>
        <span class="number">{numbers(seq)}</span>
        <span>{line === undefined ? "…" : <Happened line={line} seats={seats} cite={numbers} />}</span>
      </Link>
    </li>
  );
}

function Parts({ from, to, last }: { from: number; to: number; last: number }): VNode {
  return (
    <p class="match-parts">
      {from > 1 ? <Link to={from - 1}>{say("match.events.earlier")}</Link> : <span />}
      <span class="quiet">{say("match.events.part", { from, to, last })}</span>
      {to < last ? <Link to={to + 1}>{say("match.events.later")}</Link> : <span />}
    </p>
  );
}

/** Moves the list alone, so that the page stays where it is. */
function inSight(list: HTMLOListElement | null): void {
  const present = list?.querySelector<HTMLElement>("[aria-current]");
  if (list == null || present == null) return;
  const { top, bottom } = present.getBoundingClientRect();
  const seen = list.getBoundingClientRect();
  if (top < seen.top || bottom > seen.bottom) list.scrollTop += top - seen.top - seen.height / 2;
}
