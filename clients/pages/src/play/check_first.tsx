/** Whether everything is looked at once more before it is sent, also what one tap can send. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { device } from "../storage.js";

const NAME = "arbiter check first";

export const checkFirst = signal(device.get(NAME) !== null);

export function CheckFirst(): VNode {
  function choose(checks: boolean): void {
    checkFirst.value = checks;
    if (checks) device.set(NAME, "yes");
    else device.remove(NAME);
  }
  return (
    <label class="check">
      <input type="checkbox" checked={checkFirst.value} onChange={(event) => choose(event.currentTarget.checked)} />
      {say("play.check_first")}
    </label>
  );
}
