/** The verdict on the match, as it was judged in this browser. */
import type { Schemas } from "@arbiter/client";
import { effect, signal, untracked } from "@preact/signals";
import { service } from "../service.js";
import { reason } from "../trouble.js";
import { about } from "./about.js";
import { ask, audience, course, key, lines } from "./reading.js";
import { judge, type Judged } from "./verifier.js";

export const judged = signal<(Judged & { ownKeys: boolean }) | null>(null);
/** What is judged now; a text after it says why it could not be. */
export const judging = signal<string | null>(null);
export const trouble = signal<string | null>(null);

// What is read anew is judged anew: by itself, once all of it can be.
effect(() => {
  if (lines.value === null) return;
  judged.value = null;
  if (course.peek().over) untracked(() => void check([]));
});

/** Judges the bundle of the audience that is shown, by these keys; without any by the service's own. */
export async function check(trusted: string[]): Promise<void> {
  judging.value = "container";
  trouble.value = null;
  try {
    const own = trusted.length === 0;
    const read = lines.peek();
    const found = await judge(about.verifier, await bundle(), own ? await ownKeys() : trusted, (claim) => {
      judging.value = claim;
    });
    if (read === lines.peek()) judged.value = { ...found, ownKeys: own };
  } catch (error) {
    trouble.value = isMalformed(error) ? error.message : reason(error);
  } finally {
    judging.value = null;
  }
}

/** The bundle of the audience that is shown. */
export function bundle(): Promise<Uint8Array> {
  return service(key.value).match(about.match).bundle({ as: audience.value });
}

async function ownKeys(): Promise<string[]> {
  return (await ask<Schemas["KeyList"]>("/keys")).keys.map((one) => one.key);
}

/** Whether the verifier could not read a key that was given to it. */
function isMalformed(error: unknown): error is Error {
  return error instanceof Error && ["Malformed", "Unable"].includes(error.constructor.name);
}
