/** The service's clock: what is left of a time is counted by it, and not by the reader's own. */
import { signal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "./given.js";
import { Moment } from "./parts.js";

/** Milliseconds that the service's clock is ahead of the reader's; unknown before an answer. */
let ahead = -Infinity;

const now = signal(Date.now());

/** Seconds. */
const LATE = 10;

/**
 * Learns from the headers of an answer. An answer that was kept, or that took long, says too little:
 * the one that says the most is right.
 */
export function noteClock(headers: Headers | undefined): void {
  const said = Date.parse(headers?.get("Date") ?? "");
  if (!Number.isNaN(said)) ahead = Math.max(ahead, said - Date.now());
}

/** How long it is until an instant, as it goes by, and the instant itself. */
export function Countdown({ until }: { until: string }): VNode {
  useSignalEffect(() => {
    now.value = Date.now();
    const ticking = setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => clearInterval(ticking);
  });
  const left = Math.ceil((Date.parse(until) - now.value - (ahead === -Infinity ? 0 : ahead)) / 1000);
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
