/** The hash of an event as the service stores it, which is how signed notes name it. */

type Stored = number | string | Uint8Array | readonly Stored[] | { readonly [name: string]: Stored };

/** SHA-256, in base64, of what is stored of a value: MessagePack. */
export function hashOf(value: Stored): string {
  return btoa(String.fromCharCode(...sha256(Uint8Array.from(packed(value)))));
}

export function bytes(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** In the shortest form. Integers are not negative. */
function packed(value: Stored): number[] {
  if (typeof value === "number") return integer(value);
  if (typeof value === "string") {
    const text = [...new TextEncoder().encode(value)];
    return [...(text.length < 32 ? [0xa0 | text.length] : [0xd9, text.length]), ...text];
  }
  if (value instanceof Uint8Array) return [0xc4, value.length, ...value];
  if (isList(value)) return [...counted(0x90, 0xdc, value.length), ...value.flatMap(packed)];
  const fields = Object.entries(value);
  return [...counted(0x80, 0xde, fields.length), ...fields.flat().flatMap(packed)];
}

function isList(value: Stored): value is readonly Stored[] {
  return Array.isArray(value);
}

function counted(short: number, long: number, count: number): number[] {
  return count < 16 ? [short | count] : [long, count >> 8, count & 255];
}

function integer(value: number): number[] {
  if (value < 128) return [value];
  const width = [1, 2, 4, 8].find((one) => value < 256 ** one) ?? 8;
  const big = Array.from({ length: width }, (_, index) => Math.floor(value / 256 ** (width - 1 - index)) % 256);
  return [0xcc + Math.log2(width), ...big];
}

const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && !Array.from({ length: n - 2 }, (_, d) => d + 2).some((d) => n % d === 0));

/** The first 32 bits of the fraction. */
function fraction(value: number): number {
  return ((value % 1) * 2 ** 32) | 0;
}

const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

/** FIPS 180-4. The platform's is missing where a page did not come by HTTPS. */
export function sha256(message: Uint8Array): Uint8Array {
  const blocks = new DataView(new ArrayBuffer(Math.ceil((message.length + 9) / 64) * 64));
  message.forEach((byte, index) => blocks.setUint8(index, byte));
  blocks.setUint8(message.length, 0x80);
  blocks.setUint32(blocks.byteLength - 4, message.length * 8);
  let hash = START;
  for (let at = 0; at < blocks.byteLength; at += 64) {
    const words = Array.from({ length: 16 }, (_, index) => blocks.getInt32(at + index * 4));
    const after = compressed(hash, words);
    hash = hash.map((word, index) => (word + (after[index] ?? 0)) | 0);
  }
  const digest = new DataView(new ArrayBuffer(32));
  hash.forEach((word, index) => digest.setInt32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

function compressed(hash: readonly number[], words: number[]): number[] {
  let [a, b, c, d, e, f, g, h] = hash as [number, number, number, number, number, number, number, number];
  const word = (index: number): number => words[index] ?? 0;
  ROUNDS.forEach((round, index) => {
    if (index >= 16) {
      const [near, far] = [word(index - 2), word(index - 15)];
      const mixed = (turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)) + (turned(near, 17) ^ turned(near, 19) ^ (near >>> 10));
      words.push((word(index - 16) + word(index - 7) + mixed) | 0);
    }
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + round + word(index)) | 0;
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  });
  return [a, b, c, d, e, f, g, h];
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
