/** Keys that their holders make their own: whoever issued them may have kept them. */
import { ArbiterError, newKey } from "@arbiter/client";
import { placeOf, replace, type Purpose } from "./keys.js";
import { renewKey } from "./service.js";

/** What is kept beside a key: that it is its holder's, or the request by which it is being made so. */
const OWN = "arbiter own key: ";
const RENEWING = "arbiter renewing: ";

/** Whether this browser has made the key its holder's. */
export function isOwn(purpose: Purpose): boolean {
  return placeOf(purpose).get(OWN + purpose) !== null;
}

/** Whether a renewal was begun that has not been answered: until then the key that it ends is not forgotten. */
export function isRenewing(purpose: Purpose): boolean {
  return placeOf(purpose).get(RENEWING + purpose) !== null;
}

/** Renews a key that is kept. The request is kept first: if its answer is lost, also by a reload, it is sent again. */
export async function renewed(purpose: Purpose, key: string): Promise<string> {
  const place = placeOf(purpose);
  const request = place.get(RENEWING + purpose) ?? newKey();
  place.set(RENEWING + purpose, request);
  const made = await renewKey(key, request);
  replace(purpose, made);
  place.remove(RENEWING + purpose);
  place.set(OWN + purpose, "yes");
  return made;
}

/** The new key, if a renewal was begun whose answer was lost; null if none was, or it is in vain. */
export async function finishedRenewal(purpose: Purpose, key: string): Promise<string | null> {
  if (!isRenewing(purpose)) return null;
  try {
    return await renewed(purpose, key);
  } catch (error) {
    if (error instanceof ArbiterError && error.status === 401) return null;
    throw error;
  }
}
