/**
 * Whether notes are signed by the keys that the service publishes: signed notes
 * (<https://c2sp.org/signed-note>), with the platform's Ed25519.
 */
import type { Http } from "./http.js";
import { bytes, sha256 } from "./stored.js";
import type { Schemas } from "./types.js";

/** What keys of receipts and creation notes sign: the last part of their names. */
const RECEIPTS = "receipts";
const ED25519 = 1;
const DASH = "— ";
const KEY_ID = 4;
const MOST_SIGNATURES = 16;
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** A key or a signature, by the name of the key; the bytes of a signature begin with the id of its key. */
interface Named {
  name: string;
  raw: Uint8Array<ArrayBuffer>;
}

export class PublishedKeys {
  readonly #http: Http;
  #keys: Named[] = [];
  #unchecked = false;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Whether a signature could not be checked, since the platform has no Ed25519 here. */
  get unchecked(): boolean {
    return this.#unchecked;
  }

  /**
   * Whether one of the keys of receipts has signed the note. They are read once, and again for a note that none
   * of them has signed: there may be a new key. Where the platform cannot check it, it is taken to be true.
   */
  async haveSigned(note: string, signal?: AbortSignal): Promise<boolean> {
    try {
      if (await isSigned(note, this.#keys)) return true;
      const { keys } = (await this.#http.ask<Schemas["KeyList"]>("/keys", { signal })).data;
      this.#keys = keys.map(({ key }) => keyIn(key)).filter(({ name }) => name.split("/").at(-1) === RECEIPTS);
      return await isSigned(note, this.#keys);
    } catch (error) {
      if (!(error instanceof Unable)) throw error;
      this.#unchecked = true;
      return true;
    }
  }
}

/** The platform has no Ed25519, or a page has none because it came over plain HTTP. */
class Unable extends Error {}

async function isSigned(note: string, keys: readonly Named[]): Promise<boolean> {
  const { text, signatures } = read(note);
  for (const signed of signatures) {
    for (const key of keys) if (await holds(key, text, signed)) return true;
  }
  return false;
}

/** The text of a note, and its signatures; none if it is not spelt as a signed note is. */
function read(note: string): { text: string; signatures: Named[] } {
  const blank = note.lastIndexOf("\n\n");
  const lines = note.slice(blank + 2).split("\n");
  const whole = blank >= 0 && lines.pop() === "" && lines.every((line) => line.startsWith(DASH));
  if (!whole || lines.length > MOST_SIGNATURES || CONTROL.test(note)) return { text: "", signatures: [] };
  return { text: note.slice(0, blank + 1), signatures: lines.map((line) => named(line.slice(DASH.length), " ")) };
}

/** A verifier key: `<name>+<id>+<base64>`. The base64 may contain plus signs; a name does not. */
function keyIn(text: string): Named {
  const { name, rest } = cut(text, "+");
  return { name, raw: decoded(cut(rest, "+").rest) };
}

function named(text: string, mark: string): Named {
  const { name, rest } = cut(text, mark);
  return { name, raw: decoded(rest) };
}

function cut(text: string, mark: string): { name: string; rest: string } {
  const at = text.indexOf(mark);
  return at < 0 ? { name: text, rest: "" } : { name: text.slice(0, at), rest: text.slice(at + mark.length) };
}

/** Standard base64 in its one spelling; nothing of any other. */
function decoded(encoded: string): Uint8Array<ArrayBuffer> {
  try {
    return btoa(atob(encoded)) === encoded ? Uint8Array.from(bytes(encoded)) : new Uint8Array();
  } catch {
    return new Uint8Array();
  }
}

async function holds(key: Named, text: string, signed: Named): Promise<boolean> {
  if (key.name !== signed.name || key.raw[0] !== ED25519 || key.raw.length !== 33) return false;
  const id = sha256(Uint8Array.from([...utf8(`${key.name}\n`), ...key.raw])).slice(0, KEY_ID);
  if (!id.every((byte, index) => byte === signed.raw[index])) return false;
  return verified(key.raw.slice(1), signed.raw.slice(KEY_ID), utf8(text));
}

/** Throws Unable. */
async function verified(key: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>, text: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const algorithm = { name: "Ed25519" };
  // Pages that come over plain HTTP have no such member, whatever its type says.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  try {
    const imported = await subtle?.importKey("raw", key, algorithm, false, ["verify"]);
    if (imported !== undefined) return await subtle.verify(algorithm, imported, signature, text);
  } catch (error) {
    if (error instanceof DOMException && error.name === "DataError") return false;
  }
  throw new Unable();
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}
