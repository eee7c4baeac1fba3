/** The name under which this browser's reader last sat down at an open table. */
import { device, tab } from "../storage.js";

const NAME = "arbiter name";

export function ownName(): string {
  return tab.get(NAME) ?? device.get(NAME) ?? "";
}

export function keepName(name: string, onDevice: boolean): void {
  (onDevice ? device : tab).set(NAME, name);
}
