/**
 * Keys in the browser: kept for this tab, or by choice until they are forgotten. They stand in no
 * address, and are sent in the header alone.
 */
import { device, tab, type Place } from "./storage.js";

const places = [tab, device];

/** What a key is for: a match or a tournament by its id, or the organiser's own. */
export type Purpose = `match ${string}` | `tournament ${string}` | "organiser";

/** The keys that this page has been given, by their purposes. */
const inUse = new Map<string, string>();

/** The key that was kept, if there is one. */
export function keyFor(purpose: Purpose): string | undefined {
  const key = kept(purpose);
  if (key !== undefined) inUse.set(purpose, key);
  return key;
}

function kept(purpose: string): string | undefined {
  return places.map((place) => place.get(named(purpose))).find((key) => key !== null) ?? undefined;
}

/** The matches in which this browser keeps the key of a seat, the latest first. */
export function ownMatches(): string[] {
  const beginning = named("match ");
  const names = new Set(places.flatMap((place) => place.names().filter((name) => name.startsWith(beginning))));
  const ids = [...names].map((name) => name.slice(beginning.length));
  return ids.filter((id) => kept(`match ${id}`)?.startsWith("arb_s") === true).sort().reverse();
}

/** Begins anew if a key that this page has been given is not kept any more. */
function checkKeys(): void {
  if ([...inUse].some(([purpose, key]) => kept(purpose) !== key)) location.reload();
}

// In another tab, or on another page behind which the browser comes back to this one as it was.
addEventListener("storage", checkKeys);
addEventListener("pageshow", ({ persisted }) => persisted && checkKeys());

/**
 * Keeps a key: for this tab, or on this device until it is forgotten. What is kept beside it stays beside it.
 * For this tab alone it leaves the key of another holder on the device: other tabs go on with that.
 */
export function keep(purpose: Purpose, key: string, onDevice = false): void {
  const before = placeOf(purpose);
  const names = kept(purpose) === key ? namesIn(before, purpose) : [];
  const beside = names.map((name) => [name, before.get(name)!] as const);
  const isOthers = !onDevice && ![null, key].includes(device.get(named(purpose)));
  remove(purpose, isOthers ? [tab] : places);
  const place = onDevice ? device : tab;
  place.set(named(purpose), key);
  for (const [name, text] of beside) place.set(name, text);
}

/** Keeps the key that its holder got in place of the one that is kept: what is kept beside it stays there. */
export function replace(purpose: Purpose, key: string): void {
  inUse.set(purpose, key);
  placeOf(purpose).set(named(purpose), key);
}

/** Forgets a key, also where it is kept for something else: a tournament's key opens its matches, too. */
export function forget(purpose: Purpose): void {
  const key = keyFor(purpose);
  remove(purpose, places.filter((place) => [null, key].includes(place.get(named(purpose)))));
  const beginning = named("");
  for (const place of places) {
    const others = place.names().filter((name) => name.startsWith(beginning) && place.get(name) === key);
    for (const name of others) remove(name.slice(beginning.length));
  }
}

/** Removes a key, and all that is kept beside it. */
function remove(purpose: string, from: readonly Place[] = places): void {
  inUse.delete(purpose);
  for (const place of from) {
    for (const name of namesIn(place, purpose)) place.remove(name);
  }
}

/** A key, and all that is kept beside it: what pages keep has a name that ends with its purpose. */
function namesIn(place: Place, purpose: string): string[] {
  return place.names().filter((name) => name.startsWith("arbiter ") && name.endsWith(`: ${purpose}`));
}

/** Where the key is kept, and what belongs to it is to be; the tab's own store without a key. */
export function placeOf(purpose: Purpose): Place {
  return places.find((place) => place.get(named(purpose)) !== null) ?? tab;
}

function named(purpose: string): string {
  return `arbiter key: ${purpose}`;
}
