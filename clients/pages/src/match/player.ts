/** Plays the positions one after another. */
import { effect, signal } from "@preact/signals";
import { at, go, info, reading, shown, wanted } from "./watch.js";

/** How many positions a second can be chosen. */
export const PACES = [0.5, 1, 2, 5] as const;

export const playing = signal(false);
export const pace = signal<number>(1);

/** How many views are read beforehand. */
const AHEAD = 2;

/** Plays from here, or from the first position where there is nothing behind this one. */
export function toggle(): void {
  if (!playing.peek() && wanted.peek() >= last()) go(1);
  else if (!playing.peek()) go(wanted.peek());
  playing.value = !playing.peek();
}

/** Goes on once what is wanted has been drawn for its time; where nobody looks it stops. */
export function play(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) playing.value = false;
  });
  effect(() => {
    const drawn = shown.value?.view.seq;
    if (!playing.value || drawn !== wanted.value) return;
    for (let seq = drawn + 1; seq <= Math.min(drawn + AHEAD, last()); seq++) void reading.peek()?.readAhead(seq);
    const next = setTimeout(step, 1000 / pace.value);
    return () => clearTimeout(next);
  });
}

function step(): void {
  if (wanted.peek() < last()) return go(wanted.peek() + 1);
  playing.value = false;
  // A match that goes on is watched from here on.
  if (["running", "paused"].includes(info.peek().status)) at.value = null;
}

function last(): number {
  return reading.peek()?.last.peek() ?? 1;
}
