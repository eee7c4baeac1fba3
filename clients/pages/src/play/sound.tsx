/** A sound when it is this seat's turn, for those who ask for it. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { device } from "../storage.js";

const NAME = "arbiter sound";

/** Seconds, and hertz of the two notes. */
const LONG = 0.12;
const NOTES = [660, 880];

const isOn = signal(device.get(NAME) !== null);

export function Sound(): VNode {
  function choose(on: boolean): void {
    isOn.value = on;
    if (on) device.set(NAME, "yes");
    else device.remove(NAME);
    ring();
  }
  return (
    <label class="check">
      <input type="checkbox" checked={isOn.value} onChange={(event) => choose(event.currentTarget.checked)} />
      {say("play.sound")}
    </label>
  );
}

/** Two short notes, if they are wanted. A browser that has not been touched since the page came plays none. */
export function ring(): void {
  if (!isOn.peek() || typeof AudioContext === "undefined") return;
  const audio = new AudioContext();
  NOTES.forEach((hertz, index) => {
    const note = new OscillatorNode(audio, { frequency: hertz });
    const volume = new GainNode(audio, { gain: 0.1 });
    note.connect(volume).connect(audio.destination);
    note.start(audio.currentTime + index * LONG);
    note.stop(audio.currentTime + (index + 1) * LONG);
    if (index === NOTES.length - 1) note.addEventListener("ended", () => void audio.close());
  });
}
