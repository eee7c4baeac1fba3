/** Bytes: how they are put together, compared and spelt. */
const BYTES = (() => {
  'use strict';

  /** It is not spelt in the one way in which it may be. */
  class Malformed extends Error {}

  const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const CODES = Uint8Array.from(LETTERS, (letter) => letter.charCodeAt(0));
  const NONE = 255;
  const SIXES = new Uint8Array(128).fill(NONE);
  CODES.forEach((code, six) => { SIXES[code] = six; });

  const encoder = new TextEncoder();
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const latin = new TextDecoder('latin1');

  /** The text as UTF-8. */
  const utf8 = (text) => encoder.encode(text);

  /** The text that is UTF-8 in these bytes. Throws Malformed. */
  const text = (bytes) => {
    try {
      return strict.decode(bytes);
    } catch {
      throw new Malformed('not UTF-8');
    }
  };

  /** The text that is ASCII in these bytes, a character a byte. Throws Malformed. */
  const ascii = (bytes) => {
    for (const byte of bytes) {
      if (byte > 127) {
        throw new Malformed('not ASCII');
      }
    }
    return latin.decode(bytes);
  };

  /** All the parts, one after another. */
  const concat = (...parts) => {
    const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  };

  /** Whether these are the same bytes. */
  const equal = (one, other) => {
    if (one.length !== other.length) {
      return false;
    }
    for (let at = 0; at < one.length; at += 1) {
      if (one[at] !== other[at]) {
        return false;
      }
    }
    return true;
  };

  /** The bytes in hexadecimal, in small letters. */
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

  /** How many equals signs end it (RFC 4648, section 4). */
  const padding = (spelt) => {
    if (!spelt.endsWith('=')) {
      return 0;
    }
    return spelt.endsWith('==') ? 2 : 1;
  };

  const six = (spelt, at) => {
    const code = spelt.charCodeAt(at);
    const value = code < 128 ? SIXES[code] : NONE;
    if (value === NONE) {
      throw new Malformed('not base64');
    }
    return value;
  };

  /** The bytes in base64, as RFC 4648, section 4, alone spells them. Throws Malformed. */
  const fromB64 = (spelt) => {
    if (spelt.length % 4 !== 0) {
      throw new Malformed('not base64');
    }
    const digits = spelt.length - padding(spelt);
    const bytes = new Uint8Array(Math.floor((digits * 3) / 4));
    let [bits, held, written] = [0, 0, 0];
    for (let at = 0; at < digits; at += 1) {
      bits = (bits << 6) | six(spelt, at);
      held += 6;
      if (held >= 8) {
        held -= 8;
        bytes[written] = bits >> held;
        written += 1;
        bits &= (1 << held) - 1;
      }
    }
    if (bits !== 0) {
      throw new Malformed('base64 that could be written otherwise');
    }
    return bytes;
  };

  /** A number in four bytes, big-endian. */
  const u32 = (number) => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, number);
    return bytes;
  };

  /** A number in eight bytes, big-endian. */
  const u64 = (number) => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
    return bytes;
  };

  /** Each part as its length (u32, big-endian) and its bytes; texts are UTF-8. */
  const lp = (...parts) => concat(...parts.flatMap((part) => {
    const bytes = typeof part === 'string' ? utf8(part) : part;
    return [u32(bytes.length), bytes];
  }));

  return {
    Malformed, utf8, text, ascii, concat, equal, hex, fromB64, u32, u64, lp,
  };
})();
