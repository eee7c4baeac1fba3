/** Why something could not be done, in words for its reader. */
import { ArbiterError, ConnectionLost } from "@arbiter/client";
import { isSaid, say } from "./given.js";

/** What the page itself refuses, in words for its reader. */
export class Refusal extends Error {}

/** In which language `reason` says it, if that may be another than the page's. */
export function reasonIn(error: unknown): string | undefined {
  return error instanceof ArbiterError && !isSaid(`trouble.${error.code}`) ? "en" : undefined;
}

/** By the text `trouble.<code>` if there is one. Throws what neither the service nor the connection is to blame for. */
export function reason(error: unknown): string {
  if (error instanceof ConnectionLost) return say("trouble.lost");
  if (error instanceof Refusal) return error.message;
  if (!(error instanceof ArbiterError)) throw error;
  if (isSaid(`trouble.${error.code}`)) return say(`trouble.${error.code}`);
  const parts = error.errors.map((one) => [one.pointer ?? one.name, one.detail].filter(Boolean).join(": "));
  return [...new Set([error.problem.title, error.problem.detail, ...parts])].filter(Boolean).join(" ");
}
