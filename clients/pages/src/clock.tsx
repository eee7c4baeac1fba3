/** The service's clock: what is left of a time is counted by it, and not by the reader's own. */
import { signal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "./given.js";
import { Moment } from "./parts.js";

/**
 * The service's time at the instant 0 of the page's own clock, which runs on evenly whatever is done
 * to the device's; unknown before an answer.
 */
let beginning: number | null = null;

/** Milliseconds by which two answers may differ because one was longer on its way, or in the second that it names. */
const NEAR = 2_000;

const now = signal(serviceTime());

/** Seconds. */
const LATE = 10;

function serviceTime(): number {
  return beginning === null ? Date.now() : beginning + performance.now();
}

/**
 * Learns from the headers of an answer that no cache may give without asking. The newest is right;
 * of those that are near one another the one that took the least time on its way.
 */
export function noteClock(headers: Headers | undefined): void {
  const found = Date.parse(headers?.get("Date") ?? "") - performance.now();
  if (Number.isNaN(found) || !/no-(cache|store)/.test(headers?.get("Cache-Control") ?? "")) return;
  const isNear = beginning !== null && Math.abs(found - beginning) < NEAR;
  beginning = isNear ? Math.max(found, beginning!) : found;
}

/** How long it is until an instant, as it goes by, and the instant itself. */
export function Countdown({ until }: { until: string }): VNode {
  useSignalEffect(() => {
    now.value = serviceTime();
    const ticking = setInterval(() => {
      now.value = serviceTime();
    }, 1000);
    return () => clearInterval(ticking);
  });
  const left = Math.ceil((Date.parse(until) - now.value) / 1000);
  return (
    <span class="countdown">
      <span role="timer" data-late={left < LATE}>
        {left > 0 ? duration(left) : say("match.time_is_up")}
      </span>{" "}
      <Moment at={until} />
    </span>
  );
}

/** Seconds as days, hours, minutes and seconds: `2:05`, `1:00:00`, `3 d 4:00:00`. */
export function duration(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  const parts = days > 0 || hours > 0 ? [hours, two(minutes)] : [minutes];
  const clock = [...parts, two(seconds % 60)].join(":");
  return days > 0 ? `${say("match.days", { count: days })} ${clock}` : clock;
}

function two(count: number): string {
  return String(count).padStart(2, "0");
}
