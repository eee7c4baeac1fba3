/** The verdict on the match, as it was judged in this browser. */
import type { Schemas } from "@arbiter/client";
import { effect, signal } from "@preact/signals";
import { service } from "../service.js";
import { reason } from "../trouble.js";
import { about } from "./about.js";
import { ask, audience, key, lines } from "./reading.js";
import { judge, type Judged } from "./verifier.js";

export const judged = signal<Judged | null>(null);
/** What is judged now; a text after it says why it could not be. */
export const judging = signal<string | null>(null);
export const trouble = signal<string | null>(null);

// What is read anew is judged anew.
effect(() => {
  if (lines.value !== null) judged.value = null;
});

/** Judges the bundle of the audience that is shown, by these keys; without any by the service's own. */
export async function check(trusted: string[]): Promise<void> {
  judging.value = "container";
  trouble.value = null;
  try {
    const keys = trusted.length > 0 ? trusted : await ownKeys();
    judged.value = await judge(await bundle(), keys, (claim) => {
      judging.value = claim;
    });
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
