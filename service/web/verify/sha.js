/**
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104), at once: a long match takes some hundred thousand
 * hashes, and the browser's own would be waited for each time.
 */
const SHA = (() => {
  'use strict';

  const BLOCK = 64;
  const ROUNDS = 64;

  /** The first 64 primes. */
  const primes = () => {
    const found = [];
    for (let number = 2; found.length < ROUNDS; number += 1) {
      if (found.every((prime) => number % prime !== 0)) {
        found.push(number);
      }
    }
    return found;
  };

  /** Section 4.2.2: the first 32 bits after the point of the root, as exactly as it takes. */
  const fraction = (prime, root) => {
    const scaled = BigInt(prime) << BigInt(32 * root);
    let found = BigInt(Math.floor(prime ** (1 / root) * 2 ** 32));
    while (found ** BigInt(root) > scaled) {
      found -= 1n;
    }
    while ((found + 1n) ** BigInt(root) <= scaled) {
      found += 1n;
    }
    return Number(BigInt.asIntN(32, found));
  };

  const START = Int32Array.from(primes().slice(0, 8), (prime) => fraction(prime, 2));
  const CONSTANTS = Int32Array.from(primes(), (prime) => fraction(prime, 3));

  const words = new Int32Array(ROUNDS);
  const turned = (word, by) => (word >>> by) | (word << (32 - by));

  /** Section 6.2.2, step 1: the message schedule of the block that begins at `from`. */
  const schedule = (bytes, from) => {
    for (let at = 0, place = from; at < 16; at += 1, place += 4) {
      words[at] = (bytes[place] << 24) | (bytes[place + 1] << 16)
        | (bytes[place + 2] << 8) | bytes[place + 3];
    }
    for (let at = 16; at < ROUNDS; at += 1) {
      const [late, early] = [words[at - 2], words[at - 15]];
      const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      words[at] = (second + words[at - 7] + first + words[at - 16]) | 0;
    }
  };

  /** Section 6.2.2, steps 2 to 4: takes a block into the state. */
  const compress = (state, bytes, from) => {
    schedule(bytes, from);
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < ROUNDS; at += 1) {
      const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const one = (h + high + ((e & f) ^ (~e & g)) + CONSTANTS[at] + words[at]) | 0;
      const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0;
      d = c; c = b; b = a; a = (one + two) | 0;
    }
    state[0] += a; state[1] += b; state[2] += c; state[3] += d;
    state[4] += e; state[5] += f; state[6] += g; state[7] += h;
  };

  /** Section 5.1.1: what is left after whole blocks, a one, zeros, and the length in bits. */
  const ending = (bytes, whole) => {
    const rest = bytes.length - whole;
    const padded = new Uint8Array(rest + 9 > BLOCK ? 2 * BLOCK : BLOCK);
    padded.set(bytes.subarray(whole));
    padded[rest] = 0x80;
    const length = new DataView(padded.buffer, padded.length - 8);
    length.setUint32(0, Math.floor(bytes.length / 2 ** 29));
    length.setUint32(4, (bytes.length * 8) >>> 0);
    return padded;
  };

  /** SHA-256 of the bytes. */
  const sha256 = (bytes) => {
    const state = START.slice();
    const whole = bytes.length - (bytes.length % BLOCK);
    for (let from = 0; from < whole; from += BLOCK) {
      compress(state, bytes, from);
    }
    const last = ending(bytes, whole);
    for (let from = 0; from < last.length; from += BLOCK) {
      compress(state, last, from);
    }
    const digest = new Uint8Array(32);
    const view = new DataView(digest.buffer);
    state.forEach((word, place) => view.setInt32(4 * place, word));
    return digest;
  };

  /** HMAC-SHA-256 (RFC 2104, section 2). */
  const hmac = (key, message) => {
    const short = key.length > BLOCK ? sha256(key) : key;
    const padded = (mask) => {
      const block = new Uint8Array(BLOCK);
      block.set(short);
      return block.map((byte) => byte ^ mask);
    };
    const inner = sha256(BYTES.concat(padded(0x36), message));
    return sha256(BYTES.concat(padded(0x5c), inner));
  };

  const MESSAGES = [0, 55, 56, 64, 1000].map((length) => new Uint8Array(length).fill(length));

  const digestOf = async (message) =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', message));

  const macOf = async (raw, message) => {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
  };

  /** Whether the browser's own say the same of a few messages, short and long. */
  const agrees = async () => {
    const [, key] = MESSAGES;
    for (const message of MESSAGES) {
      const [digest, mac] = [await digestOf(message), await macOf(key, message)];
      if (!BYTES.equal(digest, sha256(message)) || !BYTES.equal(mac, hmac(key, message))) {
        return false;
      }
    }
    return true;
  };

  return { sha256, hmac, agrees };
})();
