/** Files of a page that are loaded later. */
import { say } from "./given.js";
import { tab, unkept } from "./storage.js";
import { Refusal } from "./trouble.js";

const LOADED_ANEW = "arbiter page loaded anew";

/** Milliseconds. */
const MINUTE = 60_000;

/**
 * What an import brings. If a new release of the service has come meanwhile the file is gone, and the
 * page is loaded anew; where that has just been done, or would lose something, its reader is asked to.
 */
export async function part<T>(importing: Promise<T>): Promise<T> {
  try {
    return await importing;
  } catch (cause) {
    if (!(await isGone())) throw cause;
    const now = Date.now();
    const isNew = now - Number(tab.get(LOADED_ANEW) ?? 0) > MINUTE;
    tab.set(LOADED_ANEW, String(now));
    if (!isNew || unkept.value) throw new Refusal(say("trouble.release"), { cause });
    location.reload();
    return await new Promise(() => undefined);
  }
}

/** Whether the service does not have this script any more: it has another release. */
async function isGone(): Promise<boolean> {
  const answer = await fetch(import.meta.url, { method: "HEAD", cache: "no-store" }).catch(() => null);
  return answer?.status === 404;
}
