/** Reading again and again what has no stream. */
import { isAway } from "./service.js";

/**
 * Reads now, and then after each `period` of milliseconds while somebody sees the tab, until the signal
 * ends it. While the service is away, which the page says by itself, it is only tried again.
 */
export async function regularly(period: number | (() => number), signal: AbortSignal, read: () => Promise<void>): Promise<void> {
  for (let first = true; !signal.aborted; first = false) {
    try {
      if (first || document.visibilityState === "visible") await read();
    } catch (error) {
      if (!signal.aborted && !isAway(error)) reportError(error);
    }
    await new Promise((resolve) => setTimeout(resolve, typeof period === "number" ? period : period()));
  }
}
