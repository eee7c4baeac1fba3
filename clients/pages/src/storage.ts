/** What the browser keeps for this page, or the page alone where the browser has no room or may not keep anything. */
import { signal } from "@preact/signals";

/** Whether something is kept by this page alone: a reload loses it. */
export const unkept = signal(false);

/** One of the browser's two stores. Reading and writing never throw. */
export class Place {
  readonly #store: Storage | null;
  /** What the store has refused. */
  readonly #own = new Map<string, string>();

  constructor(open: () => Storage) {
    this.#store = attempt(open, null);
  }

  get(name: string): string | null {
    return this.#own.get(name) ?? attempt(() => this.#store?.getItem(name) ?? null, null);
  }

  set(name: string, text: string): void {
    const isStored = attempt(() => {
      this.#store?.setItem(name, text);
      return this.#store !== null;
    }, false);
    // What was stored before stays there: older receipts are better than none.
    if (isStored) this.#own.delete(name);
    else this.#own.set(name, text);
    unkept.value = [tab, device].some((place) => place.#own.size > 0);
  }

  remove(name: string): void {
    this.#own.delete(name);
    attempt(() => this.#store?.removeItem(name), undefined);
  }

  names(): string[] {
    return [...this.#own.keys(), ...attempt(() => Object.keys(this.#store ?? {}), [])];
  }
}

/** A store throws when it is full, and at every call where its user has blocked it: both are said by `unkept`. */
function attempt<T>(call: () => T, otherwise: T): T {
  try {
    return call();
  } catch {
    return otherwise;
  }
}

/** Until the tab is closed. */
export const tab = new Place(() => sessionStorage);

/** Until it is removed. */
export const device = new Place(() => localStorage);
