/** How a number has changed. */
import type { VNode } from "preact";

/** How many more or fewer; nothing where there are as many. */
export function Difference({ by }: { by: number }): VNode | null {
  if (by === 0) return null;
  return <b class="difference">{by > 0 ? `+${by}` : `−${-by}`}</b>;
}
