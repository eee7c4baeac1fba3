/** When and for how long something is tried again. */
import { ArbiterError, ConnectionLost } from "./errors.js";

/** Milliseconds before the first repetition, and at most before any other. */
const FIRST = 200;
const LONGEST = 10_000;

/** Milliseconds for which a request is repeated while the service is away or busy. */
export const PATIENCE = 30_000;

const BUSY = [429, 502, 503, 504];

/** The repetitions of one thing. `patience` is for how many milliseconds it may wait altogether. */
export class Retries {
  #failures = 0;
  #waited = 0;

  constructor(
    private readonly signal: AbortSignal | undefined,
    private readonly patience = Infinity,
  ) {}

  /** Returns when it is time to try again. Throws the error if that would not help, or not in time. */
  async after(error: unknown): Promise<void> {
    if (!mayPass(error)) throw error;
    const asked = error instanceof ArbiterError ? (error.retryAfter ?? 0) * 1000 : 0;
    const wait = Math.max(asked, backOff(this.#failures));
    this.#failures += 1;
    this.#waited += wait;
    if (this.#waited > this.patience) throw error;
    await pause(wait, this.signal);
  }

  /** It works again. */
  succeeded(): void {
    this.#failures = 0;
    this.#waited = 0;
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof ArbiterError) {
    return BUSY.includes(error.status) || error.code === "request_in_flight";
  }
  return error instanceof ConnectionLost;
}

/** Doubles with every failure; between half of it and all, so that not all clients come back at once. */
function backOff(failures: number): number {
  return Math.min(LONGEST, FIRST * 2 ** failures) * (1 + Math.random()) / 2;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
